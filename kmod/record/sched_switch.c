// SPDX-License-Identifier: GPL-2.0
#include "record/sched_switch.h"

#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "base/compat.h"
#include "base/tracepoints.h"

static u32 describe(const struct pprof_target *target, bool preempt, struct task_struct *prev,
		    struct task_struct *next, unsigned int prev_state)
{
	u32 flags = 0;

	if (pprof_target_has(target, prev))
		flags |= PPROF_SWITCH_PREV;
	if (pprof_target_has(target, next))
		flags |= PPROF_SWITCH_NEXT;
	/*
	 * A stopped, traced or dead thread does not wait for anything of its own. An exiting thread
	 * may not be a target any more when it comes again.
	 */
	if (!preempt && (prev_state & (TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE)) &&
	    !(prev->flags & (PF_EXITING | PF_IO_WORKER | PF_USER_WORKER)))
		flags |= PPROF_SWITCH_BLOCKS;
	return flags;
}

static inline void call_handlers(const struct pprof_switches *switches, struct task_struct *prev,
				 struct task_struct *next, u32 flags)
{
	/* Pairs with pprof_switches_add() */
	unsigned long active = smp_load_acquire(&switches->active);
	unsigned long i;

	for (; active; active &= active - 1) {
		i = __ffs(active);
		switches->handlers[i].fn(switches->handlers[i].state, prev, next, flags);
	}
}

/* Out of line, so that the path of all other switches is short. */
static noinline void emit(const struct pprof_switches *switches, bool preempt,
			  struct task_struct *prev, struct task_struct *next,
			  unsigned int prev_state)
{
	u32 flags = describe(switches->target, preempt, prev, next, prev_state);

	if (flags & (PPROF_SWITCH_PREV | PPROF_SWITCH_NEXT))
		call_handlers(switches, prev, next, flags);
}

void pprof_switches_drop(const struct pprof_switches *switches)
{
	call_handlers(switches, current, current, 0);
}

void pprof_switches_look_again(const struct pprof_switches *switches)
{
	call_handlers(switches, current, current,
		      pprof_target_has(switches->target, current) ? PPROF_SWITCH_NEXT : 0);
}

DEFINE_SWITCH_PROBE(probe_switch)
static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	const struct pprof_switches *switches = data;
	const unsigned long *bits = switches->target->bits;

	if (likely(bits) && likely(!test_bit(prev->tgid, bits) && !test_bit(next->tgid, bits)))
		return;
	emit(switches, preempt, prev, next, prev_state);
}

/* Adds the source before the probe, so that no switch of its first target is missed. */
int pprof_switches_add(struct pprof_switches *switches, pprof_switch_fn *fn, void *state)
{
	unsigned long active = switches->active, i = ffz(active);
	int err;

	check_trace_callback_type_sched_switch(probe_switch_hook);
	if (WARN_ON_ONCE(i >= PPROF_MAX_SWITCHES))
		return -ENOSPC;
	switches->handlers[i].fn = fn;
	switches->handlers[i].state = state;
	smp_store_release(&switches->active, active | BIT(i));	/* pairs with call_handlers() */
	if (active)
		return 0;
	err = pprof_tracepoint_add(PPROF_TRACEPOINT_SWITCH, probe_switch_hook, switches);
	if (err) {
		WRITE_ONCE(switches->active, 0);
		/* pprof_switches_drop() may be calling it */
		tracepoint_synchronize_unregister();
	}
	return err;
}

static void nothing(void *unused)
{
}

/*
 * The handlers run with interrupts off. So when each CPU has answered an interrupt, none runs any
 * more. That takes some 0.02 ms. A grace period is rejected: it takes a thousand times as long.
 *
 * The kernel may still call the hook, which reads @switches. That is memory of the session, and the
 * session waits for the hook at its end.
 */
void pprof_switches_del(struct pprof_switches *switches, void *state)
{
	unsigned long active = switches->active, i = 0;

	while (!(active & BIT(i)) || switches->handlers[i].state != state)
		i++;
	active &= ~BIT(i);
	smp_store_release(&switches->active, active);	/* pairs with call_handlers() */
	on_each_cpu(nothing, NULL, 1);
	if (!active)
		pprof_tracepoint_del(PPROF_TRACEPOINT_SWITCH, probe_switch_hook, switches);
}
