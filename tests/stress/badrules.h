/* SPDX-License-Identifier: GPL-2.0 */
/* Makes random rows of unwind tables. The module takes most of them: see uapi/pprof_table.h. */
#ifndef BADRULES_H
#define BADRULES_H

#include "maketable.h"
#include "random.h"

#define MAX_ROWS	100U
#define SOME_PAGES	256U	/* of PPROF_TABLE_PAGE_BYTES; enough for MAX_ROWS rows */

static inline int is_for_caller(unsigned int cfa)
{
	return cfa == PPROF_CFA_CLONE || cfa == PPROF_CFA_OTHER_STACK ||
	       (cfa >= PPROF_CFA_SP && cfa <= PPROF_CFA_REG && cfa != PPROF_CFA_SIGNAL);
}

static inline int32_t some_displacement(uint64_t *random)
{
	return random_one_in(random, 8) ? random_odd(random) : 8 * random_below(random, 64) - 64;
}

static inline struct pprof_rule some_rule(uint64_t *random)
{
	struct pprof_rule rule = { .cfa = random_below(random, PPROF_NR_CFA) };

	if (is_for_caller(rule.cfa)) {
		rule.ra = random_one_in(random, 4) ? random_below(random, PPROF_REG_RA) :
						     PPROF_REG_RA;
		rule.fp = random_below(random, PPROF_NR_FP);
		rule.fp_offset = rule.fp == PPROF_FP_SAVED ? some_displacement(random) : 0;
		rule.base_offset = random_one_in(random, 4) ? some_displacement(random) : 0;
	}
	if (is_for_caller(rule.cfa) || rule.cfa == PPROF_CFA_SIGNAL)
		rule.cfa_offset = some_displacement(random);
	if (rule.cfa == PPROF_CFA_REG || rule.cfa == PPROF_CFA_CLONE)
		rule.reg = random_below(random, 16);
	if (rule.cfa == PPROF_CFA_PLT)
		rule.cfa_add = random_below(random, 17);
	if (rule.cfa == PPROF_CFA_DEREF_SP || rule.cfa == PPROF_CFA_DEREF_FP)
		rule.cfa_add = some_displacement(random);
	return rule;
}

/* Fills rows with offsets from 0 on. Returns their number, at most MAX_ROWS. */
static inline uint32_t fill_rows(uint64_t *random, struct row *rows)
{
	uint32_t nr = 1 + random_below(random, MAX_ROWS), offset = 0;

	for (uint32_t i = 0; i < nr; i++) {
		rows[i] = (struct row) { offset, some_rule(random) };
		offset += 1 + random_below(random, random_one_in(random, 4) ? 600 : 40);
	}
	return nr;
}

#endif
