// SPDX-License-Identifier: GPL-2.0
#include "client/label_sets.h"

#include <linux/kernel.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <asm/barrier.h>

#include "client/custom_profiles.h"
#include "base/user_quota.h"

/* The last chunk is as large as the others, so each number below the bound has an entry. */
static_assert((PPROF_MAX_LABEL_SETS + 1) % PPROF_LABEL_SETS_CHUNK == 0);
static_assert(PPROF_LABEL_KEY_BYTES == PPROF_CUSTOM_NAME_BYTES);

/* Returns zeroed memory, or NULL and an error in *err: -ENOSPC of the quota, -ENOMEM. */
static void *alloc(struct pprof_label_sets *labels, size_t bytes, int *err)
{
	void *memory;

	*err = -ENOSPC;
	if (!pprof_quota_charge(labels->quota, bytes))
		return NULL;
	*err = -ENOMEM;
	memory = kzalloc(bytes, GFP_KERNEL_ACCOUNT);
	if (memory)
		labels->bytes += bytes;
	else
		pprof_quota_uncharge(labels->quota, bytes);
	return memory;
}

static bool is_padded(const u8 *text, u32 bytes)
{
	u32 at = strnlen((const char *)text, bytes);

	if (at == bytes)
		return false;
	for (; at < bytes; at++)
		if (text[at])
			return false;
	return true;
}

/* The number is above 0 as a signed int, too. */
static u32 number_of(u64 id)
{
	return id & 0x7fffffff;
}

const struct pprof_label_set *pprof_label_sets_find(const struct pprof_label_sets *labels,
						    u32 number)
{
	u32 i = number_of(number - labels->first - 1);
	u32 nr = smp_load_acquire(&labels->nr);	/* pairs with publish() */

	if (i >= nr || number != number_of(number))
		return NULL;
	i = array_index_nospec(i, nr);
	return labels->chunks[i / PPROF_LABEL_SETS_CHUNK][i % PPROF_LABEL_SETS_CHUNK];
}

static void append(struct pprof_label_set *set, const void *text, u32 bytes)
{
	memcpy(set->text + set->bytes, text, bytes);
	set->bytes += bytes;
}

static void append_label(struct pprof_label_set *set, const struct pprof_label *label)
{
	append(set, label->key, strlen((const char *)label->key) + 1);
	append(set, label->value, strlen((const char *)label->value) + 1);
}

/*
 * Merges @base (NULL: no labels) and the label into an empty set that has room.
 * Returns: the number of labels.
 */
static u32 merge(struct pprof_label_set *set, const struct pprof_label_set *base,
		 const struct pprof_label *label)
{
	const char *at = base ? (const char *)base->text : NULL;
	const char *end = base ? at + base->bytes : NULL;
	bool added = false;
	u32 bytes, nr = 0;
	int order;

	for (; at < end; at += bytes) {
		bytes = strlen(at) + 1;
		bytes += strlen(at + bytes) + 1;
		order = added ? 1 : strcmp((const char *)label->key, at);
		if (order <= 0) {
			append_label(set, label);
			added = true;
			nr++;
		}
		if (order) {
			append(set, at, bytes);
			nr++;
		}
	}
	if (!added)
		append_label(set, label);
	return nr + !added;
}

/* The size as the allocator rounds it. */
static size_t set_bytes(const struct pprof_label_set *base, const struct pprof_label *label)
{
	struct pprof_label_set *set;
	size_t bytes = base ? base->bytes : 0;

	bytes += strlen((const char *)label->key) + strlen((const char *)label->value) + 2;
	return kmalloc_size_roundup(struct_size(set, text, ALIGN(bytes, 8)));
}

static void free_set(struct pprof_label_sets *labels, struct pprof_label_set *set, size_t bytes)
{
	labels->bytes -= bytes;
	pprof_quota_uncharge(labels->quota, bytes);
	kfree(set);
}

static struct hlist_head *bucket_of(struct pprof_label_sets *labels,
				    const struct pprof_label_set *set)
{
	u64 hash = 0;

	for (u32 i = 0; i < set->bytes; i++)
		hash = (hash ^ set->text[i]) * GOLDEN_RATIO_64;
	return &labels->buckets[hash_64(hash, PPROF_LABEL_SETS_BUCKET_BITS)];
}

static struct pprof_label_set *find_equal(const struct hlist_head *bucket,
					  const struct pprof_label_set *set)
{
	struct pprof_label_set *other;

	hlist_for_each_entry(other, bucket, node)
		if (other->bytes == set->bytes && !memcmp(other->text, set->text, set->bytes))
			return other;
	return NULL;
}

/* A reader that sees the number sees the set. */
static int publish(struct pprof_label_sets *labels, struct pprof_label_set *set)
{
	u32 i = labels->nr;
	struct pprof_label_set ***chunk = &labels->chunks[i / PPROF_LABEL_SETS_CHUNK];
	int err;

	if (i == PPROF_MAX_LABEL_SETS)
		return -ENOSPC;
	if (!*chunk)
		*chunk = alloc(labels, PPROF_LABEL_SETS_CHUNK * sizeof(**chunk), &err);
	if (!*chunk)
		return err;
	set->id = labels->first + i + 1;
	(*chunk)[i % PPROF_LABEL_SETS_CHUNK] = set;
	smp_store_release(&labels->nr, i + 1);	/* pairs with pprof_label_sets_find() */
	return 0;
}

/* Returns: 0: @labels owns @set; 1: an equal set exists; or a negative errno. */
static int intern(struct pprof_label_sets *labels, struct pprof_label_set *set, u32 *number)
{
	struct hlist_head *bucket = bucket_of(labels, set);
	struct pprof_label_set *equal = find_equal(bucket, set);
	int err = 1;

	if (!equal)
		err = publish(labels, set);
	if (!err)
		hlist_add_head(&set->node, bucket);
	if (err >= 0)
		*number = number_of(equal ? equal->id : set->id);
	return err;
}

static int add(struct pprof_label_sets *labels, const struct pprof_label_set *base,
	       struct pprof_label *label)
{
	size_t bytes = set_bytes(base, label);
	struct pprof_label_set *set;
	int err;

	set = alloc(labels, bytes, &err);
	if (!set)
		return err;
	err = -E2BIG;
	if (merge(set, base, label) <= PPROF_MAX_LABELS && set->bytes <= PPROF_MAX_LABEL_BYTES)
		err = intern(labels, set, &label->set);
	if (err)
		free_set(labels, set, bytes);
	return min(err, 0);
}

bool pprof_label_is_valid(const struct pprof_label *label)
{
	return pprof_custom_name_is_valid(label->key) &&
	       is_padded(label->value, sizeof(label->value));
}

int pprof_label_sets_add(struct pprof_label_sets *labels, struct pprof_label *label)
{
	const struct pprof_label_set *base = NULL;

	if (label->set) {
		base = pprof_label_sets_find(labels, label->set);
		if (!base)
			return -ENOENT;
	}
	return add(labels, base, label);
}

void pprof_label_sets_fini(struct pprof_label_sets *labels)
{
	for (u32 i = 0; i < labels->nr; i++) {
		kfree(labels->chunks[i / PPROF_LABEL_SETS_CHUNK][i % PPROF_LABEL_SETS_CHUNK]);
		cond_resched();
	}
	for (u32 i = 0; i < PPROF_LABEL_SETS_CHUNKS; i++)
		kfree(labels->chunks[i]);
}
