// SPDX-License-Identifier: GPL-2.0
// sources: collector/unwind/table_builder.c
// libs: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <stdlib.h>

#include "fail_alloc.h"
#include "unwind/table_builder.h"
#include "table.h"

static struct pprof_rule rsp(int32_t offset)
{
	return (struct pprof_rule){
		.cfa = PPROF_CFA_SP, .ra = PPROF_REG_RA, .cfa_offset = offset,
	};
}

static void add(struct table_builder *r, uint64_t offset, int32_t cfa_offset)
{
	struct pprof_rule rule = cfa_offset ? rsp(cfa_offset) : (struct pprof_rule){ 0 };

	table_builder_add(r, offset, &rule);
}

/* Ends rows as a table, which is freed with table_free(). */
static void finish(struct table_builder *r, struct table *t)
{
	uint32_t bytes = 0;
	int err = 1;
	void *table = table_builder_finish(r, 0, &bytes, &err);

	assert_int_equal(err, 0);
	table_open(t, table, bytes);
	table_builder_fini(r);
}

static void table_free(struct table *t)
{
	free((void *)t->head);
}

static void assert_rsp(const struct table *t, uint64_t offset, int32_t cfa_offset)
{
	struct pprof_rule rule = table_find(t, offset);

	assert_int_equal(rule.cfa, cfa_offset ? PPROF_CFA_SP : PPROF_CFA_NONE);
	assert_int_equal(rule.cfa_offset, cfa_offset);
}

static void pages(void **state)
{
	struct table_builder r;
	struct table t;

	(void)state;
	assert_int_equal(table_builder_init(&r, 0x1034, 0x1801), 0);
	add(&r, 0x1034, 8);
	add(&r, 0x10ff, 16);
	add(&r, 0x1100, 24);
	add(&r, 0x1101, 8);
	add(&r, 0x1500, 16);
	finish(&r, &t);
	assert_int_equal(t.head->start, 0x1000);
	assert_int_equal(t.head->nr_pages, 9);
	assert_int_equal(t.head->nr_rows, 6);
	assert_rsp(&t, 0xfff, 0);
	assert_rsp(&t, 0x1000, 0);
	assert_rsp(&t, 0x1033, 0);
	assert_rsp(&t, 0x1034, 8);
	assert_rsp(&t, 0x10fe, 8);
	assert_rsp(&t, 0x10ff, 16);
	assert_rsp(&t, 0x1100, 24);
	assert_rsp(&t, 0x1101, 8);
	assert_rsp(&t, 0x14ff, 8);
	assert_rsp(&t, 0x1500, 16);
	assert_rsp(&t, 0x18ff, 16);
	assert_rsp(&t, 0x1900, 0);
	table_free(&t);
}

static void equal_neighbours(void **state)
{
	struct table_builder r;
	struct table t;

	(void)state;
	assert_int_equal(table_builder_init(&r, 0, 0x300), 0);
	add(&r, 0, 8);
	add(&r, 4, 8);
	add(&r, 0x110, 8);
	add(&r, 0x120, 16);
	add(&r, 0x130, 16);
	add(&r, 0x140, 8);
	finish(&r, &t);
	assert_int_equal(t.head->nr_rows, 3);
	assert_rsp(&t, 0x11f, 8);
	assert_rsp(&t, 0x120, 16);
	assert_rsp(&t, 0x140, 8);
	table_free(&t);
}

/* A table begins and ends with pages that have a rule. */
static void nothing_at_the_ends(void **state)
{
	struct table_builder r;
	struct table t;

	(void)state;
	assert_int_equal(table_builder_init(&r, 0x10, 0x100000), 0);
	add(&r, 0x10, 0);
	add(&r, 0x5010, 8);
	add(&r, 0x5020, 0);
	add(&r, 0x6000, 8);
	add(&r, 0x6100, 0);
	finish(&r, &t);
	assert_int_equal(t.head->start, 0x5000);
	assert_int_equal(t.head->nr_pages, 0x11);
	assert_int_equal(t.head->nr_rows, 4);
	assert_rsp(&t, 0x500f, 0);
	assert_rsp(&t, 0x5010, 8);
	assert_rsp(&t, 0x5020, 0);
	assert_rsp(&t, 0x60ff, 8);
	assert_rsp(&t, 0x6100, 0);
	table_free(&t);

	assert_int_equal(table_builder_init(&r, 0x10, 0x100000), 0);
	add(&r, 0x5000, 8);
	add(&r, 0x50f0, 0);
	finish(&r, &t);
	assert_int_equal(t.head->nr_pages, 1);
	assert_int_equal(t.head->nr_rows, 2);
	assert_rsp(&t, 0x50f0, 0);
	table_free(&t);
}

