// SPDX-License-Identifier: GPL-2.0
#include "heap/live_objects.h"

#include <linux/vmalloc.h>

int pprof_live_objects_init(struct pprof_live *live,
			    bool (*is_gone)(const struct pprof_live_object *object))
{
	live->buckets = __vmalloc(PPROF_LIVE_BUCKETS * sizeof(*live->buckets),
				  GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!live->buckets)
		return -ENOMEM;
	for (u32 i = 0; i < PPROF_LIVE_BUCKETS; i++)
		raw_spin_lock_init(&live->buckets[i].lock);
	live->is_gone = is_gone;
	return 0;
}

void pprof_live_objects_fini(struct pprof_live *live)
{
	vfree(live->buckets);
	live->buckets = NULL;
}

/* Locks: the bucket's lock is held, as for the next three functions. */
static struct pprof_live_object *find(struct pprof_live_bucket *bucket, u64 address, u64 exec_id)
{
	for (u32 i = 0; i < bucket->nr; i++)
		if (bucket->objects[i].address == address && bucket->objects[i].exec_id == exec_id)
			return &bucket->objects[i];
	return NULL;
}

static void remove(struct pprof_live_bucket *bucket, struct pprof_live_object *object)
{
	u32 nr = bucket->nr - 1;

	*object = bucket->objects[nr];
	WRITE_ONCE(bucket->nr, nr);	/* pairs with pprof_live_objects_take() */
}

/* Only if the bucket is full: until then objects of dead processes cost nothing. */
static void remove_gone(struct pprof_live *live, struct pprof_live_bucket *bucket)
{
	for (u32 i = bucket->nr; i-- > 0;)
		if (live->is_gone(&bucket->objects[i]))
			remove(bucket, &bucket->objects[i]);
}

static bool add(struct pprof_live *live, struct pprof_live_bucket *bucket,
		const struct pprof_live_object *object, u64 *stale)
{
	struct pprof_live_object *old = find(bucket, object->address, object->exec_id);

	if (old) {
		*stale = old->number;
		*old = *object;
		return true;
	}
	*stale = 0;
	if (bucket->nr == PPROF_LIVE_IN_BUCKET)
		remove_gone(live, bucket);
	if (bucket->nr == PPROF_LIVE_IN_BUCKET)
		return false;
	bucket->objects[bucket->nr] = *object;
	WRITE_ONCE(bucket->nr, bucket->nr + 1);	/* pairs with pprof_live_objects_take() */
	return true;
}

bool pprof_live_objects_add(struct pprof_live *live, const struct pprof_live_object *object,
			    u64 *stale)
{
	struct pprof_live_bucket *bucket =
		&live->buckets[hash_64(object->address, PPROF_LIVE_BUCKET_BITS)];
	bool added;

	raw_spin_lock(&bucket->lock);
	added = add(live, bucket, object, stale);
	raw_spin_unlock(&bucket->lock);
	return added;
}

u64 pprof_live_objects_take_from(struct pprof_live_bucket *bucket, u64 address, u64 exec_id)
{
	struct pprof_live_object *object;
	u64 number = 0;

	raw_spin_lock(&bucket->lock);
	object = find(bucket, address, exec_id);
	if (object) {
		number = object->number;
		remove(bucket, object);
	}
	raw_spin_unlock(&bucket->lock);
	return number;
}
