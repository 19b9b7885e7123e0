/* SPDX-License-Identifier: GPL-2.0 */
/* Which threads are inside an allocator's function whose return is awaited. */
#ifndef PPROF_CALLS_H
#define PPROF_CALLS_H

#include <linux/compiler.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* A power of two; 384 KiB. Tids come in sequence, which fills them evenly. */
#define PPROF_CALLS_SLOTS	4096U

struct pprof_call {
	u32 tid;	/* in the initial namespace */
	u32 kind;	/* PPROF_HEAP_* */
	u64 sp;		/* where the return address is */
	u64 weight;	/* of the sample; 0: none is due */
	u64 size;
	u64 object;	/* the first argument: realloc()'s, or where posix_memalign() puts it */
	u64 number;	/* of realloc()'s object among the live; 0: none */
	u64 image;
};

/* Taken with interrupts off; nothing inside of it. */
struct pprof_calls_slot {
	raw_spinlock_t lock;
	u32 tid;	/* the call's, to look at without the lock; 0: free */
	struct pprof_call call;
};

/*
 * A thread can leave without a return: by longjmp(), or as it is killed. So a
 * slot is not waited for: who comes later takes it and gets what was in it, to
 * be counted as lost.
 */
struct pprof_calls {
	struct pprof_calls_slot *slots;
};

/* May sleep. -ENOMEM. */
int pprof_calls_init(struct pprof_calls *calls);

/* Nobody looks into it any more. A zeroed one is left alone. */
void pprof_calls_fini(struct pprof_calls *calls);

/* A copy of the call in a slot, below PPROF_CALLS_SLOTS. False: it is free. Any context. */
bool pprof_calls_get(struct pprof_calls *calls, u32 nr, struct pprof_call *call);

/*
 * The functions below: interrupts are off, and tid is current's.
 *
 * Notes @call. *left becomes what was in its place; its tid is 0: nothing.
 */
void pprof_calls_enter(struct pprof_calls *calls, const struct pprof_call *call,
		       struct pprof_call *left);

/* Removes the call of @tid with @sp into *call. False: there is none. */
bool pprof_calls_leave(struct pprof_calls *calls, u32 tid, u64 sp, struct pprof_call *call);

static inline struct pprof_calls_slot *pprof_calls_slot(struct pprof_calls *calls, u32 tid)
{
	return &calls->slots[tid % PPROF_CALLS_SLOTS];
}

/* Would that of @tid be in nobody else's place? */
static inline bool pprof_calls_has_room(struct pprof_calls *calls, u32 tid)
{
	u32 other = READ_ONCE(pprof_calls_slot(calls, tid)->tid);

	return !other || other == tid;
}

/* The same as pprof_calls_sp(), where there may be one. */
u64 pprof_calls_sp_in(struct pprof_calls_slot *slot, u32 tid);

/* Where the return address of @tid's call is; 0: it is in none. */
static inline u64 pprof_calls_sp(struct pprof_calls *calls, u32 tid)
{
	struct pprof_calls_slot *slot = pprof_calls_slot(calls, tid);

	return READ_ONCE(slot->tid) == tid ? pprof_calls_sp_in(slot, tid) : 0;
}

#endif
