// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/maps.c
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "procfs/maps.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))

/* Parses from a copy of just the line, so that ASan sees one read too many. */
static int parse(const char *line, struct maps_entry *e, char name[64])
{
	size_t len = strlen(line);
	char *copy = malloc(len ? len : 1);
	int err;

	assert_non_null(copy);
	memcpy(copy, line, len);
	err = maps_parse_line(copy, len, e);
	if (!err)
		snprintf(name, 64, "%.*s", (int)e->name_len, e->name);
	free(copy);
	return err;
}

static void test_line_of_a_library(void **state)
{
	struct maps_entry e;
	char name[64];

	(void)state;
	assert_int_equal(parse("7f1e8c028000-7f1e8c17e000 r-xp 00026000 fe:01 1835521    "
			       "/usr/lib/libc.so.6\n", &e, name), 0);
	assert_int_equal(e.start, 0x7f1e8c028000);
	assert_int_equal(e.end, 0x7f1e8c17e000);
	assert_int_equal(e.offset, 0x26000);
	assert_int_equal(e.dev_major, 0xfe);
	assert_int_equal(e.dev_minor, 1);
	assert_int_equal(e.ino, 1835521);
	assert_true(e.executable);
	assert_false(e.deleted);
	assert_string_equal(name, "/usr/lib/libc.so.6");
}

static void test_names(void **state)
{
	static const struct {
		const char *tail;
		const char *name;
		bool deleted;
	} cases[] = {
		{ "", "", false },
		{ " ", "", false },
		{ "\n", "", false },
		{ " [vdso]", "[vdso]", false },
		{ "   [anon:my heap]\n", "[anon:my heap]", false },
		{ " /tmp/a b  c", "/tmp/a b  c", false },
		{ " /tmp/app (deleted)\n", "/tmp/app", true },
		{ " /tmp/app (deleted) (deleted)", "/tmp/app (deleted)", true },
		{ " /memfd:jit (deleted)", "/memfd:jit", true },
		{ " /tmp/app (deleted)x", "/tmp/app (deleted)x", false },
		{ " (deleted)", "(deleted)", false },
		{ " /a\\012b", "/a\\012b", false },
		{ " /\xff\x01\"", "/\xff\x01\"", false },
		{ " /a\n5000-6000 r-xp", "/a", false },
	};
	struct maps_entry e;
	char name[64], line[128];
	size_t i;

	(void)state;
	for (i = 0; i < NR(cases); i++) {
		snprintf(line, sizeof(line), "1000-2000 r-xp 00000000 00:00 0%s", cases[i].tail);
		assert_int_equal(parse(line, &e, name), 0);
		assert_string_equal(name, cases[i].name);
		assert_int_equal(e.deleted, cases[i].deleted);
	}
}

static void test_permissions(void **state)
{
	struct maps_entry e;
	char name[64];

	(void)state;
	assert_int_equal(parse("1000-2000 --xp 00000000 00:00 0", &e, name), 0);
	assert_true(e.executable);
	assert_int_equal(parse("1000-2000 rwxs 00000000 00:00 0", &e, name), 0);
	assert_true(e.executable);
	assert_int_equal(parse("1000-2000 rw-p 00000000 00:00 0", &e, name), 0);
	assert_false(e.executable);
}

static void test_largest_numbers(void **state)
{
	struct maps_entry e;
	char name[64];

	(void)state;
	assert_int_equal(parse("fffffffffffff000-ffffffffffffffff r-xp ffffffffffffffff "
			       "ffffffff:ffffffff 18446744073709551615", &e, name), 0);
	assert_int_equal(e.start, 0xfffffffffffff000);
	assert_int_equal(e.end, UINT64_MAX);
	assert_int_equal(e.offset, UINT64_MAX);
	assert_int_equal(e.dev_major, UINT32_MAX);
	assert_int_equal(e.dev_minor, UINT32_MAX);
	assert_int_equal(e.ino, UINT64_MAX);
}