static void nothing_at_all(void **state)
{
	struct table_builder r;
	struct table t;

	(void)state;
	assert_int_equal(table_builder_init(&r, 0x1010, 0x1020), 0);
	add(&r, 0x1010, 0);
	finish(&r, &t);
	assert_int_equal(t.head->nr_pages, 1);
	assert_int_equal(t.head->nr_rows, 1);
	assert_rsp(&t, 0x1010, 0);
	table_free(&t);
}

static void bytes_of_each_kind(void **state)
{
	static const struct pprof_rule end = { .cfa = PPROF_CFA_END };
	struct table_builder r;
	struct table t;

	(void)state;
	assert_int_equal(table_builder_init(&r, 0x10, 0x1000), 0);
	add(&r, 0x20, 8);
	add(&r, 0x120, 0);
	add(&r, 0x220, 16);
	table_builder_add(&r, 0x230, &end);
	add(&r, 0x233, 24);
	finish(&r, &t);
	assert_int_equal(r.bytes[PPROF_CFA_SP], 0x100 + 0x10 + 0x1000 - 0x233);
	assert_int_equal(r.bytes[PPROF_CFA_END], 3);
	table_free(&t);
}

/* Each in its own row, and again: nothing is mixed up. Not one is plain. */
static void many_rules(void **state)
{
	const int32_t nr = PPROF_TABLE_MAX_RULES;
	struct table_builder r;
	struct table t;

	(void)state;
	assert_int_equal(table_builder_init(&r, 0, nr * 2 + 16), 0);
	for (int32_t i = 0; i < nr; i++)
		add(&r, i, 8 * i + 4);
	for (int32_t i = 0; i < nr; i++)
		add(&r, nr + i, 8 * i + 4);
	add(&r, 2 * nr, 8 * nr + 4);
	add(&r, 2 * nr + 1, 12);
	add(&r, 2 * nr + 2, 16);
	finish(&r, &t);
	assert_int_equal(t.head->nr_rules, PPROF_TABLE_MAX_RULES);
	for (int32_t i = 0; i < nr; i++) {
		assert_rsp(&t, i, 8 * i + 4);
		assert_rsp(&t, nr + i, 8 * i + 4);
	}
	assert_int_equal(table_find(&t, 2 * nr).cfa, PPROF_CFA_UNSUPPORTED);
	assert_int_equal(r.bytes[PPROF_CFA_UNSUPPORTED], 1);
	assert_rsp(&t, 2 * nr + 1, 12);
	assert_rsp(&t, 2 * nr + 2, 16);
	table_free(&t);
}

#define SAVED(n, at)							\
	{ .cfa = PPROF_CFA_SP, .cfa_offset = (n), .ra = PPROF_REG_RA,	\
	  .fp = PPROF_FP_SAVED, .fp_offset = (at) }
#define RBP(n, at)							\
	{ .cfa = PPROF_CFA_FP, .cfa_offset = (n), .ra = PPROF_REG_RA,	\
	  .fp = PPROF_FP_SAVED, .fp_offset = (at) }
#define SAME(n)								\
	{ .cfa = PPROF_CFA_SP, .cfa_offset = (n), .ra = PPROF_REG_RA }

/* table_find() must return the rule that table_builder_add() got, in each form of a row. */
static void check_rules(const struct pprof_rule *rules, size_t nr, uint32_t nr_in_dictionary)
{
	struct table_builder r;
	struct table t;

	assert_int_equal(table_builder_init(&r, 0, nr), 0);
	for (size_t i = 0; i < nr; i++)
		table_builder_add(&r, i, &rules[i]);
	finish(&r, &t);
	assert_int_equal(t.head->nr_rules, nr_in_dictionary);
	for (size_t i = 0; i < nr; i++) {
		struct pprof_rule rule = table_find(&t, i);

		assert_memory_equal(&rule, &rules[i], sizeof(rule));
	}
	table_free(&t);
}

