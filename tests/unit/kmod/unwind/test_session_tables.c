// SPDX-License-Identifier: GPL-2.0
// sources: kmod/unwind/session_tables.c kmod/unwind/process_ranges.c kmod/unwind/bound_files.c
// sources: kmod/unwind/range_pool.c kmod/unwind/shared_table.c
// libs: -Wl,--wrap=pprof_range_list_has
// include: -Itests/unit/shim -include kmod/base/compat.h -Wno-unused-parameter -Wno-sign-compare
/*
 * The ranges that a hook adds, beside those that a reader sends. The numbers of tables and RCU are
 * the test's: what is put is freed by grace(). Sanitizers find a reference too many or too few.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <linux/rcupdate.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>

#include "kmod/unwind/session_tables.h"

#define TGID		100
#define EXEC		9ULL
#define VDSO		6
#define NR_NUMBERS	8
#define POOL		512	/* 4 CPUs */
#define LIBRARIES	34

bool shim_irqs_are_off;

static void *numbers[NR_NUMBERS];
static struct rcu_head *callbacks[4096];
static u32 nr_callbacks;
static struct pprof_session_tables tables;
static bool is_writable;		/* what is mapped next */
static void (*meanwhile)(void);		/* runs once, in the midst of a set */
static void (*unlocked)(void);		/* runs once, after a reference to a table is taken */

void *__vmalloc(unsigned long size, unsigned int gfp)
{
	return malloc(size);
}

unsigned long copy_from_user(void *to, const void *from, unsigned long bytes)
{
	memcpy(to, from, bytes);
	return 0;
}

int pprof_table_init(struct pprof_table *table, const void *data, u32 bytes)
{
	*table = (struct pprof_table) { .nr_rules = *(const u32 *)data };
	return 0;
}

int xa_alloc(struct xarray *xa, u32 *number, void *entry, struct xa_limit limit, unsigned int gfp)
{
	for (*number = 1; numbers[*number]; ++*number)
		assert_true(*number + 1 < NR_NUMBERS);
	numbers[*number] = entry;
	return 0;
}

void *xa_load(struct xarray *xa, unsigned long number)
{
	return number < NR_NUMBERS ? numbers[number] : NULL;
}

void *xa_erase(struct xarray *xa, unsigned long number)
{
	void *entry = xa_load(xa, number);

	if (entry)
		numbers[number] = NULL;
	return entry;
}

void shim_xa_unlocked(struct xarray *xa)
{
	void (*call)(void) = unlocked;

	unlocked = NULL;
	if (call)
		call();
}

void *shim_xa_next(struct xarray *xa, unsigned long *number)
{
	while (*number < NR_NUMBERS && !numbers[*number])
		++*number;
	return xa_load(xa, *number);
}

void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head))
{
	head->func = func;
	assert_true(nr_callbacks < ARRAY_SIZE(callbacks));
	callbacks[nr_callbacks++] = head;
}

static void grace(void)
{
	while (nr_callbacks) {
		struct rcu_head *head = callbacks[--nr_callbacks];

		head->func(head);
	}
}

void rcu_barrier(void)
{
	grace();
}

bool __real_pprof_range_list_has(const struct pprof_range_list *list,
				 const struct pprof_process_range *range);
bool __wrap_pprof_range_list_has(const struct pprof_range_list *list,
				 const struct pprof_process_range *range);

/* The hook may run between the steps of a set, which looks for each bound range here. */
bool __wrap_pprof_range_list_has(const struct pprof_range_list *list,
				 const struct pprof_process_range *range)
{
	void (*call)(void) = meanwhile;

	meanwhile = NULL;
	if (call)
		call();
	return __real_pprof_range_list_has(list, range);
}

static u32 add_table(void)
{
	u32 number, data[2] = { 0 };

	atomic64_set(&tables.cost, atomic64_read(&tables.cost) + pprof_session_tables_cost(8));
	assert_int_equal(pprof_session_tables_add_table(&tables, data, 8, &number), 0);
	return number;
}

static struct pprof_file_identity file_id(u64 ino)
{
	return (struct pprof_file_identity) { .ino = ino, .bytes = 5000, .dev = ino != VDSO };
}

static void bind(u64 ino, u32 table)
{
	struct pprof_file_identity id = file_id(ino);

	assert_int_equal(pprof_session_tables_bind(&tables, table, &id), 0);
}

/* Maps the pages from start on; the file begins at the address 1000. */
static void map_as(pid_t tgid, u64 exec_id, u64 ino, u64 start, u64 nr)
{
	const struct pprof_file_identity id = file_id(ino);
	const struct pprof_process_range range = {
		.start = start * PAGE_SIZE, .end = (start + nr) * PAGE_SIZE, .bias = 1000,
	};

	shim_irqs_are_off = true;
	pprof_session_tables_map(&tables, tgid, exec_id, &range, ino ? &id : NULL, !is_writable);
	shim_irqs_are_off = false;
}