static void test_what_the_kernel_does_not_write(void **state)
{
	static const char *const lines[] = {
		"",
		"\n",
		"1000",
		"1000-2000",
		"1000-2000 ",
		"1000-2000 r-x",
		"1000-2000 r-xp 0 00:00",
		"1000-2000 r-xp 0 00:00 ",
		"1000-2000 r-xp 0 0000 0",
		"1000-2000 r-?p 0 00:00 0",
		"1000-2000 r-xp 0 00:00 a",
		"1000-2000 r-xp 0 00:00 0x",
		"1000-2000  r-xp 0 00:00 0",
		"-2000 r-xp 0 00:00 0",
		"1000- r-xp 0 00:00 0",
		"1000-2000 r-xp  00:00 0",
		"0x1000-2000 r-xp 0 00:00 0",
		"A000-B000 r-xp 0 00:00 0",
		"2000-1000 r-xp 0 00:00 0",
		"2000-2000 r-xp 0 00:00 0",
		"1000-10000000000000000 r-xp 0 00:00 0",
		"1000-2000 r-xp 0 100000000:00 0",
		"1000-2000 r-xp 0 00:00 18446744073709551616",
	};
	struct maps_entry e;
	char name[64];
	size_t i;

	(void)state;
	for (i = 0; i < NR(lines); i++)
		assert_int_equal(parse(lines[i], &e, name), -EINVAL);
}

static void test_nul_in_a_name(void **state)
{
	static const char line[] = "1000-2000 r-xp 0 00:00 0 /a\0b";
	struct maps_entry e;

	(void)state;
	assert_int_equal(maps_parse_line(line, sizeof(line) - 1, &e), -EINVAL);
}

static void test_entry_name(void **state)
{
	static const struct {
		const char *raw;
		const char *name;
	} cases[] = {
		{ "", "" },
		{ "/a", "/a" },
		{ "/a\\012b\\012", "/a\nb\n" },
		{ "/a\\011\\01", "/a\\011\\01" },
		{ "/\\\\012", "/\\\n" },
	};
	char buf[16];
	size_t i;

	(void)state;
	for (i = 0; i < NR(cases); i++) {
		struct maps_entry e = { .name = cases[i].raw, .name_len = strlen(cases[i].raw) };

		assert_int_equal(maps_entry_name(&e, buf, sizeof(buf)), strlen(cases[i].name));
		assert_string_equal(buf, cases[i].name);
	}
}

static void test_entry_name_needs_room(void **state)
{
	struct maps_entry e = { .name = "abc", .name_len = 3 }, none = { .name = "" };
	char buf[4];

	(void)state;
	assert_int_equal(maps_entry_name(&e, buf, 4), 3);
	assert_int_equal(maps_entry_name(&e, buf, 3), -ENAMETOOLONG);
	assert_int_equal(maps_entry_name(&e, buf, 0), -ENAMETOOLONG);
	assert_int_equal(maps_entry_name(&none, buf, 1), 0);
	assert_int_equal(maps_entry_name(&none, buf, 0), -ENAMETOOLONG);
}

/* From here on: the set. Ranges are written {start, end, offset, file}. */

static int setup(void **state)
{
	*state = maps_new();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	maps_free(*state);
	return 0;
}

struct want {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint32_t file;
};

static void assert_ranges(const struct maps *m, const struct want *want, size_t nr)
{
	size_t i;

	assert_int_equal(maps_nr(m), nr);
	for (i = 0; i < nr; i++) {
		assert_int_equal(maps_at(m, i)->start, want[i].start);
		assert_int_equal(maps_at(m, i)->end, want[i].end);
		assert_int_equal(maps_at(m, i)->offset, want[i].offset);
		assert_int_equal(maps_at(m, i)->file, want[i].file);
	}
}

#define ASSERT_RANGES(m, ...) do {						\
	const struct want want_[] = { __VA_ARGS__ };			\
	assert_ranges(m, want_, NR(want_));					\
} while (0)

static int insert(struct maps *m, uint64_t start, uint64_t end, uint64_t offset, uint32_t file)
{
	struct maps_range r = { start, end, offset, file, 0 };
	int replaces, other = maps_replaces(m, &r);

	replaces = maps_insert(m, &r);
	assert_int_equal(replaces, other);
	return replaces;
}

