/* SPDX-License-Identifier: GPL-2.0 */
/* The profiles that a process keeps itself: names, values, and their stacks. */
#ifndef PPROF_CUSTOM_H
#define PPROF_CUSTOM_H

#include <linux/list.h>
#include <linux/types.h>

#include "uapi/pprof.h"

struct pprof_quota;

struct pprof_custom_entry {
	struct hlist_node node;		/* by profile and value */
	struct list_head of_profile;	/* by rising serial */
	u32 profile;
	u64 serial;
	struct pprof_custom_value value;	/* last: it has a tail */
};

/* All of a process. Zeroed is empty, but for the quota. The caller serializes all calls. */
struct pprof_customs {
	struct pprof_quota *quota;	/* what is allocated is taken from it; borrowed */
	struct {
		u8 name[PPROF_CUSTOM_NAME_BYTES];
		struct list_head entries;
		u64 count;
	} *profiles;	/* room for PPROF_MAX_CUSTOM_PROFILES; NULL: there are none */
	u32 nr_profiles;
	struct hlist_head *buckets;
	u32 nr_buckets;	/* 0, or a power of two */
	u32 nr_values;
	u32 nr_frames;
	u64 last_serial;
};

/* Is it a name as pprof.h says? */
bool pprof_custom_name_is_valid(const u8 *name);

/* A number below nr_profiles; -ENOENT. */
int pprof_custom_find(const struct pprof_customs *customs, const u8 *name);

/* May sleep. @name is valid. -EEXIST; -ENOSPC, also of the quota; -ENOMEM. */
int pprof_custom_new(struct pprof_customs *customs, const u8 *name);

/*
 * Room for a value with so many frames, which the caller fills. May sleep, needs no
 * lock. ERR_PTR: -ENOSPC of the quota, -ENOMEM.
 */
struct pprof_custom_entry *pprof_custom_alloc(struct pprof_quota *quota, u32 nr_frames);
void pprof_custom_free(struct pprof_quota *quota, struct pprof_custom_entry *entry);

/*
 * Adds what pprof_custom_alloc() gave to @profile, and owns it then. May sleep.
 * -EEXIST, -ENOSPC, -ENOMEM: it is still the caller's.
 */
int pprof_custom_add(struct pprof_customs *customs, u32 profile, struct pprof_custom_entry *entry);

/* If it is not there, that is fine. */
void pprof_custom_remove(struct pprof_customs *customs, u32 profile, u64 value);

/*
 * Writes the values of @profile whose serials are from @next to @until, as many as
 * @bytes hold. Returns how many bytes they take; @next: the first that is not told,
 * 0 if all are. With a @next of 0, @until becomes the last that there is: who adds
 * faster than is read does not keep the reader for ever.
 */
u32 pprof_custom_copy(const struct pprof_customs *customs, u32 profile, void *to, u32 bytes,
		      u64 *next, u64 *until);

/* Frees all there is. May sleep. */
void pprof_custom_clear(struct pprof_customs *customs);

#endif
