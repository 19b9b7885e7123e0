// SPDX-License-Identifier: GPL-2.0
// sources: collector/run/changed_files.c
// libs: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
// libs: -Wl,--wrap=clock_gettime
/* Each part of the run is played by this file. File 2 changes, file 3 is being compiled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "aggregate/locations.h"
#include "aggregate/named_code.h"
#include "fail_alloc.h"
#include "process/mapped_files.h"
#include "process/processes.h"
#include "run/changed_files.h"
#include "run/profile_run.h"
#include "session/unwind_ranges.h"
#include "session/unwind_tables.h"

#define NR	4

static struct {
	uint64_t now_ns;
	uint64_t nr_changes;
	int nr_searches;
	char forgot[64];	/* a word for each part that has forgotten file 2 */
} world;

static struct profile_run run;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	assert_int_equal(clock, CLOCK_MONOTONIC);
	now->tv_sec = world.now_ns / 1000000000;
	now->tv_nsec = world.now_ns % 1000000000;
	return 0;
}

void mapped_files_find_changes(struct mapped_files *f)
{
	(void)f;
	world.nr_searches++;
}

uint64_t mapped_files_nr_changes(const struct mapped_files *f, const char **first)
{
	(void)f;
	*first = NULL;
	return world.nr_changes;
}

bool mapped_files_is_outdated(const struct mapped_files *f, uint32_t file)
{
	(void)f;
	return file >= 2;
}

uint32_t mapped_files_nr(const struct mapped_files *f)
{
	(void)f;
	return NR;
}

static void forgot(const char *word, const bool *keep, bool keeps_job)
{
	assert_true(keep[0] && keep[1] && !keep[2] && keep[3] == keeps_job);
	strcat(world.forgot, word);
}

void locations_forget_names(struct locations *l, const bool *keep)
{
	(void)l;
	forgot("names ", keep, false);
}

void named_code_keep(struct named_code *c, const bool *keep)
{
	assert_non_null(c);
	forgot("code ", keep, false);
}

void unwind_tables_mark(struct unwind_tables *t, bool *marks, uint32_t nr)
{
	assert_ptr_equal(t, &world);
	assert_int_equal(nr, NR);
	marks[3] = true;
}

void unwind_tables_keep(struct unwind_tables *t, const bool *keep, uint32_t nr)
{
	assert_ptr_equal(t, &world);
	assert_int_equal(nr, NR);
	forgot("tables ", keep, true);
}

void unwind_ranges_keep(struct unwind_ranges *r, const bool *keep, uint32_t nr)
{
	assert_ptr_equal(r, &world);
	assert_int_equal(nr, NR);
	forgot("ranges ", keep, true);
}

int processes_renew_files(struct processes *p)
{
	(void)p;
	strcat(world.forgot, "processes ");
	return 0;
}

static int setup(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	world.now_ns = 10000000000;
	run = (struct profile_run){ .tables = (struct unwind_tables *)&world,
				    .ranges = (struct unwind_ranges *)&world,
				    .code = (struct named_code *)&world };
	return 0;
}

/* Fails if a part goes on using what it knows of the old content, or forgets twice. */
static void test_all_parts_forget(void **state)
{
	(void)state;
	assert_int_equal(changed_files_update(&run), 0);
	assert_string_equal(world.forgot, "");
	world.nr_changes = 1;
	assert_int_equal(changed_files_update(&run), 0);
	assert_int_equal(changed_files_update(&run), 0);
	assert_string_equal(world.forgot, "names code tables ranges processes ");
	assert_int_equal(world.nr_searches, 3);
}

/* A single profile by frame pointers has neither. */
static void test_no_code_and_no_tables(void **state)
{
	(void)state;
	run.tables = NULL;
	run.ranges = NULL;
	run.code = NULL;
	world.nr_changes = 1;
	assert_int_equal(changed_files_update(&run), 0);
	assert_string_equal(world.forgot, "names processes ");
}

/* Fails if a change that a mapping shows waits for the search, or the search comes too often. */
static void test_polls(void **state)
{
	(void)state;
	assert_int_equal(changed_files_poll(&run), 0);
	world.now_ns += 999999999;
	world.nr_changes = 1;
	assert_int_equal(changed_files_poll(&run), 0);
	assert_string_equal(world.forgot, "names code tables ranges processes ");
	assert_int_equal(world.nr_searches, 1);
	world.now_ns++;
	assert_int_equal(changed_files_poll(&run), 0);
	assert_int_equal(world.nr_searches, 2);
}

static void test_no_memory(void **state)
{
	(void)state;
	world.nr_changes = 1;
	allocations_left = 0;
	assert_int_equal(changed_files_update(&run), -ENOMEM);
	allocations_left = -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_all_parts_forget, setup),
		cmocka_unit_test_setup(test_no_code_and_no_tables, setup),
		cmocka_unit_test_setup(test_polls, setup),
		cmocka_unit_test_setup(test_no_memory, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
