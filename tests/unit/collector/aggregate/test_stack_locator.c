// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/cgroup.c collector/procfs/cgroup_names.c
// sources: collector/process/exec_perf_map.c
// sources: collector/aggregate/stack_locator.c collector/device/end_reason.c
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
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "aggregate/stack_locator.h"
#include "device/end_reason.h"
#include "fail_alloc.h"
#include "fakesym.h"
#include "located.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))

static const struct process one = { 0x40000001, 100 }, two = { 0x40000002, 200 };

#define KERNEL	0xffffffff81000000

/* A raw stack of at most PPROF_MAX_FRAMES addresses, from 0x400100 in steps of 0x100. */
static struct tuple *raw_stack(uint64_t tag, uint32_t nr)
{
	static uint64_t room[sizeof(struct tuple) / sizeof(uint64_t) + RAW_STACK_MAX];
	struct tuple *raw = (struct tuple *)room;

	*raw = (struct tuple){ .tag = tag, .nr_frames = nr };
	for (uint32_t i = 0; i < nr; i++)
		raw->frames[i] = 0x400100 + 0x100 * i;
	return raw;
}

/* The same, with addresses of the kernel before those of the user. */
static const struct tuple *raw_with_kernel(uint64_t tag, const uint64_t *kernel, uint32_t nr_kernel,
					   uint32_t nr_user)
{
	struct tuple *raw = raw_stack(tag | RAW_STACK_KERNEL, nr_user);

	memmove(raw->frames + nr_kernel, raw->frames, nr_user * sizeof(*raw->frames));
	memcpy(raw->frames, kernel, nr_kernel * sizeof(*kernel));
	raw->frames[nr_kernel + nr_user] = nr_kernel;
	raw->nr_frames += nr_kernel + 1;
	return raw;
}

