/* SPDX-License-Identifier: GPL-2.0 */
/* The only sched_switch probe of a session. It calls the sources that need context switches. */
#ifndef PPROF_SCHED_SWITCH_H
#define PPROF_SCHED_SWITCH_H

#include <linux/bits.h>
#include <linux/sched.h>

#include "record/target.h"

/* Sources cpu, wall, block and mutex. Raise it for another source. */
#define PPROF_MAX_SWITCHES	4

/* Properties of a switch. PREV, NEXT or both are set, except by pprof_switches_drop(). */
#define PPROF_SWITCH_PREV	BIT(0)	/* a thread of a target leaves this CPU */
#define PPROF_SWITCH_NEXT	BIT(1)	/* a thread of a target comes to this CPU */
#define PPROF_SWITCH_BLOCKS	BIT(2)	/* the thread that leaves waits for something */

/*
 * Called for a switch. @prev is current, and its user stack can be read.
 * Context: interrupts off, runqueue lock held. It must not wake any task.
 */
typedef void pprof_switch_fn(void *state, struct task_struct *prev, struct task_struct *next,
			     u32 flags);

/*
 * A switch without a target costs a look at two bits. With a probe for each source, each one would
 * cost as much. The kernel calls a single probe directly.
 */
struct pprof_switches {
	const struct pprof_target *target;
	unsigned long active;	/* bit n: handlers[n] is in use. Writers hold the session's mutex */
	/* The functions of the sources */
	struct {
		pprof_switch_fn *fn;
		void *state;
	} handlers[PPROF_MAX_SWITCHES];
};

/*
 * From now on @fn is called with @state, until pprof_switches_del() returns.
 * Locks: the caller holds the session's mutex, or ends the session.
 * Returns: 0, -ENOMEM, -ENOSPC (a bug: too many sources), or another error of tracepoints.
 * Sleeps.
 */
int pprof_switches_add(struct pprof_switches *switches, pprof_switch_fn *fn, void *state);

/*
 * Removes the function that was added with @state. When it returns, the function does not run.
 * Locks: as pprof_switches_add().
 * Sleeps.
 */
void pprof_switches_del(struct pprof_switches *switches, void *state);

/*
 * Call it when current was removed from the targets. No function would be called when current
 * leaves the CPU. So this calls all functions as if a thread of no target came now.
 * Context: interrupts off.
 */
void pprof_switches_drop(const struct pprof_switches *switches);

/*
 * Call it when current has become a target, or has been removed from the targets, while it runs.
 * Calls all functions as if current came to its CPU now.
 * Context: interrupts off.
 */
void pprof_switches_look_again(const struct pprof_switches *switches);

#endif
