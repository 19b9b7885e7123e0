// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/cgroup.c collector/procfs/cgroup_names.c
// sources: collector/process/exec_perf_map.c
// sources: collector/symbol/perf_map.c collector/session/unwind_ranges.c
// sources: collector/symbol/kallsyms.c
// sources: collector/process/processes.c collector/procfs/procfs.c
// sources: collector/process/mapped_files.c collector/process/kernel_image.c
// sources: collector/process/kept_names.c collector/process/file_version.c
// sources: collector/process/mapped_symbols.c
// sources: collector/process/file_numbers.c collector/process/file_opening.c
// sources: collector/process/open_inodes.c
// sources: collector/procfs/vdso.c
// sources: collector/procfs/maps.c
// sources: collector/base/string_table.c collector/process/address_space.c
// sources: collector/base/regular_file.c collector/procfs/live_thread.c
// sources: collector/procfs/time_namespace.c collector/process/exec_image.c
// sources: collector/procfs/mapped_file.c
// sources: collector/procfs/context_mapping.c collector/process/published_context.c
// sources: collector/process/process_context.c collector/base/utf8.c
// libs: -lxxhash
// libs: -Wl,--wrap=mapped_files_is_outdated
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "device/device.h"
#include "fakesym.h"
#include "life.h"
#include "process/processes.h"
#include "session/thread_contexts.h"
#include "session/unwind_ranges.h"
#include "session/unwind_tables.h"

/* Pids that no process has, so that nothing can be read of them. */
static const struct process one = { 0x40000001, 100 }, two = { 0x40000002, 200 };

/* In place of unwind_tables.c: a file's table has the number that its name says. */

static struct {
	bool pending;
	int error;
	int nr_asked;
} compiler;

int unwind_tables_find(struct unwind_tables *t, const struct mapped_files *files, uint32_t file,
		       uint32_t *number)
{
	const char *path = mapped_files_path(files, file);

	assert_ptr_equal(t, &compiler);
	compiler.nr_asked++;
	*number = 0;
	sscanf(path, "/lib/%u", number);
	if (compiler.error)
		return compiler.error;
	return compiler.pending && *number ? -EAGAIN : 0;
}

/* In place of the module. */

static struct {
	pid_t pid;
	uint64_t exec_id;
	struct pprof_range list[8];
	struct pprof_range last[2];
	uint32_t nr;
	int nr_sent;
	int answer;
	struct pprof_tls_address context;
} module;

int device_set_ranges(struct device *d, pid_t pid, uint64_t exec_id, const struct pprof_range *list,
		      uint32_t nr, const struct pprof_tls_address *context)
{
	assert_ptr_equal(d, &module);
	module.context = *context;
	module.pid = pid;
	module.exec_id = exec_id;
	module.nr = nr;
	memcpy(module.list, list, (nr < 8 ? nr : 8) * sizeof(*list));
	if (nr >= 2)
		memcpy(module.last, list + nr - 2, sizeof(module.last));
	module.nr_sent++;
	return module.answer;
}

/* In place of thread_contexts.c. */

static struct {
	struct pprof_tls_address context;
	int answer;
} contexts;

struct thread_contexts *thread_contexts_new(const struct mapped_files *files)
{
	(void)files;
	return (struct thread_contexts *)&contexts;
}

void thread_contexts_keep(struct thread_contexts *c, const bool *keep, uint32_t nr)
{
	(void)c;
	(void)keep;
	(void)nr;
}

void thread_contexts_free(struct thread_contexts *c)
{
	(void)c;
}

int thread_contexts_find(struct thread_contexts *c, const struct processes_exec *exec,
			 struct pprof_tls_address *context)
{
	assert_ptr_equal(c, &contexts);
	assert_int_equal(exec->pid, module.pid ? module.pid : exec->pid);
	*context = contexts.context;
	return contexts.answer;
}

struct parts {
	struct mapped_files *files;
	struct processes *processes;
	struct unwind_ranges *ranges;
};

int device_exec_id(struct device *d, pid_t pid, uint64_t *exec_id)
{
	(void)d;
	(void)pid;
	(void)exec_id;
	return -ESRCH;
}

static int setup(void **state)
{
	struct parts *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	memset(&compiler, 0, sizeof(compiler));
	memset(&module, 0, sizeof(module));
	p->files = mapped_files_new();
	p->processes = processes_new(p->files, NULL);
	p->ranges = unwind_ranges_new(p->processes, p->files, (struct unwind_tables *)&compiler,
				      (struct device *)&module);
	*state = p;
	return p->ranges ? 0 : -1;
}

static int teardown(void **state)
{
	struct parts *p = *state;

	unwind_ranges_free(p->ranges);
	processes_free(p->processes);
	mapped_files_free(p->files);
	free(p);
	return 0;
}

static union {
	struct pprof_event ev;
	unsigned char bytes[8192];
} record;

static void map(struct parts *p, struct process who, uint64_t start, uint64_t end,
		uint64_t offset, const char *name)
{
	life_mmap(&record, 1, who, start, end, offset, name);
	assert_int_equal(processes_take(p->processes, &record.ev), 0);
}

