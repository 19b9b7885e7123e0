// SPDX-License-Identifier: GPL-2.0
// sources: collector/aggregate/named_code.c collector/base/string_table.c
// libs: -lxxhash
/* The test defines the symbolizer. All code is in file 1. */
#include <setjmp.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "aggregate/named_code.h"
#include "symbol/symbolizer.h"

#define FILE_NR	1

/*
 * The function "work" is at [0x100, 0x140). It has a line each 8 bytes, and "part" inlined. After
 * it 0x20 bytes have no symbol. All else is the function "other".
 */
static int nr_probes;
static bool is_closed;

static struct frame work_at(uint64_t offset)
{
	return (struct frame){ .name = "work()", .system_name = "_Zwork", .file = "a.cc",
			       .line = 10 + (offset - 0x100) / 8, .start_line = 9,
			       .offset = offset - 0x100 };
}

int symbolizer_probe(struct symbolizer *s, uint64_t offset, struct frame *frames, int max,
		     struct code_span *span)
{
	int nr = 0;

	(void)s;
	nr_probes++;
	*span = CODE_SPAN_ALL;
	code_span_pass(span, offset, 0x140, 0x160);
	for (uint64_t line = 0x100; line < 0x140; line += 8)
		code_span_pass(span, offset, line, line + 8);
	code_span_pass(span, offset, 0x110, 0x114);
	if (is_closed || max < 2)
		return -ENOENT;
	if (offset >= 0x140 && offset < 0x160)
		return 0;
	if (offset < 0x100 || offset >= 0x160) {
		frames[0] = (struct frame){ .name = "other", .system_name = "other",
					    .offset = FRAME_NO_OFFSET };
		return 1;
	}
	if (offset >= 0x110 && offset < 0x114)
		frames[nr++] = (struct frame){ .name = "part", .system_name = "part",
					       .offset = FRAME_NO_OFFSET };
	frames[nr++] = work_at(offset);
	return nr;
}

static int setup(void **state)
{
	nr_probes = 0;
	is_closed = false;
	*state = named_code_new();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	named_code_free(*state);
	return 0;
}

static void learn(struct named_code *c, uint64_t offset, uint32_t left)
{
	named_code_learn(c, NULL, FILE_NR, offset, &left);
}

/* All addresses of the function have the frames that a look-up finds, and no other has any. */
static void assert_all_known(struct named_code *c)
{
	struct frame known[64], found[64];
	struct code_span span;

	for (uint64_t offset = 0xf0; offset < 0x150; offset++) {
		int nr = named_code_find(c, FILE_NR, offset, known, 64);

		if (offset < 0x100 || offset >= 0x140) {
			assert_int_equal(nr, -ENOENT);
			continue;
		}
		assert_int_equal(nr, symbolizer_probe(NULL, offset, found, 64, &span));
		for (int i = 0; i < nr; i++) {
			assert_string_equal(known[i].name, found[i].name);
			assert_string_equal(known[i].system_name, found[i].system_name);
			assert_int_equal(known[i].line, found[i].line);
			assert_int_equal(known[i].offset, found[i].offset);
			assert_int_equal(!known[i].file, !found[i].file);
		}
		assert_int_equal(named_code_find(c, FILE_NR + 1, offset, known, 64), -ENOENT);
	}
}

static void test_a_function(void **state)
{
	learn(*state, 0x12a, 10000);
	assert_int_equal(named_code_nr(*state), 9);	/* 8 lines, one of which has two parts */
	assert_int_equal(nr_probes, 11);		/* and the code on both sides */
	assert_all_known(*state);
	named_code_sort(*state);
	assert_all_known(*state);
	nr_probes = 0;
	named_code_free(NULL);
}

/* What is left of a function is learnt by a later window. */
static void test_limit_of_probes(void **state)
{
	struct frame lines[64];

	learn(*state, 0x12a, 5);
	assert_int_equal(nr_probes, 5);
	assert_int_equal(named_code_find(*state, FILE_NR, 0x13f, lines, 64), 1);
	assert_int_equal(named_code_find(*state, FILE_NR, 0x120, lines, 64), 1);
	assert_int_equal(named_code_find(*state, FILE_NR, 0x11f, lines, 64), -ENOENT);
	assert_int_equal(named_code_find(*state, FILE_NR, 0x140, lines, 64), -ENOENT);
	learn(*state, 0x12a, 0);
	assert_int_equal(nr_probes, 5);
	named_code_sort(*state);
	learn(*state, 0x12a, 10000);
	assert_all_known(*state);
	named_code_sort(*state);
	assert_all_known(*state);
}

/* The code is known to have no symbol, as far as that is so. */
static void test_code_without_symbol(void **state)
{
	struct frame lines[64];

	learn(*state, 0x150, 10000);
	assert_int_equal(nr_probes, 1);
	assert_int_equal(named_code_find(*state, FILE_NR, 0x140, lines, 64), 0);
	assert_int_equal(named_code_find(*state, FILE_NR, 0x15f, lines, 64), 0);
	assert_int_equal(named_code_find(*state, FILE_NR, 0x13f, lines, 64), -ENOENT);
	assert_int_equal(named_code_find(*state, FILE_NR, 0x160, lines, 64), -ENOENT);
}