/* Gives the files the symbols of a kernel. */
static void load_kallsyms(struct located *l)
{
	static const char text[] =
		"ffffffff81000000 T _stext\n"
		"ffffffff81000100 T vfs_read\n"
		"ffffffff81000200 T do_syscall_64\n"
		"ffffffff81000300 T __traceiter_sched_switch\n"
		"ffffffffc0001000 t ovl_open\t[overlay]\n";
	int fd = memfd_create("kallsyms", 0);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	mapped_files_set_kallsyms(l->files, fd);
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
	assert_false(raw_stack_tag(UINT32_MAX, true, RAW_STACK_LABELS_MASK, 15) & RAW_STACK_KERNEL);
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

/* Fails if the number of kernel frames is taken for an address, or if the leaf is not as it is. */
static void test_kernel_frames(void **state)
{
	static const uint64_t kernel[] = { KERNEL + 0x100, KERNEL + 0x200, 0xffffffffc0001000 };
	uint64_t ids[STACK_LOCATOR_MAX];
	struct located *l = *state;
	uint64_t tag = raw_stack_tag(located_epoch(l, one), false, 5, PPROF_END_COMPLETE);

	load_kallsyms(l);
	assert_int_equal(stack_locator_find(&l->locator, PPROF_SOURCE_CPU,
					    raw_with_kernel(tag, kernel, 2, 2), ids), 4);
	assert_string_equal(located_name(l, ids[0]), "vfs_read");
	assert_int_equal(located_address(l, ids[0]), KERNEL + 0x100);
	assert_string_equal(located_name(l, ids[1]), "vfs_read");
	assert_int_equal(located_address(l, ids[1]), KERNEL + 0x1ff);
	assert_int_equal(located_address(l, ids[2]), 0x400100);
	assert_int_equal(located_address(l, ids[3]), 0x4001ff);
	assert_string_equal(mapped_files_path(l->files, locations_file(l->locations, ids[0])),
			    "[kernel.kallsyms]");
	assert_int_equal(stack_locator_find(&l->locator, PPROF_SOURCE_CPU,
					    raw_with_kernel(tag, kernel + 2, 1, 1), ids), 2);
	assert_string_equal(located_name(l, ids[0]), "ovl_open");
	assert_string_equal(mapped_files_path(l->files, locations_file(l->locations, ids[0])),
			    "[overlay]");
}

/* Fails if the frames of a tracepoint are shown at the leaf, or dropped elsewhere. */
static void test_frames_of_tracepoints(void **state)
{
	static const uint64_t kernel[] = { KERNEL + 0x310, KERNEL + 0x110, KERNEL + 0x320 };
	uint64_t ids[STACK_LOCATOR_MAX];
	struct located *l = *state;
	uint64_t tag = raw_stack_tag(located_epoch(l, one), false, 0, PPROF_END_FAULT);

	load_kallsyms(l);
	assert_int_equal(stack_locator_find(&l->locator, PPROF_SOURCE_GROWTH,
					    raw_with_kernel(tag, kernel, 3, 1), ids), 4);
	assert_string_equal(located_name(l, ids[0]), "vfs_read");
	assert_string_equal(located_name(l, ids[1]), "__traceiter_sched_switch");
	assert_int_equal(located_address(l, ids[2]), 0x400100);
	assert_string_equal(located_name(l, ids[3]), end_reason_root(PPROF_END_FAULT));
}

/* The user's part is missing, or a part of the kernel's. The stack says which. */
static void test_truncated_with_kernel_frames(void **state)
{
	static const uint64_t kernel[] = { KERNEL + 0x110, 0 };
	uint64_t ids[STACK_LOCATOR_MAX];
	struct located *l = *state;
	uint32_t epoch = located_epoch(l, one);
	uint64_t no_user = raw_stack_tag(epoch, false, 0, PPROF_END_NO_USER);
	uint64_t whole = raw_stack_tag(epoch, false, 0, PPROF_END_COMPLETE);

	load_kallsyms(l);
	assert_int_equal(stack_locator_find(&l->locator, PPROF_SOURCE_CPU,
					    raw_with_kernel(no_user, kernel, 1, 0), ids), 2);
	assert_string_equal(located_name(l, ids[0]), "vfs_read");
	assert_string_equal(located_name(l, ids[1]), "[truncated: no user stack]");
	assert_int_equal(stack_locator_find(&l->locator, PPROF_SOURCE_CPU,
					    raw_with_kernel(whole, kernel, 2, 1), ids), 3);
	assert_string_equal(located_name(l, ids[1]), STACK_LOCATOR_CUT_NAME);
	assert_int_equal(located_address(l, ids[2]), 0x400100);
}

/* Fails if a kernel frame is looked up in the user's mappings, or the other way round. */
static void test_kernel_frames_without_symbols(void **state)
{
	static const uint64_t kernel[] = { 0x400100, 0x400200 };
	uint64_t ids[STACK_LOCATOR_MAX];
	struct located *l = *state;
	uint64_t tag = raw_stack_tag(located_epoch(l, one), false, 0, PPROF_END_COMPLETE);

	for (int loaded = 0; loaded < 2; loaded++) {
		assert_int_equal(stack_locator_find(&l->locator, PPROF_SOURCE_CPU,
						    raw_with_kernel(tag, kernel, 2, 1), ids), 3);
		assert_string_equal(located_name(l, ids[0]), "[unknown]");
		assert_string_equal(located_name(l, ids[1]), "[unknown]");
		assert_string_equal(located_name(l, ids[2]), "[app]");
		load_kallsyms(l);
	}
}

/* Fails if there is no room for as many frames as a record can have. */
static void test_most_frames(void **state)
{
	uint64_t kernel[PPROF_MAX_KERNEL_FRAMES], ids[STACK_LOCATOR_MAX];
	struct located *l = *state;
	uint64_t tag = raw_stack_tag(located_epoch(l, one), false, 0, PPROF_END_DEPTH);

	load_kallsyms(l);
	for (int i = 0; i < PPROF_MAX_KERNEL_FRAMES; i++)
		kernel[i] = KERNEL + 0x100 + i;
	assert_int_equal(stack_locator_find(&l->locator, PPROF_SOURCE_CPU,
					    raw_with_kernel(tag, kernel, PPROF_MAX_KERNEL_FRAMES,
							    PPROF_MAX_FRAMES), ids),
			 STACK_LOCATOR_MAX);
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
	static const uint64_t kernel[] = { KERNEL + 0x110 };
	int nr_failures = 0, err = -ENOMEM;

	(void)state;
	for (long n = 0; err < 0; n++) {
		struct located *l = located_new(0);
		uint64_t ids[STACK_LOCATOR_MAX];
		uint32_t epoch;

		located_start(l, one, "app");
		load_kallsyms(l);
		epoch = located_epoch(l, one);
		allocations_left = n;
		err = stack_locator_find_exe(&l->locator, epoch);
		if (!err)
			err = stack_locator_find(&l->locator, PPROF_SOURCE_CPU,
						 raw_with_kernel(raw_stack_tag(epoch, false, 0, 1),
								 kernel, 1, 2), ids);
		allocations_left = -1;
		assert_true(err == 4 || err == -ENOMEM);
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
		WITH_SETUP(test_kernel_frames),
		WITH_SETUP(test_frames_of_tracepoints),
		WITH_SETUP(test_truncated_with_kernel_frames),
		WITH_SETUP(test_kernel_frames_without_symbols),
		WITH_SETUP(test_most_frames),
		cmocka_unit_test(test_first_known_program),
		cmocka_unit_test(test_program_of_the_pid),
		cmocka_unit_test(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
