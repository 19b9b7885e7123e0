// SPDX-License-Identifier: GPL-2.0
// sources: kmod/unwind/table.c
// include: -Itests/unit/shim
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/nospec.h>

#include "kmod/unwind/table.h"
#include "maketable.h"

#define START	0x1000U

u64 shim_clamp(u64 index, u64 size)
{
	assert_true(index < size);
	return index;
}

static const struct pprof_rule rsp_8 = {
	.cfa = PPROF_CFA_SP, .cfa_offset = 8, .ra = PPROF_REG_RA,
};

/* Three pages, of which the second has no row. */
static const struct row good[] = {
	{ START, rsp_8 },
	{ START + 1, { .cfa = PPROF_CFA_SP, .cfa_offset = 16, .ra = PPROF_REG_RA } },
	{ START + 255, { .cfa = PPROF_CFA_END } },
	{ START + 512, { .cfa = PPROF_CFA_NONE } },
};

#define NR_GOOD	4
#define PAGES	3

static void *make_good(void)
{
	return make_table(good, NR_GOOD, PAGES, 0);
}

static const uint32_t good_bytes = (sizeof(struct pprof_table_head) +
				    NR_GOOD * sizeof(struct pprof_rule) + (PAGES + 1) * 4 +
				    NR_GOOD * 3 + 7) / 8 * 8;

/* Checks a copy of its own, so that ASan knows its end; frees the table. */
static void expect(void *table, uint32_t bytes, int want)
{
	void *copy = malloc(bytes ? bytes : 1);
	struct pprof_table checked;

	memcpy(copy, table, bytes);
	assert_int_equal(pprof_table_init(&checked, copy, bytes), want);
	free(copy);
	free(table);
}

static void test_a_good_one(void **state)
{
	struct pprof_table_head *table = make_good();

	(void)state;
	expect(table, table->bytes, 0);
}

static void test_find(void **state)
{
	struct pprof_table_head *data = make_good();
	struct pprof_table table;
	struct pprof_rule room;

	(void)state;
	assert_int_equal(pprof_table_init(&table, data, data->bytes), 0);
	assert_false(table.keeps_base);
	for (u64 at = START; at < START + 256 * PAGES; at++) {
		const struct pprof_rule *rule = pprof_table_find(&table, at, &room);
		uint32_t row = at < START + 1 ? 0 : at < START + 255 ? 1 : at < START + 512 ? 2 : 3;

		assert_memory_equal(rule, &good[row].rule, sizeof(*rule));
	}
	assert_null(pprof_table_find(&table, START - 1, &room));
	assert_null(pprof_table_find(&table, START + 256 * PAGES, &room));
	assert_null(pprof_table_find(&table, 0, &room));
	assert_null(pprof_table_find(&table, UINT64_MAX, &room));
	free(data);
}

static uint32_t random_state = 1;

static uint32_t below(uint32_t end)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % end;
}

/* A rule as in rows[] of a random table: a plain one has 8 * (row + 1). */
static bool is_random_rule(const struct pprof_rule *rule, uint32_t row)
{
	return rule->cfa == PPROF_CFA_SP &&
	       rule->cfa_offset == (row % 2 ? 8 * ((int)row % 4095 + 1) : (int)row);
}

/* Each offset of a table with rows at random, beside the plain search. */
static void check_random_table(uint32_t one_in)
{
	static struct row rows[16 * 256];
	struct pprof_table_head *data;
	struct pprof_table table;
	uint32_t nr = 0, row = 0;
	struct pprof_rule room;

	for (u64 at = 0; at < 16 * 256; at++)
		if (!at || !below(one_in))
			rows[nr++] = (struct row){ START + at, rsp_8 };
	for (uint32_t i = 0; i < nr; i++)
		rows[i].rule.cfa_offset = i;
	data = make_table(rows, nr, 16, 0);
	for (uint32_t i = 1; i < nr; i += 2)
		table_set_rule(data, i, PPROF_ROW_PLAIN | (i % 4095 + 1));
	assert_int_equal(pprof_table_init(&table, data, data->bytes), 0);
	for (u64 at = START; at < START + 16 * 256; at++) {
		while (row + 1 < nr && rows[row + 1].offset <= at)
			row++;
		assert_true(is_random_rule(pprof_table_find(&table, at, &room), row));
	}
	free(data);
}

static void test_find_in_random_tables(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++)
		for (uint32_t one_in = 1; one_in <= 512; one_in *= 2)
			check_random_table(one_in);
}

