/* SPDX-License-Identifier: GPL-2.0 */
/* The input and the result of a walk of a user stack. */
#ifndef PPROF_STACK_H
#define PPROF_STACK_H

#include <linux/types.h>

#include "base/regs.h"

struct pprof_stack {
	u64 *frames;	/* leaf first; the caller owns the memory */
	u32 max;	/* room in frames: 1 to PPROF_MAX_FRAMES */
	u32 nr;		/* frames found: at least 1, the PC */
	/* Outermost frames in addition, which the last sample of the ring has, too */
	u32 nr_shared;
	u16 end_reason;	/* PPROF_END_* */
	u16 flags;	/* PPROF_SAMPLE_GUESS, PPROF_SAMPLE_STALE */
};

#endif
