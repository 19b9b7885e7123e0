/* SPDX-License-Identifier: GPL-2.0 */
/* Who creates threads on this system, told to everybody who listens. */
#ifndef PPROF_AUDIT_H
#define PPROF_AUDIT_H

#include <linux/types.h>

#include "uapi/pprof.h"

/* What is told of one creation. */
struct pprof_audit_record {
	struct pprof_record rec;
	u64 seq;	/* gaps: what was not told */
	u32 uid;	/* the creator's, in the initial namespace */
	u32 has_stack;
	struct pprof_sample sample;	/* of the creator; last: it has a tail */
};

/* Sends one record on. May sleep. */
typedef void pprof_audit_tell_t(const struct pprof_audit_record *record);

/*
 * Nothing is hooked before the first listener, nor after the last. @tell is
 * called from a work item. May sleep.
 */
void pprof_audit_init(pprof_audit_tell_t *tell);

/*
 * One listener more, or one less; with stacks if any asked for them. -ENOMEM.
 * May sleep; they lock.
 */
int pprof_audit_get(bool stacks);
void pprof_audit_put(bool stacks);

/*
 * Returns the number of the last creation before the call, when @tell has returned
 * for each up to it that was not lost. May sleep; locks as the two above.
 */
u64 pprof_audit_flush(void);

#endif