static void test_head(void **state)
{
	static const struct {
		size_t offset;
		uint32_t value;
	} cases[] = {
#define CASE(field, value)	{ offsetof(struct pprof_table_head, field), value }
		CASE(magic, PPROF_TABLE_MAGIC + 1),
		CASE(bytes, 0),
		CASE(start, START + 1),
		CASE(start, START + 128),
		CASE(nr_pages, 0),
		CASE(nr_pages, PAGES + 1),
		CASE(nr_pages, UINT32_MAX),
		CASE(nr_rows, 0),
		CASE(nr_rows, NR_GOOD - 1),
		CASE(nr_rows, UINT32_MAX),
		CASE(nr_rules, 0),
		CASE(nr_rules, NR_GOOD + 1),
		CASE(nr_rules, UINT32_MAX),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint8_t *table = make_good();

		memcpy(table + cases[i].offset, &cases[i].value, sizeof(uint32_t));
		expect(table, good_bytes, -EINVAL);
	}
}

static void test_unknown_flags(void **state)
{
	static const uint16_t flags[] = { 2, PPROF_TABLE_BASE | 2, 1U << 15 };

	(void)state;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		struct pprof_table_head *table = make_good();

		table->flags = flags[i];
		expect(table, good_bytes, -EINVAL);
	}
}

static void test_another_machine(void **state)
{
	static const uint16_t machines[] = { EM_NONE, EM_386, EM_AARCH64, UINT16_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		struct pprof_table_head *table = make_good();

		table->machine = machines[i];
		expect(table, good_bytes, -EINVAL);
	}
}

/* The last byte of the last page may be the last there is, but not beyond. */
static void test_the_highest_start(void **state)
{
	struct pprof_table_head *table = make_good();

	(void)state;
	table->start = UINT64_MAX - 255 - PAGES * 256;
	expect(table, table->bytes, 0);
	table = make_good();
	table->start = UINT64_MAX - 255 - (PAGES - 1) * 256;
	expect(table, table->bytes, -EINVAL);
}

/* What is cut or longer, with and without saying so itself. */
static void test_length(void **state)
{
	(void)state;
	for (uint32_t cut = 0; cut < good_bytes; cut++)
		expect(make_good(), cut, -EINVAL);
	for (uint32_t cut = sizeof(struct pprof_table_head); cut <= good_bytes + 16; cut++) {
		struct pprof_table_head *table = realloc(make_good(), good_bytes + 16);

		memset((uint8_t *)table + good_bytes, 0, 16);
		table->bytes = cut;
		expect(table, cut, cut == good_bytes ? 0 : -EINVAL);
	}
}

static void test_padding(void **state)
{
	uint8_t *table = make_good(), *end = (uint8_t *)(table_rows(table) + NR_GOOD);
	size_t at = end - table;

	(void)state;
	free(table);
	assert_true(at < good_bytes);
	for (; at < good_bytes; at++) {
		table = make_good();
		table[at] = 1;
		expect(table, good_bytes, -EINVAL);
	}
}

static void expect_pages(const uint32_t pages[PAGES + 1], int want)
{
	struct pprof_table_head *table = make_good();

	memcpy(table_pages(table), pages, (PAGES + 1) * sizeof(*pages));
	expect(table, table->bytes, want);
}

static void test_pages(void **state)
{
	(void)state;
	expect_pages((const uint32_t[]){ 0, 3, 3, 4 }, 0);
	expect_pages((const uint32_t[]){ 1, 3, 3, 4 }, -EINVAL);
	expect_pages((const uint32_t[]){ 0, 0, 3, 4 }, -EINVAL);
	expect_pages((const uint32_t[]){ 0, 3, 2, 4 }, -EINVAL);
	expect_pages((const uint32_t[]){ 0, 3, 3, 3 }, -EINVAL);
	expect_pages((const uint32_t[]){ 0, 3, 3, 5 }, -EINVAL);
	expect_pages((const uint32_t[]){ 0, 3, 5, 4 }, -EINVAL);
	expect_pages((const uint32_t[]){ 0, 5, 5, 5 }, -EINVAL);
	expect_pages((const uint32_t[]){ 0, 3, UINT32_MAX, 4 }, -EINVAL);
	expect_pages((const uint32_t[]){ 0, UINT32_MAX, UINT32_MAX, UINT32_MAX }, -EINVAL);
}

static void expect_lows(const uint8_t lows[NR_GOOD], int want)
{
	struct pprof_table_head *table = make_good();

	for (int row = 0; row < NR_GOOD; row++)
		table_rows(table)[row].low = lows[row];
	expect(table, table->bytes, want);
}