/* How many times an update sent ranges to the module. */
static int update(struct parts *p)
{
	module.nr_sent = 0;
	assert_int_equal(unwind_ranges_update(p->ranges), 0);
	return module.nr_sent;
}

static void assert_range(int i, uint64_t start, uint64_t end, uint64_t bias, uint32_t table)
{
	assert_int_equal(module.list[i].start, start);
	assert_int_equal(module.list[i].end, end);
	assert_int_equal(module.list[i].bias, bias);
	assert_int_equal(module.list[i].table, table);
	assert_int_equal(module.list[i].pad, 0);
}

static bool is_outdated;	/* /lib/1 */

bool __wrap_mapped_files_is_outdated(const struct mapped_files *f, uint32_t file);
bool __wrap_mapped_files_is_outdated(const struct mapped_files *f, uint32_t file)
{
	return is_outdated && !strcmp(mapped_files_path(f, file), "/lib/1");
}

/* Fails if memory that may have other code than its file gets a table, or counts as memory. */
static void test_an_outdated_file(void **state)
{
	struct parts *p = *state;

	map(p, one, 0x400000, 0x402000, 0, "/lib/1");
	map(p, one, 0x500000, 0x502000, 0, "/lib/2");
	is_outdated = true;
	assert_int_equal(update(*state), 1);
	is_outdated = false;
	assert_int_equal(module.nr, 1);
	assert_range(0, 0x500000, 0x502000, 0x500000, 2);
	assert_int_equal(compiler.nr_asked, 1);
}

static void test_files_and_memory(void **state)
{
	struct parts *p = *state;

	map(p, one, 0x500000, 0x502000, 0, "");
	map(p, one, 0x400000, 0x402000, 0x1000, "/lib/7");
	map(p, one, 0x200000, 0x202000, 0x300000, "/lib/8");	/* a bias below 0 */
	map(p, one, 0x600000, 0x601000, 0, "/dev/no-elf");
	assert_int_equal(update(*state), 1);
	assert_int_equal(module.pid, one.pid);
	assert_int_equal(module.exec_id, one.exec_id);
	assert_int_equal(module.nr, 4);
	assert_range(0, 0x200000, 0x202000, 0x200000 - UINT64_C(0x300000), 8);
	assert_range(1, 0x400000, 0x402000, 0x3ff000, 7);
	assert_range(2, 0x500000, 0x502000, 0, 0);
	assert_range(3, 0x600000, 0x601000, 0x600000, 0);
	assert_int_equal(compiler.nr_asked, 3);
	assert_int_equal(update(*state), 0);
}

/* Ranges with known tables are sent at once, the rest when the last table is there. */
static void test_tables_that_come_later(void **state)
{
	struct parts *p = *state;

	compiler.pending = true;
	map(p, one, 0x400000, 0x402000, 0, "/lib/1");
	map(p, one, 0x500000, 0x502000, 0, "/lib/2");
	map(p, one, 0x600000, 0x602000, 0, "");
	assert_int_equal(update(*state), 1);
	assert_int_equal(module.nr, 1);
	assert_range(0, 0x600000, 0x602000, 0, 0);
	assert_int_equal(compiler.nr_asked, 2);	/* the second, though the first was not there */
	assert_int_equal(update(*state), 0);
	map(p, one, 0x700000, 0x702000, 0, "");
	assert_int_equal(update(*state), 1);
	assert_int_equal(module.nr, 2);
	assert_int_equal(update(*state), 0);
	compiler.pending = false;
	assert_int_equal(update(*state), 1);
	assert_int_equal(module.nr, 4);
	assert_int_equal(update(*state), 0);
}

/*
 * A program may end before its mappings are read. Fails if its files stay unknown then: if each of
 * its processes is as short, none of them has a complete stack.
 */
static void test_a_process_that_has_ended(void **state)
{
	struct parts *p = *state;

	compiler.pending = true;
	map(p, one, 0x400000, 0x402000, 0, "/lib/1");
	map(p, one, 0x500000, 0x502000, 0, "/lib/2");
	life_end(&record, PPROF_REC_EXIT, 2, one);
	assert_int_equal(processes_take(p->processes, &record.ev), 0);
	assert_int_equal(update(*state), 0);
	assert_int_equal(compiler.nr_asked, 2);
	assert_int_equal(update(*state), 0);
	assert_int_equal(compiler.nr_asked, 2);
}

/* Freeing ended exec ids does not stop the first ranges of a living process. */
static void test_forgotten_dead(void **state)
{
	struct parts *p = *state;

	compiler.pending = true;
	map(p, one, 0x400000, 0x402000, 0, "");
	map(p, two, 0x400000, 0x402000, 0, "/lib/1");
	map(p, two, 0x500000, 0x502000, 0, "");
	life_end(&record, PPROF_REC_EXIT, 2, one);
	assert_int_equal(processes_take(p->processes, &record.ev), 0);
	processes_forget_past(p->processes);
	assert_int_equal(update(*state), 1);
	assert_int_equal(module.pid, two.pid);
	assert_int_equal(module.nr, 1);
}