static void map(u64 ino, u64 start, u64 nr)
{
	map_as(TGID, EXEC, ino, start, nr);
}

static struct pprof_range range(u32 table, u64 start, u64 nr)
{
	return (struct pprof_range) { .start = start * PAGE_SIZE, .end = (start + nr) * PAGE_SIZE,
				      .bias = 1000, .table = table };
}

static void send(const struct pprof_range *ranges, u32 nr)
{
	const struct pprof_tls_address none = { .kind = PPROF_TLS_NONE };
	u64 cost = pprof_session_tables_cost(nr * sizeof(*ranges));

	atomic64_set(&tables.cost, atomic64_read(&tables.cost) + cost);
	assert_int_equal(pprof_session_tables_set(&tables, TGID, EXEC, ranges, nr, 3, &none), 0);
}

static const struct pprof_process_ranges *ranges_of(pid_t tgid)
{
	return pprof_session_tables_find(&tables, tgid);
}

/* Returns the table at a page: -1: no range; 0: no table. */
static int table_at(pid_t tgid, u64 page)
{
	const struct pprof_process_ranges *process = ranges_of(tgid);
	const struct pprof_process_range *found =
		process ? pprof_process_ranges_find(process, page * PAGE_SIZE) : NULL;

	if (!found)
		return -1;
	for (int i = 1; found->table && i < NR_NUMBERS; i++)
		if (numbers[i] && (u8 *)found->table > (u8 *)numbers[i] &&
		    (u8 *)found->table < (u8 *)numbers[i] + 64)
			return i;
	return found->table ? -2 : 0;
}

#define assert_at(page, table)	assert_int_equal(table_at(TGID, page), table)

static int begin(void **state)
{
	memset(&tables, 0, sizeof(tables));
	memset(numbers, 0, sizeof(numbers));
	meanwhile = NULL;
	unlocked = NULL;
	is_writable = false;
	return pprof_session_tables_init(&tables);
}

/* Fails if memory is charged that is freed. */
static int end(void **state)
{
	pprof_session_tables_fini(&tables);
	assert_int_equal(atomic64_read(&tables.cost), 0);
	return 0;
}

/* Fails if a file has a table that is not bound to it, or before it is. */
static void test_bound_files(void **state)
{
	u32 one = add_table(), two = add_table();
	struct pprof_file_identity id = file_id(5);

	map(1, 10, 2);
	assert_null(ranges_of(TGID));
	bind(1, one);
	bind(2, two);
	bind(3, 0);
	map(4, 10, 2);
	assert_null(ranges_of(TGID));
	map(1, 10, 2);
	map(2, 4, 1);
	map(3, 20, 1);
	map(0, 30, 1);
	map(4, 40, 1);
	assert_at(9, -1);
	assert_at(10, one);
	assert_at(11, one);
	assert_at(12, -1);
	assert_at(4, two);
	assert_at(20, 0);
	assert_at(30, 0);
	assert_at(40, -1);
	assert_int_equal(ranges_of(TGID)->exec_pages, 5);
	assert_int_equal(pprof_session_tables_bind(&tables, 7, &id), -ENOENT);
}

/* Fails if an older mapping shows through a newer one, of a known file or not. */
static void test_newer_mappings(void **state)
{
	u32 one = add_table(), two = add_table();

	bind(1, one);
	bind(2, two);
	map(1, 10, 9);
	map(2, 12, 2);
	map(4, 16, 1);
	map(0, 18, 1);
	assert_at(11, one);
	assert_at(12, two);
	assert_at(13, two);
	assert_at(14, one);
	assert_at(16, -1);
	assert_at(17, one);
	assert_at(18, 0);
	assert_int_equal(ranges_of(TGID)->exec_pages, 8);
	map(VDSO, 40, 2);
	assert_at(40, -1);
	assert_int_equal(ranges_of(TGID)->exec_pages, 10);
}

/* Fails if a new set has the epoch of an old one: cached rules would be used at its addresses. */
static void test_epochs(void **state)
{
	u64 epoch;

	bind(1, add_table());
	map(1, 10, 2);
	epoch = ranges_of(TGID)->epoch;
	map(1, 20, 2);
	assert_true(ranges_of(TGID)->epoch > epoch);
	epoch = ranges_of(TGID)->epoch;
	map(4, 20, 1);
	assert_true(ranges_of(TGID)->epoch > epoch);
}

