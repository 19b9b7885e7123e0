// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/cgroup.c collector/procfs/cgroup_names.c
// sources: collector/process/exec_perf_map.c
// sources: collector/aggregate/source_stacks.c collector/aggregate/stack_locator.c
// sources: collector/aggregate/stack_values.c collector/aggregate/truncation.c
// sources: collector/device/end_reason.c
// sources: collector/aggregate/locations.c collector/process/processes.c
// sources: collector/aggregate/named_code.c
// sources: collector/process/mapped_files.c collector/process/kernel_image.c
// sources: collector/process/kept_names.c collector/process/file_version.c
// sources: collector/process/mapped_symbols.c
// sources: collector/process/file_numbers.c collector/process/file_opening.c
// sources: collector/process/open_inodes.c
// sources: collector/process/address_space.c
// sources: collector/process/exec_image.c collector/procfs/mapped_file.c
// sources: collector/procfs/procfs.c collector/procfs/vdso.c collector/procfs/maps.c
// sources: collector/procfs/live_thread.c collector/procfs/time_namespace.c
// sources: collector/symbol/perf_map.c collector/base/regular_file.c collector/symbol/kallsyms.c
// sources: collector/base/tuple_map.c collector/base/string_table.c
// sources: collector/procfs/context_mapping.c collector/process/published_context.c
// sources: collector/process/process_context.c collector/base/utf8.c
// libs: -lxxhash -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include "aggregate/source_stacks.h"
#include "fail_alloc.h"
#include "fakesym.h"
#include "located.h"

#define MAX_RAW		16384	/* as in source_stacks.c */

static const struct process one = { 0x40000001, 100 }, two = { 0x40000002, 200 };

/* The label set and the end reason of the samples that add() adds. */
static uint32_t labels, end_reason;

struct world {
	struct located *located;
	struct source_stacks stacks;
	int64_t ids[MAX_RAW];
};

static struct world *new_world(size_t max_stacks, unsigned int nr_values)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	labels = 0;
	end_reason = PPROF_END_COMPLETE;
	w->located = located_new(0);
	located_start(w->located, one, "app");
	assert_int_equal(source_stacks_init(&w->stacks, PPROF_SOURCE_CPU, max_stacks, nr_values),
			 0);
	return w;
}

static void free_world(struct world *w)
{
	source_stacks_fini(&w->stacks);
	located_free(w->located);
	free(w);
}

static int setup(void **state)
{
	*state = new_world(1000000, 0);
	return 0;
}

static int teardown(void **state)
{
	free_world(*state);
	return 0;
}

static int64_t add(struct world *w, struct process who, uint64_t leaf, uint64_t caller,
		   uint32_t weight)
{
	const uint64_t frames[] = { leaf, caller };
	uint64_t room[64];
	struct pprof_sample *sample = life_sample(room, 10, who, frames, caller ? 2 : 1);

	sample->weight = weight;
	return source_stacks_add(&w->stacks, raw_stack_tag(located_epoch(w->located, who), false,
							   labels, end_reason), sample);
}

static void flush(struct world *w)
{
	assert_int_equal(source_stacks_flush(&w->stacks, &w->located->locator, w->ids), 0);
	assert_int_equal(tuple_map_nr(w->stacks.raw), 0);
}

static const struct tuple *located_at(struct world *w, size_t id)
{
	assert_true(id < tuple_map_nr(w->stacks.located));
	return tuple_map_at(w->stacks.located, id);
}

static void test_nothing(void **state)
{
	struct source_stacks none = { 0 };
	struct world *w = *state;

	flush(w);
	assert_int_equal(tuple_map_nr(w->stacks.located), 0);
	assert_null(source_stacks_over_values(&w->stacks));
	source_stacks_fini(&none);
}

/* Raw ids start anew with each flush; location ids stay. */
static void test_two_flushes(void **state)
{
	struct world *w = *state;

	assert_int_equal(add(w, one, 0x400100, 0x400200, 1), 0);
	assert_int_equal(add(w, one, 0x400300, 0, 1), 1);
	assert_int_equal(add(w, one, 0x400100, 0x400200, 5), 0);
	flush(w);
	assert_int_equal(w->ids[0], 0);
	assert_int_equal(w->ids[1], 1);
	assert_int_equal(add(w, one, 0x400300, 0, 2), 0);
	flush(w);
	assert_int_equal(w->ids[0], 1);
	assert_int_equal(tuple_map_nr(w->stacks.located), 2);
	assert_int_equal(located_at(w, 0)->count, 6);
	assert_int_equal(located_at(w, 0)->nr_frames, 2);
	assert_int_equal(located_at(w, 1)->count, 3);
}

