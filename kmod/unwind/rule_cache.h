/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A cache of the rules that were used last, by address. Most steps of a walk need nothing else. It
 * keeps only the rules that the fast path of the walk can apply.
 */
#ifndef PPROF_RULE_CACHE_H
#define PPROF_RULE_CACHE_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "uapi/pprof_table.h"

#define PPROF_RULE_CACHE_BITS	9

/* The kinds of rules that the cache keeps. An entry adds the kind to the key. */
#define PPROF_CACHED_SP		0	/* CFA: sp + offset; fp: unchanged */
#define PPROF_CACHED_SP_SAVED	1	/* CFA: sp + offset; fp: saved */
#define PPROF_CACHED_FP		2	/* CFA: fp + 16; fp: saved at fp */
#define PPROF_CACHED_END	3	/* no caller */
#define PPROF_CACHED_BITS	3

struct pprof_rule_cache_entry {
	/* One past the byte whose rule it is: a return address, or an interrupted PC plus one */
	u64 after;
	u32 key;	/* pprof_rule_cache_key() + PPROF_CACHED_* */
	s16 cfa_offset;	/* from sp: a multiple of 8, at least 8 */
	s16 fp_offset;	/* if saved: a multiple of 8, at most -16 */
} __aligned(16);

/* An address may be in either entry. Two addresses of one stack with the same hash both stay. */
struct pprof_rule_cache_set {
	struct pprof_rule_cache_entry entries[2];
};

/* The cache of one CPU, used with interrupts off. All zeroes is an empty cache. */
struct pprof_rule_cache {
	struct pprof_rule_cache_set sets[1U << PPROF_RULE_CACHE_BITS];
	u64 era;	/* the high bits of the epochs, for which a key has no room */
};

/*
 * Clears the cache, for another span of epochs.
 * Context: interrupts off, @cache is this CPU's.
 */
void pprof_rule_cache_begin_era(struct pprof_rule_cache *cache, u64 era);

/*
 * Returns the key of the ranges with @epoch. No entry of other ranges matches it, and no empty
 * entry. The cache is cleared when @epoch enters another span of 2^29 epochs.
 * Context: interrupts off, @cache is this CPU's.
 */
static inline u32 pprof_rule_cache_key(struct pprof_rule_cache *cache, u64 epoch)
{
	u64 era = epoch >> (32 - PPROF_CACHED_BITS);

	if (unlikely(cache->era != era))
		pprof_rule_cache_begin_era(cache, era);
	return ((u32)epoch << PPROF_CACHED_BITS) + 1;
}

/*
 * Returns the set of an address. The product spreads addresses better than their low bits do: in a
 * large program a third fewer lookups miss.
 * Context: any.
 */
static inline struct pprof_rule_cache_set *pprof_rule_cache_set(struct pprof_rule_cache *cache,
								u64 after)
{
	return &cache->sets[(u32)after * 2654435769U >> (32 - PPROF_RULE_CACHE_BITS)];
}

/*
 * Keeps @rule if it is of a kind above. Its table must not have PPROF_TABLE_BASE: the fast path
 * does not follow the base pointer.
 * Context: interrupts off, @cache is this CPU's.
 */
void pprof_rule_cache_put(struct pprof_rule_cache *cache, u32 key, u64 after,
			  const struct pprof_rule *rule);

#endif
