// SPDX-License-Identifier: GPL-2.0
#include "heap/pending_calls.h"

#include <linux/vmalloc.h>

int pprof_pending_calls_init(struct pprof_pending_calls *calls)
{
	calls->slots = __vmalloc(PPROF_PENDING_CALLS_SLOTS * sizeof(*calls->slots),
				 GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!calls->slots)
		return -ENOMEM;
	for (u32 i = 0; i < PPROF_PENDING_CALLS_SLOTS; i++)
		raw_spin_lock_init(&calls->slots[i].lock);
	return 0;
}

void pprof_pending_calls_fini(struct pprof_pending_calls *calls)
{
	vfree(calls->slots);
	calls->slots = NULL;
}

void pprof_pending_calls_enter(struct pprof_pending_calls *calls,
			       const struct pprof_pending_call *call,
			       struct pprof_pending_call *left)
{
	struct pprof_pending_calls_slot *slot = pprof_pending_calls_slot(calls, call->tid);

	raw_spin_lock(&slot->lock);
	*left = slot->call;
	left->tid = slot->tid;
	slot->call = *call;
	WRITE_ONCE(slot->tid, call->tid);	/* pairs with pprof_pending_calls_sp() */
	raw_spin_unlock(&slot->lock);
}

u64 pprof_pending_calls_sp_in(struct pprof_pending_calls_slot *slot, u32 tid)
{
	u64 sp;

	raw_spin_lock(&slot->lock);
	sp = slot->tid == tid ? slot->call.sp : 0;
	raw_spin_unlock(&slot->lock);
	return sp;
}

bool pprof_pending_calls_leave(struct pprof_pending_calls *calls, u32 tid, u64 sp,
			       struct pprof_pending_call *call)
{
	struct pprof_pending_calls_slot *slot = pprof_pending_calls_slot(calls, tid);
	bool found;

	raw_spin_lock(&slot->lock);
	found = slot->tid == tid && slot->call.sp == sp;
	if (found) {
		*call = slot->call;
		WRITE_ONCE(slot->tid, 0);	/* pairs with pprof_pending_calls_sp() */
	}
	raw_spin_unlock(&slot->lock);
	return found;
}

bool pprof_pending_calls_get(struct pprof_pending_calls *calls, u32 nr,
			     struct pprof_pending_call *call)
{
	struct pprof_pending_calls_slot *slot = &calls->slots[nr];
	unsigned long flags;
	bool found;

	raw_spin_lock_irqsave(&slot->lock, flags);
	found = slot->tid;
	*call = slot->call;
	raw_spin_unlock_irqrestore(&slot->lock, flags);
	return found;
}