static void test_free_space_is_filled_in_order(void **state)
{
	assert_int_equal(insert(*state, 50, 60, 0, 1), 0);
	assert_int_equal(insert(*state, 10, 20, 0, 2), 0);
	assert_int_equal(insert(*state, 30, 40, 0, 3), 0);
	assert_int_equal(insert(*state, 40, 50, 0, 4), 0);
	ASSERT_RANGES(*state, { 10, 20, 0, 2 }, { 30, 40, 0, 3 }, { 40, 50, 0, 4 },
		      { 50, 60, 0, 1 });
}

static void test_equal_insertion_changes_nothing(void **state)
{
	assert_int_equal(insert(*state, 10, 20, 5, 1), 0);
	assert_int_equal(insert(*state, 10, 20, 5, 1), 0);
	assert_int_equal(insert(*state, 12, 18, 7, 1), 0);
	ASSERT_RANGES(*state, { 10, 20, 5, 1 });
}

static void test_parts_of_one_mapping_become_one(void **state)
{
	assert_int_equal(insert(*state, 20, 30, 120, 1), 0);
	assert_int_equal(insert(*state, 30, 40, 130, 1), 0);
	assert_int_equal(insert(*state, 10, 20, 110, 1), 0);
	assert_int_equal(insert(*state, 35, 50, 135, 1), 0);
	ASSERT_RANGES(*state, { 10, 50, 110, 1 });
	assert_int_equal(insert(*state, 60, 70, 160, 1), 0);
	assert_int_equal(insert(*state, 5, 65, 105, 1), 0);
	ASSERT_RANGES(*state, { 5, 70, 105, 1 });
}

static void test_touching_others_stay_apart(void **state)
{
	assert_int_equal(insert(*state, 10, 20, 110, 1), 0);
	assert_int_equal(insert(*state, 20, 30, 120, 2), 0);
	assert_int_equal(insert(*state, 30, 40, 0, 2), 0);
	assert_int_equal(insert(*state, 0, 10, 0, 1), 0);
	ASSERT_RANGES(*state, { 0, 10, 0, 1 }, { 10, 20, 110, 1 }, { 20, 30, 120, 2 },
		      { 30, 40, 0, 2 });
}

static void test_old_mapping_is_split(void **state)
{
	assert_int_equal(insert(*state, 100, 200, 1000, 1), 0);
	assert_int_equal(insert(*state, 120, 150, 0, 2), 1);
	ASSERT_RANGES(*state, { 100, 120, 1000, 1 }, { 120, 150, 0, 2 },
		      { 150, 200, 1050, 1 });
}

static void test_ends_of_old_mappings_are_cut(void **state)
{
	insert(*state, 100, 200, 1000, 1);
	insert(*state, 200, 300, 0, 2);
	insert(*state, 300, 400, 2000, 3);
	assert_int_equal(insert(*state, 150, 350, 0, 4), 1);
	ASSERT_RANGES(*state, { 100, 150, 1000, 1 }, { 150, 350, 0, 4 },
		      { 350, 400, 2050, 3 });
}

static void test_old_mappings_are_covered(void **state)
{
	insert(*state, 100, 110, 0, 1);
	insert(*state, 120, 130, 0, 2);
	insert(*state, 140, 150, 0, 3);
	assert_int_equal(insert(*state, 100, 130, 0, 4), 1);
	ASSERT_RANGES(*state, { 100, 130, 0, 4 }, { 140, 150, 0, 3 });
}

static void test_same_place_and_file_with_another_offset(void **state)
{
	insert(*state, 100, 200, 0, 1);
	assert_int_equal(insert(*state, 100, 200, 4096, 1), 1);
	ASSERT_RANGES(*state, { 100, 200, 4096, 1 });
}

static void test_a_hole_is_closed_again(void **state)
{
	insert(*state, 100, 200, 1000, 1);
	assert_int_equal(insert(*state, 140, 160, 0, 2), 1);
	assert_int_equal(insert(*state, 140, 160, 1040, 1), 1);
	ASSERT_RANGES(*state, { 100, 200, 1000, 1 });
}

