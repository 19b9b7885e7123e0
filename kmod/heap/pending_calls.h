/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls of allocator functions that have not returned yet, by thread. A call has an entry if
 * this source asked for its uretprobe. A call that may throw has one also without that, if its slot
 * is free: the kernel may give it a uretprobe anyway, before 6.12 or for another user of uprobes.
 * See "Slot tables" in doc/design.md.
 */
#ifndef PPROF_PENDING_CALLS_H
#define PPROF_PENDING_CALLS_H

#include <linux/compiler.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* A power of two: 256 KiB. The kernel gives tids in sequence, which fills the slots evenly. */
#define PPROF_PENDING_CALLS_SLOTS	4096U

struct pprof_pending_call {
	u32 tid;	/* in the initial namespace */
	u32 function;	/* PPROF_HEAP_* */
	u64 sp;		/* user address of the return address */
	u64 weight;	/* of the sample; 0: no sample is due */
	u64 size;	/* in bytes, as the program asked for */
	/* The first argument: realloc()'s old object, or where posix_memalign() stores a new one */
	u64 object;
	u64 number;	/* number of realloc()'s object among the live objects; 0: none */
	u64 exec_id;
};

/* The lock is taken with interrupts off. No lock is taken inside it. */
struct pprof_pending_calls_slot {
	raw_spinlock_t lock;
	u32 tid;	/* tid of the call, to be read without the lock; 0: free */
	struct pprof_pending_call call;
};

/*
 * A thread can leave a function without a return: by longjmp(), or when it is killed. So no thread
 * waits for a slot. The next thread takes it, and gets the old call, to count it as lost.
 */
struct pprof_pending_calls {
	struct pprof_pending_calls_slot *slots;
};

/*
 * Allocates an empty table, charged to current's memory cgroup.
 * Returns: 0, or -ENOMEM.
 * Sleeps.
 */
int pprof_pending_calls_init(struct pprof_pending_calls *calls);

/* Frees the table. No hook may use it any more. A zeroed table is left alone. Sleeps. */
void pprof_pending_calls_fini(struct pprof_pending_calls *calls);

/*
 * Copies the call of slot @nr, which is below PPROF_PENDING_CALLS_SLOTS.
 * Locks: takes the slot's lock.
 * Returns: false if the slot is free.
 * Context: any.
 */
bool pprof_pending_calls_get(struct pprof_pending_calls *calls, u32 nr,
			     struct pprof_pending_call *call);

/*
 * Context of the functions below: interrupts off. The tid is current's.
 *
 * pprof_pending_calls_enter() copies @call to the slot of its thread. *left becomes the call that
 * was in the slot, with tid 0 if there was none. The caller counts *left as lost.
 * Locks: takes the slot's lock.
 */
void pprof_pending_calls_enter(struct pprof_pending_calls *calls,
			       const struct pprof_pending_call *call,
			       struct pprof_pending_call *left);

/*
 * Removes the call of @tid with @sp, and copies it to *call.
 * Locks: takes the slot's lock.
 * Returns: false if there is none.
 */
bool pprof_pending_calls_leave(struct pprof_pending_calls *calls, u32 tid, u64 sp,
			       struct pprof_pending_call *call);

/* Returns the slot of @tid. */
static inline struct pprof_pending_calls_slot *
pprof_pending_calls_slot(struct pprof_pending_calls *calls, u32 tid)
{
	return &calls->slots[tid % PPROF_PENDING_CALLS_SLOTS];
}

/* Is the slot of @tid free, or its own? */
static inline bool pprof_pending_calls_has_room(struct pprof_pending_calls *calls, u32 tid)
{
	u32 other = READ_ONCE(pprof_pending_calls_slot(calls, tid)->tid);

	return !other || other == tid;
}

/*
 * The slow path of pprof_pending_calls_sp(): the slot has a call of @tid.
 * Locks: takes the slot's lock.
 */
u64 pprof_pending_calls_sp_in(struct pprof_pending_calls_slot *slot, u32 tid);

/* Returns the address of the return address of @tid's call, or 0: no call. */
static inline u64 pprof_pending_calls_sp(struct pprof_pending_calls *calls, u32 tid)
{
	struct pprof_pending_calls_slot *slot = pprof_pending_calls_slot(calls, tid);

	return READ_ONCE(slot->tid) == tid ? pprof_pending_calls_sp_in(slot, tid) : 0;
}

#endif