/* A function is larger than what is looked up, and reaches to the start of the file. */
static void test_large_function(void **state)
{
	struct frame lines[64];

	learn(*state, 0x80, 10000);
	assert_int_equal(nr_probes, 2);
	assert_int_equal(named_code_find(*state, FILE_NR, 0, lines, 64), 1);
	assert_int_equal(named_code_find(*state, FILE_NR, 0xff, lines, 64), 1);
	learn(*state, 0x1000, 10000);
	assert_int_equal(nr_probes, 3);
	assert_int_equal(named_code_find(*state, FILE_NR, 0x160, lines, 64), 1);
	assert_int_equal(named_code_find(*state, FILE_NR, 1 << 30, lines, 64), 1);
}

/* The cache on disk has answered: the file is not open, and nothing is looked up in it. */
static void test_closed_file(void **state)
{
	uint32_t left = 100;

	is_closed = true;
	named_code_learn(*state, NULL, FILE_NR, 0x110, &left);
	assert_int_equal(named_code_nr(*state), 0);
	assert_int_equal(nr_probes, 1);
	assert_int_equal(left, 99);
}

static int add(struct named_code *c, uint32_t file, uint64_t start, uint64_t end, uint32_t nr)
{
	static struct frame lines[65];
	const struct named_code_run run = { file, nr, start, end, lines };

	for (uint32_t i = 0; i < nr; i++)
		lines[i] = work_at(start);
	return named_code_add(c, &run);
}

static void test_bad_runs(void **state)
{
	assert_int_equal(add(*state, 1, 5, 5, 1), 0);
	assert_int_equal(add(*state, 1, 5, 4, 1), 0);
	assert_int_equal(add(*state, 1, 5, 9, 65), 0);
	assert_int_equal(named_code_nr(*state), 0);
	assert_int_equal(add(*state, 1, 5, 9, 64), 0);
	assert_int_equal(named_code_nr(*state), 1);
}

/* The runs of removed files are forgotten: their number stands for another file then. */
static void test_keep(void **state)
{
	const bool keep[] = { true, false, true };
	struct frame lines[64];

	add(*state, 2, 0x200, 0x210, 1);
	learn(*state, 0x12a, 10000);
	named_code_sort(*state);
	named_code_keep(*state, keep);
	assert_int_equal(named_code_nr(*state), 1);
	assert_int_equal(named_code_find(*state, FILE_NR, 0x100, lines, 64), -ENOENT);
	assert_int_equal(named_code_find(*state, 2, 0x208, lines, 64), 1);
	learn(*state, 0x12a, 10000);
	assert_all_known(*state);
}

/* Too many runs are forgotten, and come again. */
static void test_limit_of_runs(void **state)
{
	struct frame lines[64];
	size_t most = 0;

	for (uint32_t i = 0; i <= NAMED_CODE_MAX; i++)
		add(*state, 1, i, i + 1, 1);
	named_code_sort(*state);
	assert_int_equal(named_code_nr(*state), 0);
	learn(*state, 0x12a, 10000);
	assert_int_equal(named_code_find(*state, FILE_NR, 0x13f, lines, 64), 1);
	for (uint32_t i = 0; i < 3 * NAMED_CODE_MAX; i++)
		add(*state, 1, i, i + 1, 1);
	most = named_code_nr(*state);
	assert_int_equal(most, 2 * NAMED_CODE_MAX);
}

/* Adds a run of file 1 with a name of its own, of 1 MB. */
static void add_long_name(struct named_code *c, uint32_t number)
{
	static char name[1 << 20];
	const struct frame line = { .name = name, .system_name = "long" };

	memset(name, 'n', sizeof(name) - 1);
	name[snprintf(name, sizeof(name), "%u", number)] = ' ';
	named_code_add(c, &(struct named_code_run){ 1, 1, number, number + 1, &line });
}

/* The names of removed runs count. Files come and go as long as a run lasts. */
static void test_limit_of_names(void **state)
{
	const bool keep[] = { true, false };
	uint32_t number = 0;

	while (number <= NAMED_CODE_MAX_BYTES >> 20)
		add_long_name(*state, number++);
	named_code_keep(*state, keep);
	add(*state, 1, 5, 9, 1);
	named_code_sort(*state);
	assert_int_equal(named_code_nr(*state), 0);
	while (number < 4 * (NAMED_CODE_MAX_BYTES >> 20))
		add_long_name(*state, number++);
	assert_int_equal(named_code_nr(*state), 2 * (NAMED_CODE_MAX_BYTES >> 20));
	named_code_sort(*state);
	assert_int_equal(named_code_nr(*state), 0);
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_function),
		TEST(test_limit_of_probes),
		TEST(test_code_without_symbol),
		TEST(test_large_function),
		TEST(test_closed_file),
		TEST(test_bad_runs),
		TEST(test_keep),
		TEST(test_limit_of_runs),
		TEST(test_limit_of_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