static void test_memory_without_a_file(void **state)
{
	assert_int_equal(insert(*state, 100, 200, 100, 9), 0);
	assert_int_equal(insert(*state, 50, 100, 50, 9), 0);
	ASSERT_RANGES(*state, { 50, 200, 50, 9 });
}

static void test_empty_ranges_are_refused(void **state)
{
	struct maps_range empty = { 10, 10, 0, 1, 0 }, inverted = { 20, 10, 0, 1, 0 };

	insert(*state, 0, 100, 0, 1);
	assert_int_equal(maps_insert(*state, &empty), -EINVAL);
	assert_int_equal(maps_insert_late(*state, &empty), -EINVAL);
	assert_int_equal(maps_insert(*state, &inverted), -EINVAL);
	ASSERT_RANGES(*state, { 0, 100, 0, 1 });
}

static void test_find(void **state)
{
	assert_null(maps_find(*state, 0));
	insert(*state, 10, 20, 0, 1);
	insert(*state, 20, 30, 0, 2);
	insert(*state, UINT64_MAX - 10, UINT64_MAX, 0, 3);
	assert_null(maps_find(*state, 9));
	assert_int_equal(maps_find(*state, 10)->file, 1);
	assert_int_equal(maps_find(*state, 19)->file, 1);
	assert_int_equal(maps_find(*state, 20)->file, 2);
	assert_int_equal(maps_find(*state, 29)->file, 2);
	assert_null(maps_find(*state, 30));
	assert_int_equal(maps_find(*state, UINT64_MAX - 1)->file, 3);
	assert_null(maps_find(*state, UINT64_MAX));
}

static void test_copy_is_independent(void **state)
{
	struct maps *copy = maps_copy(*state);

	assert_int_equal(maps_nr(copy), 0);
	maps_free(copy);
	insert(*state, 10, 20, 0, 1);
	copy = maps_copy(*state);
	insert(copy, 15, 18, 0, 2);
	insert(*state, 30, 40, 0, 3);
	ASSERT_RANGES(copy, { 10, 15, 0, 1 }, { 15, 18, 0, 2 }, { 18, 20, 8, 1 });
	ASSERT_RANGES(*state, { 10, 20, 0, 1 }, { 30, 40, 0, 3 });
	maps_free(copy);
}

#define MODEL_SIZE	64

/* The model: the mapping of each address, in an array. */
struct model {
	struct {
		uint32_t file;		/* 0: no mapping */
		uint64_t shift;		/* address - offset */
		uint64_t since_ns;
	} at[MODEL_SIZE];
};

static int model_insert(struct model *m, const struct maps_range *r)
{
	uint64_t i, shift = r->start - r->offset;
	int replaces = 0;

	for (i = r->start; i < r->end; i++) {
		replaces |= m->at[i].file && (m->at[i].file != r->file || m->at[i].shift != shift);
		m->at[i].file = r->file;
		m->at[i].shift = shift;
	}
	return replaces;
}

/* A newer mapping stays. */
static int model_insert_late(struct model *m, const struct maps_range *r)
{
	struct maps_range byte = *r;
	int replaces = 0;

	for (; byte.start < r->end; byte.start++, byte.offset++) {
		uint64_t *since_ns = &m->at[byte.start].since_ns;

		byte.end = byte.start + 1;
		if (m->at[byte.start].file && *since_ns > r->since_ns)
			continue;
		replaces |= model_insert(m, &byte);
		*since_ns = r->since_ns;
	}
	return replaces;
}

static void assert_model(const struct maps *m, const struct model *model)
{
	const struct maps_range *r, *last;
	uint64_t i;

	for (i = 0; i < MODEL_SIZE; i++) {
		r = maps_find(m, i);
		assert_int_equal(r ? r->file : 0, model->at[i].file);
		if (r)
			assert_int_equal(r->start - r->offset, model->at[i].shift);
	}
	for (i = 1; i < maps_nr(m); i++) {
		last = maps_at(m, i - 1);
		r = maps_at(m, i);
		assert_true(last->end <= r->start);
		/* ranges that can be joined are joined */
		assert_false(last->end == r->start && last->file == r->file &&
			     last->start - last->offset == r->start - r->offset);
	}
}

