// SPDX-License-Identifier: GPL-2.0
#include "unwind/rule_cache.h"

#include <linux/limits.h>
#include <linux/string.h>

#define NONE		-1

void pprof_rule_cache_begin_era(struct pprof_rule_cache *cache, u64 era)
{
	memset(cache->sets, 0, sizeof(cache->sets));
	cache->era = era;
}

static int kind_from_fp(const struct pprof_rule *rule)
{
	bool is_frame = rule->cfa_offset == 16 && rule->fp == PPROF_FP_SAVED &&
			rule->fp_offset == -16;

	return is_frame ? PPROF_CACHED_FP : NONE;
}

static int kind_from_sp(const struct pprof_rule *rule)
{
	if (rule->cfa_offset < 8 || rule->cfa_offset > S16_MAX || (rule->cfa_offset & 7))
		return NONE;
	if (rule->fp == PPROF_FP_SAME)
		return PPROF_CACHED_SP;
	if (rule->fp == PPROF_FP_SAVED && rule->fp_offset <= -16 && !(rule->fp_offset & 7))
		return PPROF_CACHED_SP_SAVED;
	return NONE;
}

static int kind_of(const struct pprof_rule *rule)
{
	if (rule->cfa == PPROF_CFA_END)
		return PPROF_CACHED_END;
	if (rule->ra != PPROF_REG_RA)
		return NONE;
	if (rule->cfa == PPROF_CFA_SP)
		return kind_from_sp(rule);
	return rule->cfa == PPROF_CFA_FP ? kind_from_fp(rule) : NONE;
}

void pprof_rule_cache_put(struct pprof_rule_cache *cache, u32 key, u64 after,
			  const struct pprof_rule *rule)
{
	struct pprof_rule_cache_set *set = pprof_rule_cache_set(cache, after);
	int kind = kind_of(rule);

	if (kind == NONE)
		return;
	set->entries[1] = set->entries[0];
	set->entries[0] = (struct pprof_rule_cache_entry) {
		.after = after,
		.key = key + kind,
		.cfa_offset = rule->cfa_offset,
		.fp_offset = rule->fp_offset,
	};
}