/* Labels make two location stacks different. The epoch does not. */
static void test_equal_stacks_of_two_processes(void **state)
{
	struct world *w = *state;

	located_map(w->located, two, 0x700000, "/bin/app");
	add(w, one, 0x400100, 0x400200, 1);
	add(w, two, 0x700100, 0x700200, 1);
	labels = 9;
	add(w, two, 0x700100, 0x700200, 1);
	assert_int_equal(tuple_map_nr(w->stacks.raw), 3);
	flush(w);
	assert_int_equal(tuple_map_nr(w->stacks.located), 2);
	assert_int_equal(located_at(w, 0)->count, 2);
	assert_int_equal(located_at(w, 0)->tag, 0);
	assert_int_equal(located_at(w, 1)->tag, 9);
}

static void test_the_raw_map_is_full(void **state)
{
	struct world *w = *state;

	for (uint32_t i = 0; i < MAX_RAW; i++)
		assert_int_equal(add(w, one, 0x400000 + i, 0, 1), i);
	assert_int_equal(add(w, one, 0x400000, 0, 1), 0);
	assert_int_equal(add(w, one, 0x400000 + MAX_RAW, 0, 1), -ENOSPC);
	flush(w);
	assert_int_equal(add(w, one, 0x400000 + MAX_RAW, 0, 1), 0);
	flush(w);
	assert_int_equal(tuple_map_nr(w->stacks.located), MAX_RAW + 1);
	assert_int_equal(located_at(w, 0)->count, 2);
}

/* Values over the limit are added up, also over several flushes. */
static void test_max_stacks(void **state)
{
	static const double add_values[] = { 5, 1500 };
	struct world *w = new_world(1, 2);
	const double *values;

	(void)state;
	for (uint32_t i = 0; i < 6; i++) {
		int64_t id = add(w, one, 0x400100 + i % 3, 0, 10);

		assert_int_equal(stack_values_add(&w->stacks.raw_values, id, add_values), 0);
		if (i % 2)
			flush(w);
	}
	assert_int_equal(tuple_map_nr(w->stacks.located), 1);
	assert_int_equal(located_at(w, 0)->count, 20);
	assert_int_equal(w->stacks.over_max, 40);
	assert_int_equal(w->ids[1], 1);
	values = source_stacks_over_values(&w->stacks);
	assert_non_null(values);
	assert_true(values[0] == 20 && values[1] == 6000);
	values = stack_values_at(&w->stacks.values, 0);
	assert_true(values[0] == 10 && values[1] == 3000);
	free_world(w);
}

/* Truncated stacks count for the file of the last frame, by their weight. */
static void test_the_file_that_truncates_most(void **state)
{
	struct world *w = *state;
	uint64_t count;

	located_map(w->located, one, 0x600000, "/lib/worse");
	located_map(w->located, one, 0x700000, "");
	add(w, one, 0x400100, 0, 100);
	end_reason = PPROF_END_NO_RULE;
	add(w, one, 0x600100, 0x400200, 1);
	add(w, one, 0x400100, 0x600100, 2);
	end_reason = PPROF_END_FAULT;
	add(w, one, 0x400100, 0x600200, 1);
	add(w, one, 0x700100, 0, 50);
	add(w, one, 0x900100, 0, 50);
	assert_int_equal(truncation_worst(&w->stacks.truncation, &count), MAPPED_FILES_NONE);
	flush(w);
	assert_string_equal(mapped_files_path(w->located->files,
					      truncation_worst(&w->stacks.truncation, &count)),
			    "/lib/worse");
	assert_int_equal(count, 3);
}

static void test_finish(void **state)
{
	struct world *w = *state;

	add(w, one, 0x400100, 0, 1);
	flush(w);
	source_stacks_finish(&w->stacks);
	assert_null(w->stacks.raw);
	assert_int_equal(located_at(w, 0)->count, 1);
}

static void test_every_allocation_may_fail(void **state)
{
	static const double add_values[] = { 5 };
	int nr_failures = 0, err = -ENOMEM;

	(void)state;
	for (long n = 0; err; n++) {
		struct world *w = new_world(10, 1);

		end_reason = PPROF_END_FAULT;
		add(w, one, 0x400100, 0x400200, 1);
		assert_int_equal(stack_values_add(&w->stacks.raw_values, 0, add_values), 0);
		allocations_left = n;
		err = source_stacks_flush(&w->stacks, &w->located->locator, w->ids);
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
		nr_failures += err < 0;
		free_world(w);
	}
	assert_true(nr_failures > 5);
}

static void test_init_without_memory(void **state)
{
	int nr_failures = 0, err = -ENOMEM;
	struct source_stacks s;

	(void)state;
	for (long n = 0; err; n++) {
		allocations_left = n;
		err = source_stacks_init(&s, PPROF_SOURCE_CPU, 10, 1);
		allocations_left = -1;
		source_stacks_fini(&s);
		nr_failures += err < 0;
	}
	assert_true(nr_failures >= 2);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_nothing),
		WITH_SETUP(test_two_flushes),
		WITH_SETUP(test_equal_stacks_of_two_processes),
		WITH_SETUP(test_the_raw_map_is_full),
		cmocka_unit_test(test_max_stacks),
		WITH_SETUP(test_the_file_that_truncates_most),
		WITH_SETUP(test_finish),
		cmocka_unit_test(test_every_allocation_may_fail),
		cmocka_unit_test(test_init_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