/* Fails if ranges of an earlier program, or of the parent alone, stay. */
static void test_exec_and_fork(void **state)
{
	u32 one = add_table(), two = add_table();

	bind(1, one);
	bind(2, two);
	map(1, 10, 2);
	pprof_session_tables_fork(&tables, TGID, 101, EXEC + 50);
	map_as(101, EXEC + 50, 2, 20, 1);
	assert_int_equal(table_at(101, 10), one);
	assert_int_equal(table_at(101, 20), two);
	assert_at(20, -1);
	map_as(101, EXEC + 51, 2, 30, 1);
	assert_int_equal(table_at(101, 10), -1);
	assert_int_equal(table_at(101, 30), two);
	pprof_session_tables_drop(&tables, 101, EXEC + 51);
	assert_int_equal(table_at(101, 30), two);
	pprof_session_tables_drop(&tables, 101, 0);
	assert_null(ranges_of(101));
	assert_at(10, one);
}

/* Fails if ranges for an earlier program take the place of those of the program that runs. */
static void test_sent_after_an_exec(void **state)
{
	const struct pprof_tls_address none = { .kind = PPROF_TLS_NONE };
	u32 one = add_table();
	const struct pprof_range sent = range(one, 10, 1);
	u64 cost = pprof_session_tables_cost(sizeof(sent));

	bind(1, one);
	map_as(TGID, EXEC + 1, 1, 30, 1);
	atomic64_set(&tables.cost, atomic64_read(&tables.cost) + cost);
	assert_int_equal(pprof_session_tables_set(&tables, TGID, EXEC, &sent, 1, 3, &none), -ESRCH);
	assert_at(10, -1);
	assert_at(30, one);
	pprof_session_tables_drop(&tables, TGID, EXEC + 1);
	assert_at(30, one);
	pprof_session_tables_drop(&tables, TGID, EXEC + 2);
	assert_null(ranges_of(TGID));
}

/* The reader lags behind. Fails if what it sends undoes what the hook has seen. */
static void test_sent_before_and_after(void **state)
{
	u32 one = add_table(), two = add_table(), three = add_table();
	const struct pprof_range old[] = { range(three, 2, 1), range(one, 10, 4) };
	const struct pprof_range new[] = { range(three, 2, 1), range(two, 11, 1) };

	bind(1, one);
	bind(2, two);
	map(1, 10, 4);
	map(2, 11, 1);
	send(old, 1);
	assert_at(2, three);
	assert_at(10, one);
	assert_at(11, two);
	send(old, 2);
	assert_at(11, two);
	assert_at(12, one);
	send(new, 2);
	assert_at(11, two);
	assert_at(2, three);
	send(new, 1);
	assert_at(11, -1);
	send(NULL, 0);
	assert_null(pprof_process_ranges_find(ranges_of(TGID), 2 * PAGE_SIZE));
}

static void map_two(void)
{
	map(2, 20, 1);
}

/* Fails if a mapping is lost that comes while sent ranges are merged. */
static void test_a_mapping_during_a_set(void **state)
{
	u32 one = add_table(), two = add_table();
	const struct pprof_range sent = range(one, 2, 1);

	bind(1, one);
	bind(2, two);
	map(1, 10, 4);
	meanwhile = map_two;
	send(&sent, 1);
	assert_null(meanwhile);
	map(1, 30, 1);
	assert_at(2, one);
	assert_at(10, one);
	assert_at(20, two);
	assert_at(30, one);
}

static void map_many(void)
{
	for (u32 i = 0; i < 30; i++)
		map(1, 50 + 2 * i, 1);
}

/* Fails if more mappings than there is spare room for are written behind the end of that room. */
static void test_many_mappings_during_a_set(void **state)
{
	u32 one = add_table();
	const struct pprof_range sent = range(one, 2, 1);

	bind(1, one);
	map(1, 10, 1);
	meanwhile = map_many;
	send(&sent, 1);
	assert_null(meanwhile);
	assert_at(2, one);
	assert_at(10, one);
	assert_at(50, one);
	map(1, 108, 1);
	assert_at(108, one);
}

/* Fails if an outdated range of the hook counts more than what the reader has sent. */
static void test_an_empty_pool(void **state)
{
	u32 one = add_table(), two = add_table();
	const struct pprof_range sent = range(two, 10, 2);

	bind(1, one);
	map(1, 10, 2);
	for (u64 i = 1; i < POOL; i++)
		map_as(TGID + i % 8 + 1, EXEC, 1, 20 + 2 * (i / 8) % 8, 1 + i / 64);
	for (u64 i = 0; i < 2 * POOL; i++)
		map_as(TGID + 1, EXEC, 1, 20 + i % 2, 1 + i % 3);
	map(3, 10, 2);
	assert_at(10, one);
	send(&sent, 1);
	assert_at(10, two);
	grace();
	map(1, 10, 2);
	assert_at(10, one);
}