static void test_rows(void **state)
{
	struct pprof_table_head *table;

	(void)state;
	expect_lows((const uint8_t[]){ 0, 254, 255, 255 }, 0);
	expect_lows((const uint8_t[]){ 1, 2, 255, 0 }, -EINVAL);
	expect_lows((const uint8_t[]){ 0, 0, 255, 0 }, -EINVAL);
	expect_lows((const uint8_t[]){ 0, 7, 7, 0 }, -EINVAL);
	expect_lows((const uint8_t[]){ 0, 7, 6, 0 }, -EINVAL);
	for (int row = 0; row < NR_GOOD; row++) {
		table = make_good();
		table_set_rule(table, row, NR_GOOD);
		expect(table, table->bytes, -EINVAL);
		table = make_good();
		table_set_rule(table, row, PPROF_ROW_PLAIN - 1);
		expect(table, table->bytes, -EINVAL);
	}
}

/* The rule that a row holds itself; of kind PPROF_NR_CFA: there is none such. */
static struct pprof_rule plain_rule(uint32_t saved, uint32_t words)
{
	struct pprof_rule rule = { .cfa = words };

	if (saved == 1 && words == PPROF_CFA_FP) {
		rule.cfa_offset = 16;
		rule.ra = PPROF_REG_RA;
		rule.fp = PPROF_FP_SAVED;
		rule.fp_offset = -16;
	} else if (saved == 1) {
		if (words != PPROF_CFA_NONE && words != PPROF_CFA_END &&
		    words != PPROF_CFA_UNSUPPORTED && words != PPROF_CFA_FRAME_POINTER)
			rule.cfa = PPROF_NR_CFA;
	} else {
		rule.cfa = words ? PPROF_CFA_SP : PPROF_NR_CFA;
		rule.cfa_offset = 8 * words;
		rule.ra = PPROF_REG_RA;
		rule.fp = saved ? PPROF_FP_SAVED : PPROF_FP_SAME;
		rule.fp_offset = -8 * saved;
	}
	return rule;
}

static void check_plain(struct pprof_table_head *data, uint32_t saved, uint32_t words)
{
	const struct pprof_rule want = plain_rule(saved, words);
	struct pprof_table table;
	struct pprof_rule room;
	int err;

	table_set_rule(data, 0, 0x8000 | saved << 12 | words);
	err = pprof_table_init(&table, data, data->bytes);
	assert_int_equal(err, want.cfa == PPROF_NR_CFA ? -EINVAL : 0);
	if (err)
		return;
	assert_memory_equal(pprof_table_find(&table, START, &room), &want, sizeof(want));
}

/* All numbers that a row can hold and that are of no rule in rules[]. */
static void test_plain_rules(void **state)
{
	struct pprof_table_head *data = make_good();

	(void)state;
	for (uint32_t saved = 0; saved < 8; saved++)
		for (uint32_t words = 0; words < 4096; words++)
			check_plain(data, saved, words);
	free(data);
}

/* Rows that hold all rules, and then one that does not. */
static void test_no_rules(void **state)
{
	struct pprof_table_head head = {
		.magic = PPROF_TABLE_MAGIC, .start = START, .nr_pages = 1, .nr_rows = 2,
		.machine = EM_X86_64,
	};
	struct pprof_table_head *table = calloc(1, table_bytes(&head));

	(void)state;
	head.bytes = table_bytes(&head);
	*table = head;
	table_pages(table)[1] = 2;
	table_rows(table)[1].low = 1;
	table_set_rule(table, 0, PPROF_ROW_KIND | PPROF_CFA_END);
	table_set_rule(table, 1, PPROF_ROW_PLAIN | 1);
	expect(memcpy(malloc(head.bytes), table, head.bytes), head.bytes, 0);
	table_set_rule(table, 1, 0);
	expect(table, head.bytes, -EINVAL);
}

static void test_too_many_rules(void **state)
{
	static struct row rows[PPROF_TABLE_MAX_RULES + 1];
	struct pprof_table_head *table;

	(void)state;
	for (uint32_t i = 0; i <= PPROF_TABLE_MAX_RULES; i++)
		rows[i] = (struct row){ START + i, rsp_8 };
	table = make_table(rows, PPROF_TABLE_MAX_RULES, 16, 0);
	expect(table, table->bytes, 0);
	table = make_table(rows, PPROF_TABLE_MAX_RULES + 1, 17, 0);
	expect(table, table->bytes, -EINVAL);
}

static void expect_rule(const struct pprof_rule *rule, uint32_t flags, int want)
{
	const struct row rows[] = { { START, rsp_8 }, { START + 9, *rule } };
	struct pprof_table_head *table = make_table(rows, 2, 1, flags);

	expect(table, table->bytes, want);
}

