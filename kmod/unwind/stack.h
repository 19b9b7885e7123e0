/* SPDX-License-Identifier: GPL-2.0 */
/* What a walk of a user stack begins with, and what it gives. */
#ifndef PPROF_STACK_H
#define PPROF_STACK_H

#include <linux/types.h>

#include "base/regs.h"

struct pprof_stack {
	u64 *frames;	/* leaf first; the caller's memory */
	u32 max;	/* that fit there: 1 to PPROF_MAX_FRAMES */
	u32 nr;		/* found: at least 1, the PC */
	u16 end;	/* PPROF_END_* */
	u16 flags;	/* PPROF_SAMPLE_GUESS */
};

#endif