/* curl maps 34 files. Fails if a program loses one, as its libraries are mapped one by one. */
static void test_a_program_with_many_libraries(void **state)
{
	struct pprof_range sent[3];
	u32 one = add_table();

	for (u32 i = 0; i < ARRAY_SIZE(sent); i++)
		sent[i] = range(one, 2 * i, 1);
	bind(1, one);
	for (u32 i = 0; i < LIBRARIES; i++)
		map(1, 2 * i, 1);
	for (u32 i = 0; i < LIBRARIES; i++)
		assert_at(2 * i, one);
	send(sent, ARRAY_SIZE(sent));
	for (u32 i = 0; i < LIBRARIES; i++)
		assert_at(2 * i, one);
}

/* Fails if a process with more ranges than a block has is not left alone. */
static void test_many_ranges(void **state)
{
	struct pprof_range sent[PPROF_POOLED_RANGES + 1];
	u32 one = add_table();

	for (u32 i = 0; i < ARRAY_SIZE(sent); i++)
		sent[i] = range(0, 2 * i, 1);
	bind(1, one);
	send(sent, ARRAY_SIZE(sent));
	map(1, 200, 1);
	assert_at(200, -1);
	assert_at(2 * PPROF_POOLED_RANGES, 0);
	send(sent, PPROF_POOLED_RANGES - 2);
	for (u32 i = 0; i < 10; i++)
		map(1, 200 + 2 * i, 1);
	assert_at(200, one);
	assert_at(202, one);
	assert_at(204, -1);
}

/* Fails if a dropped table is bound on, or if ranges lose it. */
static void test_a_dropped_table(void **state)
{
	u32 one = add_table(), two = add_table();

	bind(1, one);
	bind(2, two);
	map(1, 10, 1);
	assert_int_equal(pprof_session_tables_drop_table(&tables, one), 0);
	map(1, 20, 1);
	map(2, 30, 1);
	assert_at(10, -2);
	assert_at(20, -1);
	assert_at(30, two);
}

static void drop_one(void)
{
	assert_int_equal(pprof_session_tables_drop_table(&tables, 1), 0);
}

/* Fails if a call that binds a table on another CPU leaves it bound after it was dropped. */
static void test_a_drop_during_a_bind(void **state)
{
	struct pprof_file_identity id = file_id(1);
	s64 cost = atomic64_read(&tables.cost);
	u32 one = add_table();

	assert_int_equal(one, 1);
	unlocked = drop_one;
	assert_int_equal(pprof_session_tables_bind(&tables, one, &id), -ENOENT);
	map(1, 10, 1);
	assert_null(ranges_of(TGID));
	assert_int_equal(atomic64_read(&tables.cost), cost);
}

/*
 * The reader drops a table when its file has changed, and sends the new one. Fails if the range of
 * the hook, which the reader never confirms, wins for ever; or if others do not stay.
 */
static void test_a_range_of_a_dropped_table(void **state)
{
	u32 one = add_table(), two = add_table(), three = add_table();
	const struct pprof_range sent[] = { range(two, 10, 2), range(0, 50, 1) };

	bind(1, one);
	bind(2, three);
	map(1, 10, 2);
	map(1, 40, 2);
	map(2, 20, 1);
	map(0, 30, 1);
	assert_int_equal(pprof_session_tables_drop_table(&tables, one), 0);
	assert_at(10, -2);
	send(sent, 2);
	assert_at(10, two);
	assert_at(11, two);
	assert_at(40, -1);
	assert_at(20, three);
	assert_at(30, 0);
	assert_at(50, 0);
	map(1, 40, 2);
	assert_at(40, -1);
}

/*
 * The kernel does not count the pages of writable code, which JIT compilers make. Fails if stacks
 * of such a process count as those of a process with unknown code.
 */
static void test_writable_code(void **state)
{
	const struct pprof_range sent = range(0, 40, 3);

	bind(1, add_table());
	map(1, 10, 2);
	is_writable = true;
	map(0, 20, 8);
	map(0, 20, 16);
	map(VDSO, 60, 1);
	assert_at(35, 0);
	assert_int_equal(ranges_of(TGID)->exec_pages, 2);
	send(&sent, 1);
	map(0, 50, 4);
	assert_int_equal(ranges_of(TGID)->exec_pages, 3);
	map(4, 40, 3);
	assert_int_equal(ranges_of(TGID)->exec_pages, 0);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_bound_files),
		TEST(test_newer_mappings),
		TEST(test_epochs),
		TEST(test_exec_and_fork),
		TEST(test_sent_after_an_exec),
		TEST(test_sent_before_and_after),
		TEST(test_a_mapping_during_a_set),
		TEST(test_many_mappings_during_a_set),
		TEST(test_an_empty_pool),
		TEST(test_a_program_with_many_libraries),
		TEST(test_many_ranges),
		TEST(test_a_dropped_table),
		TEST(test_a_range_of_a_dropped_table),
		TEST(test_a_drop_during_a_bind),
		TEST(test_writable_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
