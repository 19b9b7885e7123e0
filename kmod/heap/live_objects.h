/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sampled objects of the heap that are not freed yet, by address. See "Slot tables" in
 * doc/design.md.
 */
#ifndef PPROF_LIVE_OBJECTS_H
#define PPROF_LIVE_OBJECTS_H

#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* 131,072 objects, in 4.1 MiB. At the default rate they stand for 64 GiB. */
#define PPROF_LIVE_BUCKET_BITS	14
#define PPROF_LIVE_BUCKETS	16384U	/* 1 << PPROF_LIVE_BUCKET_BITS */
#define PPROF_LIVE_IN_BUCKET	8

struct pprof_live_object {
	u64 address;
	u64 exec_id;	/* exec id of its process: no object outlives an exec */
	u64 number;	/* pprof_sample.arg of its sample; not 0 */
	u32 tgid;	/* in the initial namespace */
	u32 pad;
};

/* The lock is taken with interrupts off. Only the locks of is_gone() are taken inside it. */
struct pprof_live_bucket {
	raw_spinlock_t lock;
	u32 nr;		/* number of objects: the first ones of the array */
	struct pprof_live_object objects[PPROF_LIVE_IN_BUCKET];
};

struct pprof_live {
	struct pprof_live_bucket *buckets;
	/*
	 * Has the object's process ended, or called exec?
	 * Context: any.
	 */
	bool (*is_gone)(const struct pprof_live_object *object);
};

/*
 * Allocates an empty table, charged to current's memory cgroup.
 * Returns: 0, or -ENOMEM.
 * Sleeps.
 */
int pprof_live_objects_init(struct pprof_live *live,
			    bool (*is_gone)(const struct pprof_live_object *object));

/* Frees the table. No hook may use it any more. A zeroed table is left alone. Sleeps. */
void pprof_live_objects_fini(struct pprof_live *live);

/*
 * Context of the functions below: interrupts off. They neither sleep nor allocate.
 *
 * pprof_live_objects_add() adds a copy of an object. If the table has one of the same exec id at
 * the same address, its free was not seen. The new object takes its place, and *stale becomes the
 * number of the old one. Else *stale becomes 0.
 * Locks: takes the bucket's lock.
 * Returns: false if the bucket is full, even after the objects of dead processes were removed.
 */
bool pprof_live_objects_add(struct pprof_live *live, const struct pprof_live_object *object,
			    u64 *stale);

/* The slow path of pprof_live_objects_take(): the bucket is not empty. */
u64 pprof_live_objects_take_from(struct pprof_live_bucket *bucket, u64 address, u64 exec_id);

/*
 * Removes the object of @exec_id at @address.
 * Locks: takes the bucket's lock, unless the bucket is empty. The test without the lock is enough:
 * the thread that frees an object got it from the thread that allocated it, so it sees the object.
 * Returns: its number, or 0: it was not sampled.
 */
static inline u64 pprof_live_objects_take(struct pprof_live *live, u64 address, u64 exec_id)
{
	struct pprof_live_bucket *bucket = &live->buckets[hash_64(address, PPROF_LIVE_BUCKET_BITS)];

	return READ_ONCE(bucket->nr) ? pprof_live_objects_take_from(bucket, address, exec_id) : 0;
}

#endif
