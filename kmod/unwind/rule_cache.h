/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rules that were used last, by address: most steps of a walk need no more
 * than a look in here. Only those that the walk takes in stride are kept.
 */
#ifndef PPROF_RULECACHE_H
#define PPROF_RULECACHE_H

#include <linux/types.h>

#include "uapi/pprof_table.h"

#define PPROF_RULECACHE_BITS	9

/* What can be kept, as it adds to a space's key. */
#define PPROF_CACHED_RSP	0	/* CFA: rsp + offset; rbp: unchanged */
#define PPROF_CACHED_RSP_SAVED	1	/* CFA: rsp + offset; rbp: saved */
#define PPROF_CACHED_RBP	2	/* CFA: rbp + 16; rbp: saved at rbp */
#define PPROF_CACHED_END	3	/* no caller */
#define PPROF_CACHED_BITS	3

struct pprof_rulecache_entry {
	u64 after;	/* the address after that of the rule: most are return addresses */
	u32 key;	/* the space's + PPROF_CACHED_* */
	s16 cfa_offset;	/* from rsp: a multiple of 8 from 8 on */
	s16 rbp_offset;	/* saved: a multiple of 8 up to -16 */
} __aligned(16);

/* An address may be in either: two of a stack that fall together both stay. */
struct pprof_rulecache_set {
	struct pprof_rulecache_entry entries[2];
};

/* All zeroes is an empty one. Of one CPU: used with interrupts off. */
struct pprof_rulecache {
	struct pprof_rulecache_set sets[1U << PPROF_RULECACHE_BITS];
	u64 era;	/* the epochs' high bits, which no key has room for */
};

/*
 * The key of the space of @epoch: entries of others won't match it, nor do empty
 * ones. Every 2^29 epochs all entries go.
 */
u32 pprof_rulecache_key(struct pprof_rulecache *cache, u64 epoch);

/*
 * Where an address has its place. Multiplying spreads addresses better than
 * their low bits do: a third fewer misses in a large program.
 */
static inline struct pprof_rulecache_set *pprof_rulecache_set(struct pprof_rulecache *cache,
							      u64 after)
{
	return &cache->sets[(u32)after * 2654435769U >> (32 - PPROF_RULECACHE_BITS)];
}

/* Keeps @rule, of a table without rbx, if it is one of the above. */
void pprof_rulecache_put(struct pprof_rulecache *cache, u32 key, u64 after,
			 const struct pprof_rule *rule);

#endif
