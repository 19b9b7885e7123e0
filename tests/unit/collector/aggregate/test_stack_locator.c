// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/cgroup.c collector/procfs/cgroup_names.c
// sources: collector/aggregate/stack_locator.c collector/device/end_reason.c
// sources: collector/aggregate/locations.c collector/process/processes.c
// sources: collector/process/mapped_files.c collector/process/address_space.c
// sources: collector/process/exec_image.c collector/procfs/mapped_file.c
// sources: collector/procfs/procfs.c collector/procfs/vdso.c collector/procfs/maps.c
// sources: collector/procfs/live_thread.c collector/procfs/time_namespace.c
// sources: collector/symbol/perf_map.c collector/base/regular_file.c collector/symbol/kallsyms.c
// sources: collector/base/tuple_map.c collector/base/string_table.c
// libs: -lxxhash -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include "aggregate/stack_locator.h"
#include "device/end_reason.h"
#include "fail_alloc.h"
#include "fakesym.h"
#include "located.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))

static const struct process one = { 0x40000001, 100 }, two = { 0x40000002, 200 };

/* A raw stack of at most PPROF_MAX_FRAMES addresses, from 0x400100 in steps of 0x100. */
static const struct tuple *raw_stack(uint64_t tag, uint32_t nr)
{
	static uint64_t room[sizeof(struct tuple) / sizeof(uint64_t) + PPROF_MAX_FRAMES];
	struct tuple *raw = (struct tuple *)room;

	*raw = (struct tuple){ .tag = tag, .nr_frames = nr };
	for (uint32_t i = 0; i < nr; i++)
		raw->frames[i] = 0x400100 + 0x100 * i;
	return raw;
}

static int setup(void **state)
{
	struct located *l = located_new(0);

	located_start(l, one, "app");
	*state = l;
	return 0;
}

static int teardown(void **state)
{
	located_free(*state);
	return 0;
}

static void test_tag(void **state)
{
	static const uint32_t epochs[] = { 0, 7, UINT32_MAX };
	static const uint32_t labels[] = { 0, 3, RAW_STACK_LABELS_MASK };

	(void)state;
	for (int i = 0; i < 3 * 2 * 3 * 16; i++) {
		uint32_t epoch = epochs[i % 3], label = labels[i / 6 % 3], end = i / 18;
		bool is_return = i / 3 % 2;
		uint64_t tag = raw_stack_tag(epoch, is_return, label, end);

		assert_int_equal(raw_stack_epoch(tag), epoch);
		assert_int_equal(raw_stack_leaf_is_return(tag), is_return);
		assert_int_equal(raw_stack_labels(tag), label);
		assert_int_equal(raw_stack_end_reason(tag), end);
	}
	assert_int_equal(raw_stack_end_reason(raw_stack_tag(0, false, 0, 16 + 3)), 3);
	assert_int_equal(raw_stack_labels(raw_stack_tag(0, false, 0, 16 + 3)), 0);
}

/* The byte before a return address belongs to the call. The leaf may be one, too. */
static void test_return_addresses(void **state)
{
	uint64_t ids[STACK_LOCATOR_MAX];
	struct located *l = *state;
	uint32_t epoch = located_epoch(l, one);

	for (int is_return = 0; is_return < 2; is_return++) {
		uint64_t tag = raw_stack_tag(epoch, is_return, 5, PPROF_END_COMPLETE);

		assert_int_equal(stack_locator_find(&l->locator, PPROF_SOURCE_CPU,
						    raw_stack(tag, 3), ids), 3);
		assert_int_equal(located_address(l, ids[0]), 0x400100 - is_return);
		assert_int_equal(located_address(l, ids[1]), 0x4001ff);
		assert_int_equal(located_address(l, ids[2]), 0x4002ff);
		assert_string_equal(located_name(l, ids[2]), "[app]");
	}
}

/* A truncated stack has its end reason as root, also if it is as deep as can be. */
static void test_truncated(void **state)
{
	uint64_t ids[STACK_LOCATOR_MAX];
	struct located *l = *state;
	uint32_t epoch = located_epoch(l, one);

	for (uint32_t end = 1; end < 16; end++) {
		uint64_t tag = raw_stack_tag(epoch, false, 0, end);

		assert_int_equal(stack_locator_find(&l->locator, PPROF_SOURCE_CPU,
						    raw_stack(tag, PPROF_MAX_FRAMES), ids),
				 PPROF_MAX_FRAMES + 1);
		assert_string_equal(located_name(l, ids[PPROF_MAX_FRAMES]), end_reason_root(end));
	}
}

