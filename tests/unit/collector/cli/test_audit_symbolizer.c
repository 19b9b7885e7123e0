// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/cgroup.c collector/procfs/cgroup_names.c
// sources: collector/process/exec_perf_map.c
// sources: collector/cli/audit_symbolizer.c collector/aggregate/aggregator.c
// sources: collector/device/ring.c collector/process/processes.c collector/procfs/procfs.c
// sources: collector/process/mapped_files.c collector/process/kernel_image.c
// sources: collector/process/kept_names.c collector/process/file_version.c
// sources: collector/process/mapped_symbols.c
// sources: collector/process/file_numbers.c collector/process/file_opening.c
// sources: collector/process/open_inodes.c
// sources: collector/procfs/vdso.c
// sources: collector/procfs/maps.c
// sources: collector/aggregate/locations.c collector/aggregate/label_sets.c
// sources: collector/aggregate/named_code.c
// sources: collector/symbol/perf_map.c collector/base/tuple_map.c collector/symbol/kallsyms.c
// sources: collector/base/string_table.c collector/device/end_reason.c
// sources: collector/aggregate/profile_types.c collector/device/wait_class.c
// sources: collector/aggregate/stack_values.c collector/aggregate/thread_lifetimes.c
// sources: collector/device/thread_state.c collector/process/address_space.c
// sources: collector/device/sideband.c collector/base/regular_file.c
// sources: collector/aggregate/heap_objects.c collector/device/sample_record.c
// sources: collector/device/shared_frames.c
// sources: collector/aggregate/truncation.c collector/procfs/live_thread.c
// sources: collector/procfs/time_namespace.c collector/aggregate/sample_labels.c
// sources: collector/process/exec_image.c collector/procfs/mapped_file.c
// sources: collector/aggregate/source_stacks.c collector/aggregate/stack_locator.c
// sources: collector/procfs/context_mapping.c collector/process/published_context.c
// sources: collector/process/thread_context.c collector/process/process_context.c
// sources: collector/base/utf8.c
// sources: collector/aggregate/compaction.c
// libs: -lxxhash -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
/* The module is played by this file. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "device/device.h"
#include "fail_alloc.h"
#include "fakering.h"
#include "fakesym.h"
#include "life.h"
#include "cli/audit_symbolizer.h"

#define CODE		0x7ffd00000000

/* Of libasan; gcc has no header of it. */
size_t __sanitizer_get_current_allocated_bytes(void);

static const struct process one = { 0x40000001, 100 };

static struct {
	struct fakering ring;
	int open_error;
	int setup_error;
	int nr_open;
} module;

struct device *device_open(void)
{
	errno = module.open_error;
	module.nr_open += !module.open_error;
	return module.open_error ? NULL : (struct device *)&module;
}

void device_close(struct device *d)
{
	module.nr_open -= !!d;
}

int device_setup(struct device *d, uint32_t flags, uint32_t ring_bytes, uint32_t max_frames)
{
	(void)d;
	(void)max_frames;
	assert_int_equal(flags, PPROF_SETUP_ALL);
	assert_true(ring_bytes > 0);
	return module.setup_error;
}

int device_exec_id(struct device *d, pid_t pid, uint64_t *exec_id)
{
	(void)d;
	(void)pid;
	(void)exec_id;
	return -ESRCH;
}

int device_fd(const struct device *d)
{
	return d ? 33 : -1;
}

/* The second CPU is absent. */
uint32_t device_nr_rings(const struct device *d)
{
	return d ? 2 : 0;
}

struct ring *device_ring(struct device *d, uint32_t cpu)
{
	assert_non_null(d);
	return cpu ? NULL : &module.ring.ring;
}

static const struct fake_symbol symbols[] = {
	{ 0x10, 1, { { .name = "leaf", .system_name = "leaf", .file = "a.c", .line = 3 } } },
	{ 0x20, 2, { { .name = "inlined", .system_name = "inlined", .line = 4 },
		     { .name = "outer", .system_name = "outer", .line = 9 } } },
	{ 0 },
};