/* Up to the limits a rule needs no place of its own; beyond, it does. */
static void plain_rules(void **state)
{
	static const struct pprof_rule plain[] = {
		SAME(8), SAME(4095 * 8), SAVED(16, -16), SAVED(8, -56), SAVED(4095 * 8, -56),
		RBP(16, -16), { .cfa = PPROF_CFA_END }, { .cfa = PPROF_CFA_UNSUPPORTED },
		{ .cfa = PPROF_CFA_FRAME_POINTER }, { .cfa = PPROF_CFA_NONE },
	};
	static const struct pprof_rule others[] = {
		SAME(0), SAME(-8), SAME(12), SAME(4096 * 8), SAME(8 + (1 << 19)), SAVED(16, 0),
		SAVED(16, -4), SAVED(16, -8), SAVED(16, 16), SAVED(16, -20), SAVED(16, -64),
		SAVED(16, -16 - 64), SAVED(4096 * 8, -16), RBP(24, -16), RBP(16, -24),
		{ .cfa = PPROF_CFA_FP, .cfa_offset = 16, .ra = PPROF_REG_RA },
		{ .cfa = PPROF_CFA_SP, .cfa_offset = 8, .ra = 2 },
		{ .cfa = PPROF_CFA_SP, .cfa_offset = 8, .ra = PPROF_REG_RA,
		  .fp = PPROF_FP_LOST },
		{ .cfa = PPROF_CFA_SIGNAL }, { .cfa = PPROF_CFA_PLT, .ra = PPROF_REG_RA },
		{ .cfa = PPROF_CFA_DEREF_FP, .cfa_offset = 16, .ra = PPROF_REG_RA },
	};

	(void)state;
	check_rules(plain, sizeof(plain) / sizeof(*plain), 0);
	check_rules(others, sizeof(others) / sizeof(*others), sizeof(others) / sizeof(*others));
}

/* They differ in one field each. */
static void all_of_a_rule_counts(void **state)
{
	struct pprof_rule rules[] = {
		{ .cfa = 2 }, { .cfa = 2, .reg = 1 }, { .cfa = 2, .ra = 1 }, { .cfa = 2, .fp = 1 },
		{ .cfa = 2, .cfa_offset = 1 }, { .cfa = 2, .cfa_add = 1 },
		{ .cfa = 2, .fp_offset = 1 }, { .cfa = 2, .base_offset = 1 },
	};
	const size_t nr = sizeof(rules) / sizeof(*rules);
	uint32_t bytes;
	struct table_builder r;
	void *table;
	int err;

	(void)state;
	assert_int_equal(table_builder_init(&r, 0, 0x100), 0);
	for (size_t i = 0; i < nr; i++)
		table_builder_add(&r, i, &rules[i]);
	table = table_builder_finish(&r, PPROF_TABLE_BASE, &bytes, &err);
	assert_non_null(table);
	assert_int_equal(r.nr, nr);
	assert_memory_equal((char *)table + sizeof(struct pprof_table_head), rules, sizeof(rules));
	assert_int_equal(((struct pprof_table_head *)table)->flags, PPROF_TABLE_BASE);
	table_builder_fini(&r);
	free(table);
}

static void too_much_text(void **state)
{
	struct table_builder r;

	(void)state;
	assert_int_equal(table_builder_init(&r, 0, 1ULL << 33), -EFBIG);
	table_builder_fini(&r);
	assert_int_equal(table_builder_init(&r, 4096, UINT64_MAX - 1), -EFBIG);
	table_builder_fini(&r);
}

static void too_many_rows(void **state)
{
	const uint64_t nr = PPROF_TABLE_MAX_BYTES / 3;
	uint32_t bytes;
	struct table_builder r;
	int err = 0;

	(void)state;
	assert_int_equal(table_builder_init(&r, 0, nr), 0);
	for (uint64_t i = 0; i < nr; i++)
		add(&r, i, i % 2 * 8 + 8);
	assert_null(table_builder_finish(&r, 0, &bytes, &err));
	assert_int_equal(err, -EFBIG);
	table_builder_fini(&r);
}

static int try_all(void)
{
	uint32_t bytes;
	struct table_builder r;
	void *table;
	int err = table_builder_init(&r, 0, 0x1000);

	for (int i = 0; !err && i < 100; i++)
		add(&r, i, i * 8);
	table = err ? NULL : table_builder_finish(&r, 0, &bytes, &err);
	assert_int_equal(!table, !!err);
	free(table);
	table_builder_fini(&r);
	return err;
}

static void no_memory(void **state)
{
	int err = -ENOMEM, nr;

	(void)state;
	for (nr = 0; err; nr++) {
		allocations_left = nr;
		err = try_all();
		allocations_left = -1;
		if (err)
			assert_int_equal(err, -ENOMEM);
	}
	assert_true(nr > 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages),
		cmocka_unit_test(equal_neighbours),
		cmocka_unit_test(nothing_at_the_ends),
		cmocka_unit_test(nothing_at_all),
		cmocka_unit_test(bytes_of_each_kind),
		cmocka_unit_test(many_rules),
		cmocka_unit_test(plain_rules),
		cmocka_unit_test(all_of_a_rule_counts),
		cmocka_unit_test(too_much_text),
		cmocka_unit_test(too_many_rows),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