static void test_refusals(void **state)
{
	struct parts *p = *state;

	map(p, one, 0x400000, 0x402000, 0, "/lib/1");
	module.answer = -ESRCH;
	assert_int_equal(update(*state), 1);
	assert_int_equal(unwind_ranges_nr_refused(p->ranges), 0);
	map(p, one, 0x500000, 0x502000, 0, "/lib/2");
	module.answer = -ENOMEM;
	assert_int_equal(update(*state), 1);
	assert_int_equal(unwind_ranges_nr_refused(p->ranges), 1);
	assert_int_equal(update(*state), 0);
	map(p, one, 0x600000, 0x602000, 0, "/lib/3");
	compiler.error = -ENOMEM;
	assert_int_equal(unwind_ranges_update(p->ranges), -ENOMEM);
}

/* No memory above user space is sent, as [vsyscall] is. */
static void test_above_user_space(void **state)
{
	struct parts *p = *state;

	map(p, two, 0x400000, 0x402000, 0, "/lib/1");
	map(p, two, 0xffffffffff600000, 0xffffffffff601000, 0, "");
	assert_int_equal(update(*state), 1);
	assert_int_equal(module.nr, 1);
}

/* Exactly as many as there may be are sent as they are. */
static void test_no_more_than_there_may_be(void **state)
{
	struct parts *p = *state;

	map(p, one, 0x10000, 0x11000, 0, "");
	for (uint64_t i = 1; i < PPROF_MAX_RANGES - 1; i++)
		map(p, one, 0x400000 + i * 0x2000, 0x401000 + i * 0x2000, 0, "");
	map(p, one, 0x7f0000000000, 0x7f0000002000, 0, "/lib/1");
	assert_int_equal(update(*state), 1);
	assert_int_equal(module.nr, PPROF_MAX_RANGES);
	assert_range(0, 0x10000, 0x11000, 0, 0);
	assert_int_equal(unwind_ranges_over(p->ranges).pid, 0);
	/* Of more, those without a table are dropped. */
	map(p, one, 0x20000, 0x21000, 0, "/lib/2");
	map(p, one, 0x7f0000400000, 0x7f0000402000, 0, "/lib/3");
	assert_int_equal(update(*state), 1);
	assert_int_equal(module.nr, PPROF_MAX_RANGES);
	assert_range(0, 0x20000, 0x21000, 0x20000, 2);
	assert_range(1, 0x404000, 0x405000, 0, 0);
	assert_int_equal(module.last[0].table, 1);
	assert_int_equal(module.last[1].table, 3);
	assert_int_equal(unwind_ranges_over(p->ranges).pid, one.pid);
	assert_int_equal(unwind_ranges_over(p->ranges).nr, PPROF_MAX_RANGES + 2);
	assert_int_equal(unwind_ranges_nr_refused(p->ranges), 0);
}

/* With too many tables the first ones are sent. */
static void test_too_many_tables(void **state)
{
	struct parts *p = *state;

	for (uint64_t i = 0; i < PPROF_MAX_RANGES + 1; i++)
		map(p, one, 0x400000 + i * 0x2000, 0x401000 + i * 0x2000, 0, "/lib/1");
	map(p, one, 0x7f0000400000, 0x7f0000402000, 0, "");
	assert_int_equal(update(*state), 1);
	assert_int_equal(module.nr, PPROF_MAX_RANGES);
	assert_range(0, 0x400000, 0x401000, 0x400000, 1);
	assert_int_equal(module.last[1].start, 0x400000 + (PPROF_MAX_RANGES - 1) * 0x2000);
}

static void test_contexts(void **state)
{
	const struct pprof_tls_address found = { .kind = PPROF_TLS_STATIC, .offset = -8 };
	struct parts *p = *state;

	map(p, one, 0x1000, 0x2000, 0, "/lib/1");
	assert_int_equal(update(p), 1);
	assert_int_equal(module.context.kind, PPROF_TLS_NONE);
	assert_int_equal(unwind_ranges_send_contexts(p->ranges), 0);
	contexts.answer = -EAGAIN;
	map(p, one, 0x3000, 0x4000, 0, "/lib/2");
	assert_int_equal(update(p), 1);		/* stacks do not wait for a context */
	assert_int_equal(update(p), 0);
	contexts.answer = 0;
	contexts.context = found;
	assert_int_equal(update(p), 1);
	assert_memory_equal(&module.context, &found, sizeof(found));
	assert_int_equal(update(p), 0);
	contexts.answer = -ENOMEM;
	map(p, one, 0x5000, 0x6000, 0, "/lib/3");
	assert_int_equal(unwind_ranges_update(p->ranges), -ENOMEM);
	contexts.answer = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_files_and_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_outdated_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tables_that_come_later, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_process_that_has_ended, setup, teardown),
		cmocka_unit_test_setup_teardown(test_forgotten_dead, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_above_user_space, setup, teardown),
		cmocka_unit_test_setup_teardown(test_too_many_tables, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_more_than_there_may_be, setup, teardown),
		cmocka_unit_test_setup_teardown(test_contexts, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