static int begin(void **state)
{
	(void)state;
	memset(&module, 0, sizeof(module));
	fakering_init(&module.ring);
	fake_symbols = symbols;
	return 0;
}

static void start_process(void)
{
	life_exec(fakering_next(&module.ring), 1000, one, 0, "app");
	fakering_push(&module.ring);
	life_mmap(fakering_next(&module.ring), 1001, one, CODE, CODE + 0x1000, 0, "[vdso]");
	fakering_push(&module.ring);
}

/* Those of a return address are the names of the call before it. */
static void test_names(void **state)
{
	static const uint64_t addresses[] = { CODE + 0x11, CODE + 0x21, CODE + 0x31, 0x10 };
	struct audit_symbolizer *n = audit_symbolizer_new();
	struct audit_frame out[8];

	(void)state;
	assert_non_null(n);
	assert_int_equal(audit_symbolizer_fd(n), 33);
	start_process();
	assert_int_equal(audit_symbolizer_name(n, one.pid, one.exec_id, addresses, 4, out, 8), 5);
	assert_string_equal(out[0].function, "leaf");
	assert_string_equal(out[0].file, "a.c");
	assert_int_equal(out[0].line, 3);
	assert_string_equal(out[1].function, "inlined");
	assert_string_equal(out[2].function, "outer");
	assert_int_equal(out[2].address, CODE + 0x21);
	assert_null(out[3].function);
	assert_int_equal(out[3].address, CODE + 0x31);
	assert_null(out[4].function);
	audit_symbolizer_free(n);
	assert_int_equal(module.nr_open, 0);
}

static void test_no_room(void **state)
{
	static const uint64_t addresses[] = { CODE + 0x21, CODE + 0x11 };
	struct audit_symbolizer *n = audit_symbolizer_new();
	struct audit_frame out[1];

	(void)state;
	assert_non_null(n);
	start_process();
	assert_int_equal(audit_symbolizer_name(n, one.pid, one.exec_id, addresses, 2, out, 1), 1);
	assert_string_equal(out[0].function, "inlined");
	audit_symbolizer_free(n);
}

/* Whoever makes threads from ever new places does not use up our memory. */
static void test_no_end_of_addresses(void **state)
{
	struct audit_symbolizer *n = audit_symbolizer_new();
	struct audit_frame out[1];
	size_t in_use[2] = { 0 };

	(void)state;
	start_process();
	for (uint64_t i = 0; i < 1000000; i++) {
		uint64_t address = CODE + 0x100 + i;

		assert_int_equal(audit_symbolizer_name(n, one.pid, one.exec_id, &address, 1, out,
						       1), 1);
		assert_int_equal(out[0].address, address);
		if (i == 300000)
			in_use[0] = __sanitizer_get_current_allocated_bytes();
	}
	in_use[1] = __sanitizer_get_current_allocated_bytes();
	assert_true(in_use[1] < 2 * in_use[0]);
	audit_symbolizer_free(n);
}

static void test_the_module_refuses(void **state)
{
	(void)state;
	module.open_error = EPERM;
	assert_null(audit_symbolizer_new());
	assert_int_equal(errno, EPERM);
	module.open_error = 0;
	module.setup_error = -EPERM;
	assert_null(audit_symbolizer_new());
	assert_int_equal(errno, EPERM);
	assert_int_equal(module.nr_open, 0);
	audit_symbolizer_free(NULL);
}

/* Wherever memory ends, nothing stays. */
static void test_no_memory(void **state)
{
	struct audit_symbolizer *n = NULL;
	int nr = 0;

	(void)state;
	for (; !n && nr < 1000; nr++) {
		allocations_left = nr;
		n = audit_symbolizer_new();
		allocations_left = -1;
		assert_int_equal(module.nr_open, !!n);
	}
	assert_non_null(n);
	assert_true(nr > 5);
	audit_symbolizer_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_names, begin),
		cmocka_unit_test_setup(test_no_room, begin),
		cmocka_unit_test_setup(test_no_end_of_addresses, begin),
		cmocka_unit_test_setup(test_the_module_refuses, begin),
		cmocka_unit_test_setup(test_no_memory, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