/* Readers refuse a profile with an empty stack, so each stack has at least one location. */
static void test_no_frames(void **state)
{
	static const struct {
		uint32_t source, end, nr_frames;
		const char *name;
	} cases[] = {
		{ PPROF_SOURCE_CPU, PPROF_END_COMPLETE, 0, "lostProfileEvent" },
		{ PPROF_SOURCE_CPU, PPROF_END_NO_USER, 0, "[truncated: no user stack]" },
		{ PPROF_SOURCE_CPU, 14, 0, "[truncated: unknown reason]" },
		{ PPROF_SOURCE_MUTEX, PPROF_END_NO_USER, 0, "lostContendedLock" },
		{ PPROF_SOURCE_MUTEX, PPROF_END_NO_USER, 1, "[truncated: no user stack]" },
		{ PPROF_SOURCE_MUTEX, PPROF_END_FAULT, 0, "[truncated: stack not readable]" },
		{ PPROF_SOURCE_BLOCK, PPROF_END_NO_USER, 0, "[truncated: no user stack]" },
	};
	uint64_t ids[STACK_LOCATOR_MAX];
	struct located *l = *state;
	uint32_t epoch = located_epoch(l, one);

	for (size_t i = 0; i < NR(cases); i++) {
		uint32_t nr = cases[i].nr_frames;
		const struct tuple *raw =
			raw_stack(raw_stack_tag(epoch, false, 0, cases[i].end), nr);

		assert_int_equal(stack_locator_find(&l->locator, cases[i].source, raw, ids),
				 nr + 1);
		assert_string_equal(located_name(l, ids[nr]), cases[i].name);
	}
}

static void assert_exe(struct located *l, const char *path)
{
	const struct locations_mapping *mapping;

	assert_true(l->locator.exe_mapping >= 0);
	mapping = locations_mapping_at(l->locations, l->locator.exe_mapping);
	assert_string_equal(mapped_files_path(l->files, mapping->file), path);
}

static void find_exe(struct located *l, struct process who)
{
	assert_int_equal(stack_locator_find_exe(&l->locator, located_epoch(l, who)), 0);
}

/* Without a pid, the first process whose program is known is final. */
static void test_first_known_program(void **state)
{
	struct located *l = located_new(0);

	(void)state;
	located_map(l, one, 0x300000, "[vdso]");
	find_exe(l, one);
	assert_true(l->locator.exe_mapping < 0);
	located_start(l, two, "app");
	find_exe(l, two);
	assert_exe(l, "/bin/app");
	located_start(l, one, "later");
	find_exe(l, one);
	assert_exe(l, "/bin/app");
	located_free(l);
}

/* A child of another program may be seen first: it counts until the pid is seen. */
static void test_program_of_the_pid(void **state)
{
	struct located *l = located_new(one.pid);

	(void)state;
	located_start(l, two, "child");
	find_exe(l, two);
	assert_exe(l, "/bin/child");
	located_start(l, one, "app");
	find_exe(l, one);
	assert_exe(l, "/bin/app");
	find_exe(l, two);
	assert_exe(l, "/bin/app");
	located_free(l);
}

static void test_every_allocation_may_fail(void **state)
{
	int nr_failures = 0, err = -ENOMEM;

	(void)state;
	for (long n = 0; err < 0; n++) {
		struct located *l = located_new(0);
		uint64_t ids[STACK_LOCATOR_MAX];
		uint32_t epoch;

		located_start(l, one, "app");
		epoch = located_epoch(l, one);
		allocations_left = n;
		err = stack_locator_find_exe(&l->locator, epoch);
		if (!err)
			err = stack_locator_find(&l->locator, PPROF_SOURCE_CPU,
						 raw_stack(raw_stack_tag(epoch, false, 0, 1), 2),
						 ids);
		allocations_left = -1;
		assert_true(err == 3 || err == -ENOMEM);
		nr_failures += err < 0;
		located_free(l);
	}
	assert_true(nr_failures > 3);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tag),
		WITH_SETUP(test_return_addresses),
		WITH_SETUP(test_truncated),
		WITH_SETUP(test_no_frames),
		cmocka_unit_test(test_first_known_program),
		cmocka_unit_test(test_program_of_the_pid),
		cmocka_unit_test(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