/* Which kinds have which fields; the rest must be zero. */
static const struct {
	bool steps, offset, add, reg;
} kinds[PPROF_NR_CFA] = {
	[PPROF_CFA_SP]		= { .steps = true, .offset = true },
	[PPROF_CFA_FP]		= { .steps = true, .offset = true },
	[PPROF_CFA_BASE]		= { .steps = true, .offset = true },
	[PPROF_CFA_PLT]		= { .steps = true, .offset = true, .add = true },
	[PPROF_CFA_SIGNAL]	= { .offset = true },
	[PPROF_CFA_DEREF_SP]	= { .steps = true, .offset = true, .add = true },
	[PPROF_CFA_DEREF_FP]	= { .steps = true, .offset = true, .add = true },
	[PPROF_CFA_REG]		= { .steps = true, .offset = true, .reg = true },
	[PPROF_CFA_CLONE]	= { .steps = true, .offset = true, .reg = true },
	[PPROF_CFA_OTHER_STACK]	= { .steps = true, .offset = true },
};

static void test_each_field_of_each_kind(void **state)
{
	(void)state;
	for (u8 cfa = 0; cfa < PPROF_NR_CFA; cfa++) {
		const struct pprof_rule plain = {
			.cfa = cfa, .ra = kinds[cfa].steps ? PPROF_REG_RA : 0,
		};
		struct pprof_rule rule = plain;

		expect_rule(&rule, PPROF_TABLE_BASE, 0);
		expect_rule(&rule, 0, cfa == PPROF_CFA_BASE ? -EINVAL : 0);
#define WITH(field, value, legal)						\
		do {								\
			rule = plain;						\
			rule.field = value;					\
			expect_rule(&rule, PPROF_TABLE_BASE, legal ? 0 : -EINVAL);	\
		} while (0)
		WITH(cfa_offset, 8, kinds[cfa].offset);
		WITH(cfa_offset, INT32_MIN, kinds[cfa].offset);
		WITH(cfa_add, 1, kinds[cfa].add);
		WITH(cfa_add, 17, kinds[cfa].add && cfa != PPROF_CFA_PLT);
		WITH(cfa_add, -1, kinds[cfa].add && cfa != PPROF_CFA_PLT);
		WITH(cfa_add, INT32_MIN, kinds[cfa].add && cfa != PPROF_CFA_PLT);
		WITH(reg, 15, kinds[cfa].reg);
		WITH(reg, 16, false);
		WITH(ra, 5, kinds[cfa].steps);
		WITH(ra, PPROF_REG_RA, kinds[cfa].steps);
		WITH(ra, PPROF_REG_RA + 1, false);
		WITH(ra, 255, false);
		WITH(fp, PPROF_FP_SAVED, kinds[cfa].steps);
		WITH(fp, PPROF_FP_LOST, kinds[cfa].steps);
		WITH(fp, PPROF_NR_FP, false);
		WITH(fp_offset, -16, false);
		WITH(base_offset, -24, kinds[cfa].steps);
	}
}

static void test_other_rules(void **state)
{
	struct pprof_rule rule = rsp_8;

	(void)state;
	for (int cfa = PPROF_NR_CFA; cfa < 256; cfa++)
		expect_rule(&(const struct pprof_rule){ .cfa = cfa }, 0, -EINVAL);
	rule.fp = PPROF_FP_SAVED;
	rule.fp_offset = INT16_MIN;
	expect_rule(&rule, 0, 0);
	rule.fp = PPROF_FP_AT_FP;
	expect_rule(&rule, 0, -EINVAL);
	rule = rsp_8;
	rule.base_offset = -24;
	expect_rule(&rule, 0, -EINVAL);
	rule = (struct pprof_rule){ .cfa = PPROF_CFA_PLT, .cfa_add = 16 };
	expect_rule(&rule, 0, 0);
}

static void test_rbx_is_told(void **state)
{
	struct pprof_table_head *data = make_table(good, NR_GOOD, PAGES, PPROF_TABLE_BASE);
	struct pprof_table table;

	(void)state;
	assert_int_equal(pprof_table_init(&table, data, data->bytes), 0);
	assert_true(table.keeps_base);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_good_one),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_find_in_random_tables),
		cmocka_unit_test(test_head),
		cmocka_unit_test(test_unknown_flags),
		cmocka_unit_test(test_another_machine),
		cmocka_unit_test(test_the_highest_start),
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_plain_rules),
		cmocka_unit_test(test_no_rules),
		cmocka_unit_test(test_too_many_rules),
		cmocka_unit_test(test_each_field_of_each_kind),
		cmocka_unit_test(test_other_rules),
		cmocka_unit_test(test_rbx_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
