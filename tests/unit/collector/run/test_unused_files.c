// SPDX-License-Identifier: GPL-2.0
// sources: collector/run/unused_files.c
// libs: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
/* Each part of the run is played by this file, and marks a file of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "aggregate/locations.h"
#include "aggregate/named_code.h"
#include "fail_alloc.h"
#include "process/mapped_files.h"
#include "process/processes.h"
#include "run/profile_run.h"
#include "run/unused_files.h"
#include "session/unwind_ranges.h"
#include "session/unwind_tables.h"

#define NR	6

static struct {
	bool are_many;
	int keep_result;
	char kept[64];		/* a word for each part that has forgotten the others */
} world;

static struct profile_run run;

uint32_t mapped_files_nr(const struct mapped_files *f)
{
	(void)f;
	return NR;
}

bool mapped_files_are_many(const struct mapped_files *f)
{
	(void)f;
	return world.are_many;
}

void processes_mark_files(const struct processes *p, bool *marks)
{
	(void)p;
	marks[1] = true;
}

void locations_mark_files(const struct locations *l, bool *marks)
{
	(void)l;
	marks[2] = true;
}

void unwind_tables_mark(struct unwind_tables *t, bool *marks, uint32_t nr)
{
	assert_ptr_equal(t, &world);
	assert_int_equal(nr, NR);
	marks[3] = true;
}

/* File 4 is needed by one that is kept. */
int mapped_files_keep(struct mapped_files *f, bool *keep)
{
	(void)f;
	assert_true(keep[1] && keep[2] && keep[3] == !!run.tables && !keep[4] && !keep[5]);
	keep[4] = true;
	return world.keep_result;
}

static void kept(const char *word, const bool *keep)
{
	assert_true(keep[1] && keep[2] && keep[4] && !keep[5]);
	strcat(world.kept, word);
}

void unwind_tables_keep(struct unwind_tables *t, const bool *keep, uint32_t nr)
{
	assert_ptr_equal(t, &world);
	assert_int_equal(nr, NR);
	kept("tables ", keep);
}

void unwind_ranges_keep(struct unwind_ranges *r, const bool *keep, uint32_t nr)
{
	assert_ptr_equal(r, &world);
	assert_int_equal(nr, NR);
	kept("ranges ", keep);
}

void named_code_keep(struct named_code *c, const bool *keep)
{
	(void)c;
	kept("code ", keep);
}

static int setup(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	world.are_many = true;
	run = (struct profile_run){ .tables = (struct unwind_tables *)&world,
				    .ranges = (struct unwind_ranges *)&world };
	return 0;
}

static void test_all_parts_forget(void **state)
{
	(void)state;
	assert_int_equal(unused_files_remove(&run), 0);
	assert_string_equal(world.kept, "code tables ranges ");
}

static void test_frame_pointers_alone(void **state)
{
	(void)state;
	run.tables = NULL;
	run.ranges = NULL;
	assert_int_equal(unused_files_remove(&run), 0);
	assert_string_equal(world.kept, "code ");
}

static void test_few_files(void **state)
{
	(void)state;
	world.are_many = false;
	assert_int_equal(unused_files_remove(&run), 0);
	assert_string_equal(world.kept, "");
}

/* If no file was removed, no part may forget one: its number does not change. */
static void test_no_memory(void **state)
{
	(void)state;
	world.keep_result = -ENOMEM;
	assert_int_equal(unused_files_remove(&run), -ENOMEM);
	world.keep_result = 0;
	allocations_left = 0;
	assert_int_equal(unused_files_remove(&run), -ENOMEM);
	allocations_left = -1;
	assert_string_equal(world.kept, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_all_parts_forget, setup),
		cmocka_unit_test_setup(test_frame_pointers_alone, setup),
		cmocka_unit_test_setup(test_few_files, setup),
		cmocka_unit_test_setup(test_no_memory, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
