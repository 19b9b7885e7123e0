/* SPDX-License-Identifier: GPL-2.0 */
/* The custom profiles of a process: names, values, and their stacks. */
#ifndef PPROF_CUSTOM_PROFILES_H
#define PPROF_CUSTOM_PROFILES_H

#include <linux/list.h>
#include <linux/siphash.h>
#include <linux/types.h>

#include "uapi/pprof.h"

struct pprof_quota;

struct pprof_custom_entry {
	struct hlist_node node;		/* by profile and value */
	struct list_head of_profile;	/* by rising serial */
	u32 profile;			/* index in pprof_custom_profiles.profiles */
	u64 serial;			/* values of a process are numbered as they are added */
	struct pprof_custom_value value;	/* last: it has a flexible array */
};

/*
 * All profiles of a process. A zeroed one is empty, but needs its quota and a random key.
 * Locks: the caller serializes all calls.
 */
struct pprof_custom_profiles {
	struct pprof_quota *quota;	/* all allocations are charged to it; borrowed */
	struct {
		u8 name[PPROF_CUSTOM_NAME_BYTES];
		struct list_head entries;
		u64 count;
	} *profiles;	/* room for PPROF_MAX_CUSTOM_PROFILES; NULL: there are none */
	u32 nr_profiles;
	siphash_key_t key;	/* a program must not choose values that share a bucket */
	struct hlist_head *buckets;
	u32 nr_buckets;	/* 0, or a power of two */
	u32 nr_values;	/* of all profiles */
	u32 nr_frames;	/* of all values */
	u64 last_serial;
};

/*
 * Is @name, of PPROF_CUSTOM_NAME_BYTES, a name by the rules of pprof.h?
 * Context: any.
 */
bool pprof_custom_name_is_valid(const u8 *name);

/* Returns: the index of the profile, or -ENOENT. */
int pprof_custom_find(const struct pprof_custom_profiles *customs, const u8 *name);

/*
 * Makes a profile. @name is valid.
 * Returns: 0, or an error.
 * - -EEXIST: it exists, or it is a built-in profile type.
 * - -ENOSPC: too many profiles, or over the quota.
 * - -ENOMEM.
 * Sleeps.
 */
int pprof_custom_new(struct pprof_custom_profiles *customs, const u8 *name);

/*
 * Allocates an entry with room for @nr_frames frames. The caller fills and owns it, and frees it by
 * pprof_custom_free().
 * Locks: none are needed.
 * Returns: the entry, or an ERR_PTR: -ENOSPC of the quota, -ENOMEM.
 * Sleeps.
 */
struct pprof_custom_entry *pprof_custom_alloc(struct pprof_quota *quota, u32 nr_frames);
void pprof_custom_free(struct pprof_quota *quota, struct pprof_custom_entry *entry);

/*
 * Adds an entry of pprof_custom_alloc() to @profile. On success @customs owns it. On an error the
 * caller still owns it.
 * Returns: 0, -EEXIST, -ENOSPC or -ENOMEM.
 * Sleeps.
 */
int pprof_custom_add(struct pprof_custom_profiles *customs, u32 profile,
		     struct pprof_custom_entry *entry);

/* Removes and frees a value. A value that is not there is no error. */
void pprof_custom_remove(struct pprof_custom_profiles *customs, u32 profile, u64 value);

/*
 * Copies the values of @profile with serials from *next to *until, as many as @bytes hold. Sets
 * *next to the first serial that was not copied, or to 0: all were copied.
 *
 * If *next is 0, the function sets *until to the last serial that exists. So the reader does not
 * read for ever if a process adds values faster than they are read.
 * Returns: the bytes that were written.
 */
u32 pprof_custom_copy(const struct pprof_custom_profiles *customs, u32 profile, void *to, u32 bytes,
		      u64 *next, u64 *until);

/*
 * Frees all profiles and values. Keeps the quota.
 * Sleeps.
 */
void pprof_custom_clear(struct pprof_custom_profiles *customs);

#endif
