// SPDX-License-Identifier: GPL-2.0
// flags: -std=c11 -O1 -g
/*
 * The ABI is what these numbers say: a change to any of them breaks programs
 * that were built before. New fields and constants are added at the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "pprof.h"
#include "pprof_table.h"

struct pin {
	const char *name;
	uint64_t is;
	uint64_t want;
};

#define NR(array)		(sizeof(array) / sizeof(*(array)))
#define CONSTANT(name, want)	{ #name, name, want }
#define SIZE(type, want)	{ "sizeof " #type, sizeof(struct type), want }
#define OFFSET(type, m, want)	{ #type "." #m, offsetof(struct type, m), want }

static void assert_pins(const struct pin *pins, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (pins[i].is != pins[i].want)
			fail_msg("%s is %#llx, not %#llx", pins[i].name,
				 (unsigned long long)pins[i].is, (unsigned long long)pins[i].want);
}

static void test_sizes(void **state)
{
	static const struct pin pins[] = {
		SIZE(pprof_info, 24), SIZE(pprof_setup, 24), SIZE(pprof_attach, 24),
		SIZE(pprof_start, 16), SIZE(pprof_stop, 8), SIZE(pprof_ring_tail, 8),
		SIZE(pprof_ring_head, 2744), SIZE(pprof_record, 8), SIZE(pprof_event, 32),
		SIZE(pprof_sample, 80), SIZE(pprof_fork, 48), SIZE(pprof_exec, 56),
		SIZE(pprof_exit, 32), SIZE(pprof_thread_end, 32),
		SIZE(pprof_comm, 48), SIZE(pprof_mmap, 72),
		SIZE(pprof_drop, 32), SIZE(pprof_enter, 32),
		SIZE(pprof_table_add, 24), SIZE(pprof_table_drop, 8), SIZE(pprof_table_bind, 24),
		SIZE(pprof_range, 32), SIZE(pprof_ranges, 48), SIZE(pprof_table_head, 32),
		SIZE(pprof_tls_address, 16),
		SIZE(pprof_rule, 16), SIZE(pprof_row, 3),
		SIZE(pprof_custom, 104), SIZE(pprof_custom_name, 72),
		SIZE(pprof_custom_list, 24), SIZE(pprof_custom_read, 112),
		SIZE(pprof_custom_value, 16), SIZE(pprof_label, 328), SIZE(pprof_label_slot, 24),
		SIZE(pprof_sample_labels, 16), SIZE(pprof_sample_context, 8),
	};

	(void)state;
	assert_pins(pins, NR(pins));
}

static void test_ioctls(void **state)
{
	static const struct pin pins[] = {
		CONSTANT(PPROF_IOC_INFO, 0xc018eb10), CONSTANT(PPROF_IOC_SETUP, 0x4018eb11),
		CONSTANT(PPROF_IOC_ATTACH, 0xc018eb12), CONSTANT(PPROF_IOC_EXEC_ID, 0xc018eb13),
		CONSTANT(PPROF_IOC_START, 0x4010eb14), CONSTANT(PPROF_IOC_STOP, 0x4008eb15),
		CONSTANT(PPROF_IOC_TABLE_ADD, 0xc018eb16),
		CONSTANT(PPROF_IOC_CUSTOM, 0xc068eb1c), CONSTANT(PPROF_IOC_CUSTOM_LIST, 0xc018eb1d),
		CONSTANT(PPROF_IOC_CUSTOM_READ, 0xc070eb1e),
		CONSTANT(PPROF_IOC_TABLE_DROP, 0x4008eb17),
		CONSTANT(PPROF_IOC_TABLE_BIND, 0x4018eb20), CONSTANT(PPROF_IOC_RANGES, 0x4030eb18),
		CONSTANT(PPROF_IOC_THREADS, 0xc010eb19),
		CONSTANT(PPROF_IOC_LABEL, 0xc148eb1b), CONSTANT(PPROF_IOC_LABEL_SLOT, 0xc018eb1f),
		CONSTANT(PPROF_IOC_HEAP, 0x4010eb1a),
	};

	(void)state;
	assert_pins(pins, NR(pins));
}

static void test_arguments(void **state)
{
	static const struct pin pins[] = {
		OFFSET(pprof_info, size, 0), OFFSET(pprof_info, abi_major, 4),
		OFFSET(pprof_info, abi_minor, 6), OFFSET(pprof_info, nr_cpus, 8),
		OFFSET(pprof_info, pad, 12), OFFSET(pprof_info, sources, 16),
		OFFSET(pprof_setup, size, 0), OFFSET(pprof_setup, flags, 4),
		OFFSET(pprof_setup, ring_bytes, 8), OFFSET(pprof_setup, watermark_bytes, 12),
		OFFSET(pprof_setup, max_frames, 16), OFFSET(pprof_setup, cgroup, 20),
		OFFSET(pprof_attach, size, 0), OFFSET(pprof_attach, flags, 4),
		OFFSET(pprof_attach, pid, 8), OFFSET(pprof_attach, pad, 12),
		OFFSET(pprof_attach, exec_id, 16),
		OFFSET(pprof_start, size, 0), OFFSET(pprof_start, source, 4),
		OFFSET(pprof_start, period, 8),
		OFFSET(pprof_stop, size, 0), OFFSET(pprof_stop, source, 4),
		OFFSET(pprof_threads, size, 0), OFFSET(pprof_threads, flags, 4),
		OFFSET(pprof_threads, next, 8), OFFSET(pprof_threads, pad, 12),
		OFFSET(pprof_custom, size, 0), OFFSET(pprof_custom, op, 4),
		OFFSET(pprof_custom, value, 8), OFFSET(pprof_custom, frames, 16),
		OFFSET(pprof_custom, nr_frames, 24), OFFSET(pprof_custom, flags, 28),
		OFFSET(pprof_custom, count, 32), OFFSET(pprof_custom, name, 40),
		OFFSET(pprof_custom_name, count, 0), OFFSET(pprof_custom_name, name, 8),
		OFFSET(pprof_custom_list, size, 0), OFFSET(pprof_custom_list, pid, 4),
		OFFSET(pprof_custom_list, names, 8), OFFSET(pprof_custom_list, room, 16),
		OFFSET(pprof_custom_list, nr, 20),
		OFFSET(pprof_custom_value, value, 0), OFFSET(pprof_custom_value, nr_frames, 8),
		OFFSET(pprof_custom_value, flags, 12), OFFSET(pprof_custom_value, frames, 16),
		OFFSET(pprof_custom_read, size, 0), OFFSET(pprof_custom_read, pid, 4),
		OFFSET(pprof_custom_read, exec_id, 8), OFFSET(pprof_custom_read, data, 16),
		OFFSET(pprof_custom_read, bytes, 24), OFFSET(pprof_custom_read, pad, 28),
		OFFSET(pprof_custom_read, next, 32), OFFSET(pprof_custom_read, until, 40),
		OFFSET(pprof_custom_read, name, 48),
		OFFSET(pprof_label, size, 0), OFFSET(pprof_label, set, 4),
		OFFSET(pprof_label, key, 8), OFFSET(pprof_label, value, 72),
		OFFSET(pprof_label_slot, size, 0), OFFSET(pprof_label_slot, pad, 4),
		OFFSET(pprof_label_slot, address, 8), OFFSET(pprof_label_slot, address_space, 16),
	};

	(void)state;
	assert_pins(pins, NR(pins));
}

static void test_rings(void **state)
{
	static const struct pin pins[] = {
		OFFSET(pprof_ring_tail, tail, 0),
		OFFSET(pprof_ring_head, head, 0), OFFSET(pprof_ring_head, ring_bytes, 8),
		OFFSET(pprof_ring_head, produced, 16), OFFSET(pprof_ring_head, lost, 144),
		OFFSET(pprof_ring_head, end_reasons, 656), OFFSET(pprof_ring_head, period_ns, 2704),
		OFFSET(pprof_ring_head, wall_period_ns, 2712),
		OFFSET(pprof_ring_head, heap_traps, 2720),
		OFFSET(pprof_ring_head, wall_begin_ns, 2728),
		OFFSET(pprof_ring_head, wall_end_ns, 2736),
		SIZE(pprof_heap, 16), OFFSET(pprof_heap, nr, 4), OFFSET(pprof_heap, probes, 8),
		SIZE(pprof_heap_probe, 16), OFFSET(pprof_heap_probe, fd, 0),
		OFFSET(pprof_heap_probe, function, 4), OFFSET(pprof_heap_probe, offset, 8),
		SIZE(pprof_free, 40), OFFSET(pprof_free, object, 32),
		CONSTANT(PPROF_MMAP_TAIL(0), 0), CONSTANT(PPROF_MMAP_DATA(0), 0x80000000),
		CONSTANT(PPROF_MMAP_TAIL(3), 0x300000000),
		CONSTANT(PPROF_MMAP_DATA(3), 0x380000000),
		CONSTANT(PPROF_NR_CLASSES, 16), CONSTANT(PPROF_MAX_LOST, 4),
		CONSTANT(PPROF_MAX_END_REASONS, 16),
		CONSTANT(PPROF_MIN_RING_BYTES, 32768), CONSTANT(PPROF_MAX_RING_BYTES, 67108864),
	};

	(void)state;
	assert_pins(pins, NR(pins));
}

static void test_records(void **state)
{
	static const struct pin pins[] = {
		OFFSET(pprof_record, type, 0), OFFSET(pprof_record, size, 4),
		OFFSET(pprof_event, rec, 0), OFFSET(pprof_event, time_ns, 8),
		OFFSET(pprof_event, pid, 16), OFFSET(pprof_event, tid, 20),
		OFFSET(pprof_event, exec_id, 24),
		OFFSET(pprof_sample, weight, 32), OFFSET(pprof_sample, arg, 40),
		OFFSET(pprof_sample, value, 48),
		OFFSET(pprof_sample, source, 56), OFFSET(pprof_sample, nr_kernel, 57),
		OFFSET(pprof_sample, end_reason, 58), OFFSET(pprof_sample, nr_shared, 59),
		OFFSET(pprof_sample, nr_frames, 60), OFFSET(pprof_sample, flags, 62),
		OFFSET(pprof_sample, comm, 64),
		OFFSET(pprof_sample, frames, 80),
		OFFSET(pprof_sample_labels, set, 0), OFFSET(pprof_sample_labels, bytes, 8),
		OFFSET(pprof_sample_labels, pad, 12), OFFSET(pprof_sample_labels, text, 16),
		OFFSET(pprof_fork, child_exec_id, 32), OFFSET(pprof_fork, child_pid, 40),
		OFFSET(pprof_exec, old_exec_id, 32), OFFSET(pprof_exec, comm, 40),
		OFFSET(pprof_comm, comm, 32),
		OFFSET(pprof_mmap, start, 32), OFFSET(pprof_mmap, end, 40),
		OFFSET(pprof_mmap, offset, 48), OFFSET(pprof_mmap, ino, 56),
		OFFSET(pprof_mmap, dev_major, 64), OFFSET(pprof_mmap, dev_minor, 68),
		OFFSET(pprof_mmap, name, 72),
		CONSTANT(PPROF_REC_PAD, 0), CONSTANT(PPROF_REC_SAMPLE, 1),
		CONSTANT(PPROF_REC_FORK, 2), CONSTANT(PPROF_REC_EXEC, 3),
		CONSTANT(PPROF_REC_EXIT, 4), CONSTANT(PPROF_REC_COMM, 5),
		CONSTANT(PPROF_REC_MMAP, 6), CONSTANT(PPROF_REC_DROP, 7),
		CONSTANT(PPROF_REC_THREAD_END, 8),
		CONSTANT(PPROF_REC_FREE, 10), CONSTANT(PPROF_REC_ENTER, 11),
	};

	(void)state;
	assert_pins(pins, NR(pins));
}

static void test_tables(void **state)
{
	static const struct pin pins[] = {
		OFFSET(pprof_table_add, table, 4), OFFSET(pprof_table_add, data, 8),
		OFFSET(pprof_table_add, bytes, 16), OFFSET(pprof_table_drop, table, 4),
		OFFSET(pprof_table_bind, table, 4), OFFSET(pprof_table_bind, fd, 8),
		OFFSET(pprof_table_bind, ctime_nsec, 12), OFFSET(pprof_table_bind, ctime_sec, 16),
		OFFSET(pprof_ranges, pid, 4), OFFSET(pprof_ranges, exec_id, 8),
		OFFSET(pprof_ranges, ranges, 16), OFFSET(pprof_ranges, nr, 24),
		OFFSET(pprof_ranges, context, 32), OFFSET(pprof_tls_address, module, 4),
		OFFSET(pprof_tls_address, format, 6), OFFSET(pprof_sample_context, format, 4),
		OFFSET(pprof_tls_address, offset, 8), OFFSET(pprof_sample_context, data, 8),
		OFFSET(pprof_range, start, 0), OFFSET(pprof_range, end, 8),
		OFFSET(pprof_range, bias, 16), OFFSET(pprof_range, table, 24),
		OFFSET(pprof_table_head, magic, 0), OFFSET(pprof_table_head, bytes, 4),
		OFFSET(pprof_table_head, start, 8), OFFSET(pprof_table_head, nr_pages, 16),
		OFFSET(pprof_table_head, nr_rows, 20), OFFSET(pprof_table_head, nr_rules, 24),
		OFFSET(pprof_table_head, machine, 28), OFFSET(pprof_table_head, flags, 30),
		OFFSET(pprof_rule, cfa, 0), OFFSET(pprof_rule, reg, 1),
		OFFSET(pprof_rule, ra, 2), OFFSET(pprof_rule, fp, 3),
		OFFSET(pprof_rule, cfa_offset, 4), OFFSET(pprof_rule, cfa_add, 8),
		OFFSET(pprof_rule, fp_offset, 12), OFFSET(pprof_rule, base_offset, 14),
		CONSTANT(PPROF_TABLE_MAGIC, 0x33425450), CONSTANT(PPROF_TABLE_PAGE_BYTES, 256),
		CONSTANT(PPROF_TABLE_MAX_BYTES, 64 << 20), CONSTANT(PPROF_TABLE_MAX_RULES, 4096),
		CONSTANT(PPROF_MAX_RANGES, 4096), CONSTANT(PPROF_TABLE_BASE, 1),
		OFFSET(pprof_row, low, 0), OFFSET(pprof_row, rule, 1),
		CONSTANT(PPROF_ROW_PLAIN, 0x8000), CONSTANT(PPROF_ROW_KIND, 0x9000),
		CONSTANT(PPROF_ROW_SAVED_SHIFT, 12), CONSTANT(PPROF_ROW_MAX_SAVED, 7),
		CONSTANT(PPROF_ROW_MAX_WORDS, 4095),
		CONSTANT(PPROF_CFA_NONE, 0), CONSTANT(PPROF_CFA_END, 1),
		CONSTANT(PPROF_CFA_SP, 2), CONSTANT(PPROF_CFA_FP, 3),
		CONSTANT(PPROF_CFA_BASE, 4), CONSTANT(PPROF_CFA_PLT, 5),
		CONSTANT(PPROF_CFA_SIGNAL, 6), CONSTANT(PPROF_CFA_DEREF_SP, 7),
		CONSTANT(PPROF_CFA_DEREF_FP, 8), CONSTANT(PPROF_CFA_REG, 9),
		CONSTANT(PPROF_CFA_UNSUPPORTED, 10), CONSTANT(PPROF_CFA_FRAME_POINTER, 11),
		CONSTANT(PPROF_CFA_CLONE, 12), CONSTANT(PPROF_CFA_OTHER_STACK, 13),
		CONSTANT(PPROF_NR_CFA, 14),
		CONSTANT(PPROF_FP_SAME, 0), CONSTANT(PPROF_FP_SAVED, 1),
		CONSTANT(PPROF_FP_AT_FP, 2), CONSTANT(PPROF_FP_LOST, 3),
		CONSTANT(PPROF_NR_FP, 4), CONSTANT(PPROF_REG_RA, 16),
	};

	(void)state;
	assert_pins(pins, NR(pins));
}

static void test_constants(void **state)
{
	static const struct pin pins[] = {
		CONSTANT(PPROF_ABI_MAJOR, 3), CONSTANT(PPROF_ABI_MINOR, 5),
		CONSTANT(PPROF_MAX_FRAMES, 256), CONSTANT(PPROF_DEFAULT_FRAMES, 127),
		CONSTANT(PPROF_MIN_PERIOD_NS, 100000), CONSTANT(PPROF_MAX_PERIOD_NS, 1000000000),
		CONSTANT(PPROF_MAX_BLOCK_RATE_NS, 1000000000000),
		CONSTANT(PPROF_MAX_MUTEX_FRACTION, 1U << 31),
		CONSTANT(PPROF_COMM_LEN, 16), CONSTANT(PPROF_MAX_GROWTH_PERIOD, 1 << 30),
		CONSTANT(PPROF_MAX_HEAP_PERIOD, 1 << 30), CONSTANT(PPROF_MAX_HEAP_PROBES, 64),
		CONSTANT(PPROF_HEAP_FREE, 0), CONSTANT(PPROF_HEAP_NEW_HANDLER, 1),
		CONSTANT(PPROF_HEAP_REALLOC, 2), CONSTANT(PPROF_HEAP_MALLOC, 3),
		CONSTANT(PPROF_HEAP_CALLOC, 4), CONSTANT(PPROF_HEAP_ALIGNED, 5),
		CONSTANT(PPROF_HEAP_POSIX_MEMALIGN, 6), CONSTANT(PPROF_HEAP_VALLOC, 7),
		CONSTANT(PPROF_HEAP_OUTER_CALLOC, 8), CONSTANT(PPROF_HEAP_NEW, 9),
		CONSTANT(PPROF_HEAP_NEW_HANDLED, 10), CONSTANT(PPROF_HEAP_NEW_ALIGNED, 11),
		CONSTANT(PPROF_CLASS_FREE, 14), CONSTANT(PPROF_NR_HEAP, 12),
		CONSTANT(PPROF_SOURCE_CPU, 0), CONSTANT(PPROF_SOURCE_THREADCREATE, 1),
		CONSTANT(PPROF_SOURCE_WALL, 2), CONSTANT(PPROF_SOURCE_BLOCK, 3),
		CONSTANT(PPROF_SOURCE_MUTEX, 4), CONSTANT(PPROF_SOURCE_HEAP, 5),
		CONSTANT(PPROF_SOURCE_GROWTH, 6), CONSTANT(PPROF_SOURCE_THREAD, 7),
		CONSTANT(PPROF_SOURCE_CUSTOM, 8),
		CONSTANT(PPROF_NR_SOURCES, 9), CONSTANT(PPROF_THREAD_RUNNING, ~1ULL),
		CONSTANT(PPROF_THREAD_RUNNABLE, ~2ULL), CONSTANT(PPROF_THREAD_STOPPED, ~3ULL),
		CONSTANT(PPROF_CLASS_EVENT, 15), CONSTANT(PPROF_NO_SYSCALL, ~0ULL),
		CONSTANT(PPROF_LOST_FULL, 0), CONSTANT(PPROF_LOST_QUEUE, 1),
		CONSTANT(PPROF_NR_LOST, 2),
		CONSTANT(PPROF_SETUP_ALL, 1), CONSTANT(PPROF_SETUP_CHILDREN, 2),
		CONSTANT(PPROF_END_COMPLETE, 0), CONSTANT(PPROF_END_NO_USER, 1),
		CONSTANT(PPROF_END_FAULT, 2), CONSTANT(PPROF_END_BAD_FRAME, 3),
		CONSTANT(PPROF_END_DEPTH, 4), CONSTANT(PPROF_END_COMPAT, 5),
		CONSTANT(PPROF_END_NO_RANGES, 6), CONSTANT(PPROF_END_NO_RANGE, 7),
		CONSTANT(PPROF_END_NO_RULE, 8), CONSTANT(PPROF_END_BAD_CFA, 9),
		CONSTANT(PPROF_END_UNSUPPORTED, 10), CONSTANT(PPROF_END_LOST_REG, 11),
		CONSTANT(PPROF_END_URETPROBE, 12),
		CONSTANT(PPROF_END_NOT_SHARED, 13),
		CONSTANT(PPROF_NR_END_REASONS, 14), CONSTANT(PPROF_SAMPLE_GUESS, 1),
		CONSTANT(PPROF_SAMPLE_STALE, 2), CONSTANT(PPROF_SETUP_TABLES, 4),
		CONSTANT(PPROF_SETUP_THREAD_ENDS, 8), CONSTANT(PPROF_SETUP_SNAPSHOT, 16),
		CONSTANT(PPROF_SETUP_KERNEL, 32), CONSTANT(PPROF_MAX_KERNEL_FRAMES, 64),
		CONSTANT(PPROF_SETUP_CGROUP, 64), CONSTANT(PPROF_SETUP_SHARED, 256),
		CONSTANT(PPROF_SHARED_STACKS, 8),
		CONSTANT(PPROF_SETUP_CONTEXT, 128), CONSTANT(PPROF_SAMPLE_CONTEXT, 8),
		CONSTANT(PPROF_TLS_STATIC, 1), CONSTANT(PPROF_TLS_DTV_GLIBC, 2),
		CONSTANT(PPROF_TLS_DTV_MUSL, 3), CONSTANT(PPROF_MAX_CONTEXT_BYTES, 640),
		CONSTANT(PPROF_CONTEXT_OTEL, 0), CONSTANT(PPROF_CONTEXT_LABELS, 1),
		CONSTANT(PPROF_MAX_CONTEXT_LABELS, 16),
		CONSTANT(PPROF_CUSTOM_NAME_BYTES, 64), CONSTANT(PPROF_MAX_CUSTOM_PROFILES, 64),
		CONSTANT(PPROF_MAX_CUSTOM_VALUES, 65536),
		CONSTANT(PPROF_MAX_CUSTOM_FRAMES, 1 << 21),
		CONSTANT(PPROF_CUSTOM_NEW, 0), CONSTANT(PPROF_CUSTOM_ADD, 1),
		CONSTANT(PPROF_CUSTOM_REMOVE, 2), CONSTANT(PPROF_CUSTOM_COUNT, 3),
		CONSTANT(PPROF_NR_CUSTOM_OPS, 4), CONSTANT(PPROF_CUSTOM_TRUNCATED, 1),
		CONSTANT(PPROF_MIN_CUSTOM_BYTES, 4096),
	};

	(void)state;
	assert_pins(pins, NR(pins));
}

static void test_netlink(void **state)
{
	static const struct pin pins[] = {
		CONSTANT(PPROF_GENL_VERSION, 1),
		CONSTANT(PPROF_CMD_SESSION_GET, 1), CONSTANT(PPROF_CMD_LISTEN, 2),
		CONSTANT(PPROF_CMD_THREAD, 3), CONSTANT(PPROF_CMD_FLUSH, 4),
		CONSTANT(PPROF_A_PAD, 1), CONSTANT(PPROF_A_SESSION_ID, 2),
		CONSTANT(PPROF_A_FLAGS, 3), CONSTANT(PPROF_A_PID, 4), CONSTANT(PPROF_A_TID, 5),
		CONSTANT(PPROF_A_UID, 6), CONSTANT(PPROF_A_COMM, 7),
		CONSTANT(PPROF_A_TARGETS, 8), CONSTANT(PPROF_A_SOURCES, 9),
		CONSTANT(PPROF_A_PERIOD_NS, 10), CONSTANT(PPROF_A_RING_BYTES, 11),
		CONSTANT(PPROF_A_CPU, 12), CONSTANT(PPROF_A_CPU_ID, 13),
		CONSTANT(PPROF_A_PENDING, 14), CONSTANT(PPROF_A_CLASS, 15),
		CONSTANT(PPROF_A_CLASS_ID, 16), CONSTANT(PPROF_A_PRODUCED, 17),
		CONSTANT(PPROF_A_LOST, 18), CONSTANT(PPROF_A_STACKS, 19),
		CONSTANT(PPROF_A_SEQ, 20), CONSTANT(PPROF_A_NEW_TID, 21),
		CONSTANT(PPROF_A_TIME_NS, 22), CONSTANT(PPROF_A_EXEC_ID, 23),
		CONSTANT(PPROF_A_FRAMES, 24), CONSTANT(PPROF_A_END_REASON, 25),
		CONSTANT(PPROF_A_END_REASONS, 26), CONSTANT(PPROF_A_TICK_NS, 27),
		CONSTANT(PPROF_A_WALL_PERIOD_NS, 28), CONSTANT(PPROF_A_WALL_TICK_NS, 29),
		CONSTANT(PPROF_A_MAX, 29),
	};

	(void)state;
	assert_pins(pins, NR(pins));
	assert_string_equal(PPROF_GENL_NAME, "pprof");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_ioctls),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_rings),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_netlink),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
