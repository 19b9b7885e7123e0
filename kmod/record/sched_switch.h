/* SPDX-License-Identifier: GPL-2.0 */
/* A session's only probe of sched_switch, and which of its sources are told. */
#ifndef PPROF_SWITCHES_H
#define PPROF_SWITCHES_H

#include <linux/bits.h>
#include <linux/sched.h>

#include "record/target.h"

#define PPROF_MAX_SWITCHES	4

/* Of a switch, at least one of the first two. */
#define PPROF_SWITCH_PREV	BIT(0)	/* a target's thread leaves this CPU */
#define PPROF_SWITCH_NEXT	BIT(1)	/* one comes */
#define PPROF_SWITCH_BLOCKS	BIT(2)	/* what leaves waits for something */

/*
 * @prev is current, and its user stack can be read. Interrupts are off and the
 * rq's lock is held: nothing here may wake anybody.
 */
typedef void pprof_switch_fn(void *state, struct task_struct *prev, struct task_struct *next,
			     u32 what);

/*
 * All other switches cost the machine a look at two bits: a probe for each source
 * would cost as much for each, and the kernel calls one alone without a detour.
 */
struct pprof_switches {
	const struct pprof_target *target;
	unsigned long active;	/* bit n: told[n]; written with the session's mutex held */
	struct {
		pprof_switch_fn *fn;
		void *state;
	} told[PPROF_MAX_SWITCHES];
};

/*
 * From now on, until pprof_switches_del() returns, @fn is called with @state. May
 * sleep, the session's mutex is held. -ENOMEM.
 */
int pprof_switches_add(struct pprof_switches *switches, pprof_switch_fn *fn, void *state);
void pprof_switches_del(struct pprof_switches *switches, void *state);

/*
 * current has just been dropped from the targets, so that nobody would be told when
 * it leaves: it is as if a thread of no target came now. Interrupts are off.
 */
void pprof_switches_drop(const struct pprof_switches *switches);

#endif
