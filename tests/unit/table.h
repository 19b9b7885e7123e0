/* SPDX-License-Identifier: GPL-2.0 */
/* Reads unwind tables, and checks that they follow uapi/pprof_table.h. */
#ifndef TESTS_TABLE_H
#define TESTS_TABLE_H

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "pprof_table.h"

struct table {
	const struct pprof_table_head *head;
	const struct pprof_rule *rules;
	const uint32_t *pages;
	const struct pprof_row *rows;
};

static inline void assert_only(const struct pprof_rule *r, const struct pprof_rule *used)
{
	if (memcmp(r, used, sizeof(*r)))
		fail_msg("a rule of kind %u has fields that it does not use", r->cfa);
}

/* The fields that this kind of rule does not use must be zero. */
static inline void assert_rule(const struct pprof_rule *r, bool follows_base)
{
	struct pprof_rule used = *r;

	assert_in_range(r->cfa, 0, PPROF_NR_CFA - 1);
	assert_in_range(r->fp, 0, PPROF_NR_FP - 1);
	if (r->cfa != PPROF_CFA_REG && r->cfa != PPROF_CFA_CLONE)
		used.reg = 0;
	if (r->cfa != PPROF_CFA_PLT && r->cfa != PPROF_CFA_DEREF_SP &&
	    r->cfa != PPROF_CFA_DEREF_FP)
		used.cfa_add = 0;
	if (r->fp != PPROF_FP_SAVED)
		used.fp_offset = 0;
	if (!follows_base)
		used.base_offset = 0;
	if (r->cfa == PPROF_CFA_NONE || r->cfa == PPROF_CFA_END ||
	    r->cfa == PPROF_CFA_UNSUPPORTED || r->cfa == PPROF_CFA_FRAME_POINTER)
		used = (struct pprof_rule){ .cfa = r->cfa };
	if (r->cfa == PPROF_CFA_SIGNAL)
		used = (struct pprof_rule){ .cfa = r->cfa, .cfa_offset = r->cfa_offset };
	if (r->cfa == PPROF_CFA_BASE)
		assert_true(follows_base);
	assert_true(r->ra <= PPROF_REG_RA && r->reg <= 15);
	assert_only(r, &used);
}

static inline void assert_page(const struct table *t, uint32_t page)
{
	assert_true(t->pages[page] <= t->pages[page + 1]);
	for (uint32_t i = t->pages[page] + 1; i < t->pages[page + 1]; i++)
		assert_true(t->rows[i - 1].low < t->rows[i].low);
}

static inline unsigned int table_code(const struct table *t, uint32_t row)
{
	return t->rows[row].rule[0] + 256U * t->rows[row].rule[1];
}

static inline struct pprof_rule table_plain_rule(unsigned int code)
{
	int saved = code / 4096 % 8, words = code % 4096;

	if (saved == 1 && words != PPROF_CFA_FP)
		return (struct pprof_rule){ .cfa = words };
	if (saved == 1)
		return (struct pprof_rule){
			.cfa = PPROF_CFA_FP, .cfa_offset = 16, .ra = PPROF_REG_RA,
			.fp = PPROF_FP_SAVED, .fp_offset = -16,
		};
	return (struct pprof_rule){
		.cfa = PPROF_CFA_SP, .cfa_offset = words * 8, .ra = PPROF_REG_RA,
		.fp = saved ? PPROF_FP_SAVED : PPROF_FP_SAME, .fp_offset = saved * -8,
	};
}

/* Returns the rule of a row. */
static inline struct pprof_rule table_rule(const struct table *t, uint32_t row)
{
	unsigned int code = table_code(t, row);

	return code & PPROF_ROW_PLAIN ? table_plain_rule(code) : t->rules[code];
}

static inline bool table_is_plain(unsigned int code)
{
	unsigned int words = code % 4096;

	if (code / 4096 % 8 != 1)
		return words > 0;
	return words == PPROF_CFA_NONE || words == PPROF_CFA_END || words == PPROF_CFA_FP ||
	       words == PPROF_CFA_UNSUPPORTED || words == PPROF_CFA_FRAME_POINTER;
}

static inline bool table_has_rule(const struct table *t, uint32_t row)
{
	unsigned int code = table_code(t, row);

	return code & PPROF_ROW_PLAIN ? table_is_plain(code) : code < t->head->nr_rules;
}

