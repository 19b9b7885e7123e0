/* SPDX-License-Identifier: GPL-2.0 */
/* The sampled objects of the heap that are not freed yet, by address. */
#ifndef PPROF_LIVE_H
#define PPROF_LIVE_H

#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* 131,072 objects: 64 GiB of them at the default rate. 4.1 MiB. */
#define PPROF_LIVE_BUCKET_BITS	14
#define PPROF_LIVE_BUCKETS	16384U	/* so many bits */
#define PPROF_LIVE_IN_BUCKET	8

struct pprof_live_object {
	u64 address;
	u64 image;	/* of its process: nothing outlives an exec */
	u64 number;	/* not 0 */
	u32 tgid;	/* in the initial namespace */
	u32 pad;
};

/* Taken with interrupts off; nothing is taken inside but what is_gone() takes. */
struct pprof_live_bucket {
	raw_spinlock_t lock;
	u32 nr;		/* of objects: the first so many */
	struct pprof_live_object objects[PPROF_LIVE_IN_BUCKET];
};

struct pprof_live {
	struct pprof_live_bucket *buckets;
	/* Has the object's process ended, or executed something? Any context. */
	bool (*is_gone)(const struct pprof_live_object *object);
};

/* May sleep. -ENOMEM. */
int pprof_live_init(struct pprof_live *live,
		    bool (*is_gone)(const struct pprof_live_object *object));

/* Nobody looks into it any more. A zeroed one is left alone. */
void pprof_live_fini(struct pprof_live *live);

/*
 * The functions below: interrupts are off; they neither sleep nor allocate.
 *
 * Adds an object. False: there is no place, even where the dead have theirs. If
 * there was one at the same address, whose end was not seen, *stale becomes its
 * number, else 0.
 */
bool pprof_live_add(struct pprof_live *live, const struct pprof_live_object *object, u64 *stale);

/* The same as pprof_live_take(), where there may be one. */
u64 pprof_live_take_from(struct pprof_live_bucket *bucket, u64 address, u64 image);

/*
 * Removes the object at @address and gives its number; 0: it is none of ours. Who
 * frees an object knows it from who got it, so that it is seen here by then.
 */
static inline u64 pprof_live_take(struct pprof_live *live, u64 address, u64 image)
{
	struct pprof_live_bucket *bucket = &live->buckets[hash_64(address, PPROF_LIVE_BUCKET_BITS)];

	return READ_ONCE(bucket->nr) ? pprof_live_take_from(bucket, address, image) : 0;
}

#endif