static void test_random_insertions_follow_the_model(void **state)
{
	struct model model;
	struct maps_range r;
	struct maps *m;
	int round, i;

	(void)state;
	srandom(1);
	for (round = 0; round < 500; round++) {
		m = maps_new();
		memset(&model, 0, sizeof(model));
		for (i = 0; i < 40; i++) {
			r.start = random() % (MODEL_SIZE - 1);
			r.end = r.start + 1 + random() % (random() % (MODEL_SIZE - r.start) + 1);
			r.file = 1 + random() % 3;
			r.offset = r.start + 100 * (random() % 2);
			assert_int_equal(insert(m, r.start, r.end, r.offset, r.file),
					 model_insert(&model, &r));
			assert_model(m, &model);
		}
		maps_free(m);
	}
}

/*
 * Insertions in any order of time. Each file has one mapping here: joined parts of a mapping get
 * the time of the newest part, and the model does not know that rule.
 */
static void test_late_insertions_follow_the_model(void **state)
{
	struct model model;
	struct maps_range r;
	struct maps *m;
	int replaces;

	(void)state;
	srandom(1);
	for (int round = 0; round < 500; round++) {
		m = maps_new();
		memset(&model, 0, sizeof(model));
		for (uint32_t i = 0; i < 40; i++) {
			r.start = random() % (MODEL_SIZE - 1);
			r.end = r.start + 1 + random() % (MODEL_SIZE - 1 - r.start);
			r.file = 1 + i;
			r.offset = r.start;
			r.since_ns = random() % 20;
			replaces = maps_replaces(m, &r);
			assert_int_equal(maps_insert_late(m, &r), replaces);
			assert_int_equal(model_insert_late(&model, &r), replaces);
			assert_model(m, &model);
		}
		maps_free(m);
	}
}

/* The joined range has the time of its newest part: a mapping between the two replaces none. */
static void test_time_of_one_mapping(void **state)
{
	const struct maps_range first = { 10, 20, 0, 1, 100 }, next = { 20, 30, 10, 1, 300 };
	const struct maps_range between = { 15, 25, 0, 2, 200 }, after = { 15, 25, 0, 3, 400 };

	assert_int_equal(maps_insert_late(*state, &next), 0);
	assert_int_equal(maps_insert_late(*state, &first), 0);
	assert_int_equal(maps_insert_late(*state, &between), 0);
	ASSERT_RANGES(*state, { 10, 30, 0, 1 });
	assert_int_equal(maps_insert_late(*state, &after), 1);
	ASSERT_RANGES(*state, { 10, 15, 0, 1 }, { 15, 25, 0, 3 }, { 25, 30, 15, 1 });
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line_of_a_library),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_permissions),
		cmocka_unit_test(test_largest_numbers),
		cmocka_unit_test(test_what_the_kernel_does_not_write),
		cmocka_unit_test(test_nul_in_a_name),
		cmocka_unit_test(test_entry_name),
		cmocka_unit_test(test_entry_name_needs_room),
		WITH_SETUP(test_free_space_is_filled_in_order),
		WITH_SETUP(test_equal_insertion_changes_nothing),
		WITH_SETUP(test_parts_of_one_mapping_become_one),
		WITH_SETUP(test_touching_others_stay_apart),
		WITH_SETUP(test_old_mapping_is_split),
		WITH_SETUP(test_ends_of_old_mappings_are_cut),
		WITH_SETUP(test_old_mappings_are_covered),
		WITH_SETUP(test_same_place_and_file_with_another_offset),
		WITH_SETUP(test_a_hole_is_closed_again),
		WITH_SETUP(test_memory_without_a_file),
		WITH_SETUP(test_empty_ranges_are_refused),
		WITH_SETUP(test_find),
		WITH_SETUP(test_copy_is_independent),
		cmocka_unit_test(test_random_insertions_follow_the_model),
		cmocka_unit_test(test_late_insertions_follow_the_model),
		WITH_SETUP(test_time_of_one_mapping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