/* The rule must not be one that rows can hold as a plain rule. */
static inline void assert_not_plain(const struct pprof_rule *r)
{
	int words = r->cfa == PPROF_CFA_SP ? r->cfa_offset / 8 : r->cfa;
	int saved = r->cfa == PPROF_CFA_SP ? r->fp_offset / -8 : 1;
	struct pprof_rule plain;

	if (words < 0 || words > 4095 || saved < 0 || saved > 7 ||
	    !table_is_plain(4096 * saved + words))
		return;
	plain = table_plain_rule(4096 * saved + words);
	assert_memory_not_equal(r, &plain, sizeof(plain));
}

/* No two rules are equal, no rule is plain, and no two neighbouring rows have the same rule. */
static inline void assert_no_waste(const struct table *t)
{
	for (uint32_t i = 0; i < t->head->nr_rules; i++) {
		assert_not_plain(&t->rules[i]);
		for (uint32_t k = 0; k < i; k++)
			assert_memory_not_equal(&t->rules[i], &t->rules[k], sizeof(*t->rules));
	}
	for (uint32_t i = 1; i < t->head->nr_rows; i++)
		assert_int_not_equal(table_code(t, i), table_code(t, i - 1));
}

/* Opens a table and checks all of it. The caller keeps the bytes until t is no longer used. */
static inline void table_open(struct table *t, const void *table, size_t bytes)
{
	const struct pprof_table_head *h = table;
	const uint8_t *end;

	assert_true(bytes >= sizeof(*h));
	t->head = h;
	t->rules = (const void *)(h + 1);
	t->pages = (const void *)(t->rules + h->nr_rules);
	t->rows = (const void *)(t->pages + h->nr_pages + 1);
	end = (const void *)(t->rows + h->nr_rows);

	assert_int_equal(h->magic, PPROF_TABLE_MAGIC);
	assert_int_equal(h->bytes, bytes);
	assert_int_equal(bytes, (end - (const uint8_t *)table + 7) / 8 * 8);
	assert_int_equal(h->start % PPROF_TABLE_PAGE_BYTES, 0);
	assert_true(h->nr_pages && h->nr_rows);
	assert_true(h->nr_rules <= PPROF_TABLE_MAX_RULES);
	assert_int_equal(h->machine, EM_X86_64);
	assert_int_equal(h->flags & ~PPROF_TABLE_BASE, 0);
	for (uint32_t i = 0; i < h->nr_rules; i++)
		assert_rule(&t->rules[i], h->flags & PPROF_TABLE_BASE);
	assert_int_equal(t->pages[0], 0);
	assert_int_equal(t->pages[h->nr_pages], h->nr_rows);
	assert_int_equal(t->rows[0].low, 0);
	assert_true(t->pages[1] > 0);
	for (uint32_t page = 0; page < h->nr_pages; page++)
		assert_page(t, page);
	for (uint32_t i = 0; i < h->nr_rows; i++)
		assert_true(table_has_rule(t, i));
	for (; end < (const uint8_t *)table + bytes; end++)
		assert_int_equal(*end, 0);
	assert_no_waste(t);
}

/* Returns the rule for the byte at a file offset, or PPROF_CFA_NONE beyond the table. */
static inline struct pprof_rule table_find(const struct table *t, uint64_t offset)
{
	uint64_t at = offset - t->head->start, page = at / PPROF_TABLE_PAGE_BYTES;
	uint32_t row;

	if (page >= t->head->nr_pages)
		return (struct pprof_rule){ .cfa = PPROF_CFA_NONE };
	row = t->pages[page];
	while (row < t->pages[page + 1] && t->rows[row].low <= at % PPROF_TABLE_PAGE_BYTES)
		row++;
	return table_rule(t, row - 1);
}

/* True if a row begins at this file offset. */
static inline bool table_has_row(const struct table *t, uint64_t offset)
{
	uint64_t at = offset - t->head->start, page = at / PPROF_TABLE_PAGE_BYTES;

	if (page >= t->head->nr_pages)
		return false;
	for (uint32_t row = t->pages[page]; row < t->pages[page + 1]; row++)
		if (t->rows[row].low == at % PPROF_TABLE_PAGE_BYTES)
			return true;
	return false;
}

#endif /* TESTS_TABLE_H */
