// SPDX-License-Identifier: GPL-2.0
#include "client/custom_profiles.h"

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/user_quota.h"

#define MIN_BUCKETS	64

/* Names */

/*
 * Decodes one character of UTF-8 (RFC 3629) at @s, which ends with a NUL.
 * Returns: its length in bytes, or 0: not valid.
 */
static u32 decode(const u8 *s, u32 *rune)
{
	static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	u32 nr = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;

	if (s[0] >= 0xf8 || (s[0] >= 0x80 && s[0] < 0xc0))
		return 0;
	*rune = nr == 1 ? s[0] : s[0] & (0x7f >> nr);
	for (u32 i = 1; i < nr; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*rune = *rune << 6 | (s[i] & 0x3f);
	}
	if (*rune < least[nr] || *rune > 0x10ffff || (*rune >= 0xd800 && *rune < 0xe000))
		return 0;
	return nr;
}

/* Does the character look the same wherever a name is printed and read again? */
static bool is_printable(u32 rune)
{
	static const struct {
		u32 first, last;
	} refused[] = {
		{ 0, ' ' }, { '"', '"' }, { ',', ',' }, { '\\', '\\' }, { 0x7f, 0xa0 },
		{ 0xad, 0xad }, { 0x61c, 0x61c }, { 0x1680, 0x1680 }, { 0x180e, 0x180e },
		{ 0x2000, 0x200f }, { 0x2028, 0x202f }, { 0x205f, 0x206f }, { 0x3000, 0x3000 },
		{ 0xfeff, 0xfeff }, { 0xfff9, 0xffff }, { 0xe0000, 0x10ffff },
	};

	for (u32 i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (rune >= refused[i].first && rune <= refused[i].last)
			return false;
	return true;
}

bool pprof_custom_name_is_valid(const u8 *name)
{
	u32 at = 0, rune, nr;

	if (name[PPROF_CUSTOM_NAME_BYTES - 1])
		return false;
	for (; name[at]; at += nr) {
		nr = decode(name + at, &rune);
		if (!nr || !is_printable(rune))
			return false;
	}
	if (!at)
		return false;
	for (; at < PPROF_CUSTOM_NAME_BYTES; at++)
		if (name[at])
			return false;
	return true;
}

/* Names of built-in profile types, which --profile and Go know, are refused. */
static bool is_builtin_type(const u8 *name)
{
	static const char * const types[] = {
		"all", "allocs", "block", "cpu", "growth", "heap", "mutex", "thread",
		"threadcreate", "wall",
	};

	for (u32 i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp((const char *)name, types[i]))
			return true;
	return false;
}

int pprof_custom_find(const struct pprof_custom_profiles *customs, const u8 *name)
{
	for (u32 i = 0; i < customs->nr_profiles; i++)
		if (!memcmp(customs->profiles[i].name, name, PPROF_CUSTOM_NAME_BYTES))
			return i;
	return -ENOENT;
}

/* Returns: the array, or an ERR_PTR: -ENOSPC, -ENOMEM. */
static void *alloc_array(struct pprof_quota *quota, u32 nr, size_t size)
{
	void *array;

	if (!pprof_quota_charge(quota, nr * size))
		return ERR_PTR(-ENOSPC);
	array = kvcalloc(nr, size, GFP_KERNEL_ACCOUNT);
	if (array)
		return array;
	pprof_quota_uncharge(quota, nr * size);
	return ERR_PTR(-ENOMEM);
}

static void free_array(struct pprof_quota *quota, void *array, u32 nr, size_t size)
{
	if (!array)
		return;
	kvfree(array);
	pprof_quota_uncharge(quota, nr * size);
}

static int make_room(struct pprof_custom_profiles *customs)
{
	void *room;

	if (customs->profiles)
		return 0;
	room = alloc_array(customs->quota, PPROF_MAX_CUSTOM_PROFILES, sizeof(*customs->profiles));
	if (IS_ERR(room))
		return PTR_ERR(room);
	customs->profiles = room;
	return 0;
}

int pprof_custom_new(struct pprof_custom_profiles *customs, const u8 *name)
{
	u32 nr = customs->nr_profiles;
	int err;

	if (is_builtin_type(name) || pprof_custom_find(customs, name) >= 0)
		return -EEXIST;
	if (nr == PPROF_MAX_CUSTOM_PROFILES)
		return -ENOSPC;
	err = make_room(customs);
	if (err)
		return err;
	memcpy(customs->profiles[nr].name, name, PPROF_CUSTOM_NAME_BYTES);
	INIT_LIST_HEAD(&customs->profiles[nr].entries);
	customs->nr_profiles++;
	return 0;
}

/* Values */

/* The size as the allocator rounds it. */
static size_t entry_bytes(u32 nr_frames)
{
	const struct pprof_custom_entry *entry;

	return kmalloc_size_roundup(struct_size(entry, value.frames, nr_frames));
}

struct pprof_custom_entry *pprof_custom_alloc(struct pprof_quota *quota, u32 nr_frames)
{
	size_t bytes = entry_bytes(nr_frames);
	struct pprof_custom_entry *entry;

	if (!pprof_quota_charge(quota, bytes))
		return ERR_PTR(-ENOSPC);
	entry = kzalloc(bytes, GFP_KERNEL_ACCOUNT);
	if (!entry) {
		pprof_quota_uncharge(quota, bytes);
		return ERR_PTR(-ENOMEM);
	}
	entry->value.nr_frames = nr_frames;
	return entry;
}

void pprof_custom_free(struct pprof_quota *quota, struct pprof_custom_entry *entry)
{
	pprof_quota_uncharge(quota, entry_bytes(entry->value.nr_frames));
	kfree(entry);
}

static struct hlist_head *bucket_of(const struct pprof_custom_profiles *customs, u32 profile,
				    u64 value)
{
	u64 hash = siphash_2u64(value, profile, &customs->key);

	return &customs->buckets[hash & (customs->nr_buckets - 1)];
}

static struct pprof_custom_entry *find_value(const struct pprof_custom_profiles *customs,
					     u32 profile, u64 value)
{
	struct pprof_custom_entry *entry;

	if (!customs->nr_buckets)
		return NULL;
	hlist_for_each_entry(entry, bucket_of(customs, profile, value), node)
		if (entry->profile == profile && entry->value.value == value)
			return entry;
	return NULL;
}

/* There are at least as many buckets as values. So chains are short, on average. */
static int grow(struct pprof_custom_profiles *customs)
{
	u32 nr = customs->nr_buckets ? 2 * customs->nr_buckets : MIN_BUCKETS;
	struct pprof_custom_entry *entry;
	struct hlist_head *buckets;

	if (customs->nr_values < customs->nr_buckets)
		return 0;
	buckets = alloc_array(customs->quota, nr, sizeof(*buckets));
	if (IS_ERR(buckets))
		return PTR_ERR(buckets);
	free_array(customs->quota, customs->buckets, customs->nr_buckets, sizeof(*buckets));
	customs->buckets = buckets;
	customs->nr_buckets = nr;
	for (u32 i = 0; i < customs->nr_profiles; i++)
		list_for_each_entry(entry, &customs->profiles[i].entries, of_profile)
			hlist_add_head(&entry->node, bucket_of(customs, i, entry->value.value));
	return 0;
}

int pprof_custom_add(struct pprof_custom_profiles *customs, u32 profile,
		     struct pprof_custom_entry *entry)
{
	int err;

	if (find_value(customs, profile, entry->value.value))
		return -EEXIST;
	if (customs->nr_values == PPROF_MAX_CUSTOM_VALUES ||
	    entry->value.nr_frames > PPROF_MAX_CUSTOM_FRAMES - customs->nr_frames)
		return -ENOSPC;
	err = grow(customs);
	if (err)
		return err;
	entry->profile = profile;
	entry->serial = ++customs->last_serial;
	hlist_add_head(&entry->node, bucket_of(customs, profile, entry->value.value));
	list_add_tail(&entry->of_profile, &customs->profiles[profile].entries);
	customs->profiles[profile].count++;
	customs->nr_values++;
	customs->nr_frames += entry->value.nr_frames;
	return 0;
}

void pprof_custom_remove(struct pprof_custom_profiles *customs, u32 profile, u64 value)
{
	struct pprof_custom_entry *entry = find_value(customs, profile, value);

	if (!entry)
		return;
	hlist_del(&entry->node);
	list_del(&entry->of_profile);
	customs->profiles[profile].count--;
	customs->nr_values--;
	customs->nr_frames -= entry->value.nr_frames;
	pprof_custom_free(customs->quota, entry);
}

u32 pprof_custom_copy(const struct pprof_custom_profiles *customs, u32 profile, void *to, u32 bytes,
		      u64 *next, u64 *until)
{
	const struct pprof_custom_entry *entry;
	u32 written = 0, size;

	if (!*next)
		*until = customs->last_serial;
	list_for_each_entry(entry, &customs->profiles[profile].entries, of_profile) {
		if (entry->serial < *next)
			continue;
		if (entry->serial > *until)
			break;
		size = struct_size(&entry->value, frames, entry->value.nr_frames);
		if (size > bytes - written) {
			*next = entry->serial;
			return written;
		}
		memcpy((u8 *)to + written, &entry->value, size);
		written += size;
	}
	*next = 0;
	return written;
}

void pprof_custom_clear(struct pprof_custom_profiles *customs)
{
	struct pprof_quota *quota = customs->quota;
	struct pprof_custom_entry *entry, *after;

	for (u32 i = 0; i < customs->nr_profiles; i++)
		list_for_each_entry_safe(entry, after, &customs->profiles[i].entries, of_profile) {
			pprof_custom_free(quota, entry);
			cond_resched();
		}
	free_array(quota, customs->buckets, customs->nr_buckets, sizeof(*customs->buckets));
	free_array(quota, customs->profiles, PPROF_MAX_CUSTOM_PROFILES, sizeof(*customs->profiles));
	*customs = (struct pprof_custom_profiles) { .quota = quota };
}
