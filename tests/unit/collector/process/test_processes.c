// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/cgroup.c collector/procfs/cgroup_names.c
// sources: collector/process/exec_perf_map.c
// sources: collector/process/processes.c collector/procfs/procfs.c
// sources: collector/process/mapped_files.c collector/process/kernel_image.c
// sources: collector/process/kept_names.c collector/process/file_version.c
// sources: collector/process/mapped_symbols.c
// sources: collector/process/file_numbers.c collector/process/file_opening.c
// sources: collector/process/open_inodes.c
// sources: collector/procfs/vdso.c
// sources: collector/symbol/perf_map.c collector/procfs/maps.c collector/symbol/kallsyms.c
// sources: collector/process/address_space.c collector/base/string_table.c
// sources: collector/base/regular_file.c collector/procfs/live_thread.c
// sources: collector/procfs/time_namespace.c collector/process/exec_image.c
// sources: collector/procfs/mapped_file.c
// sources: collector/procfs/context_mapping.c collector/process/published_context.c
// sources: collector/process/process_context.c collector/base/utf8.c
// includes: tests/programs/otel_publish.h
// libs: -lxxhash -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
// libs: -Wl,--wrap=file_version_is_shared
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "device/device.h"
#include "fail_alloc.h"
#include "fakesym.h"
#include "folder.h"
#include "life.h"
#include "process/processes.h"
#include "procfs/cgroup.h"
#include "tests/programs/otel_publish.h"
#include "waiting.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))

/* These pids are over the largest pid, so /proc has no such process. */
static const struct process one = { 0x40000001, 100 }, two = { 0x40000002, 200 };

/* The device: device_exec_id() knows one process. */
static struct {
	pid_t pid;		/* 0: no process */
	uint64_t exec_id;
	uint64_t next_exec_id;	/* from the second call on; 0: the same exec id */
	int nr;			/* of calls */
} world;

int device_exec_id(struct device *d, pid_t pid, uint64_t *exec_id)
{
	assert_ptr_equal(d, &world);
	if (pid != world.pid)
		return -ESRCH;
	*exec_id = world.nr++ && world.next_exec_id ? world.next_exec_id : world.exec_id;
	return 0;
}

struct parts {
	struct mapped_files *files;
	struct processes *processes;
};

static int setup(void **state)
{
	struct parts *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	memset(&world, 0, sizeof(world));
	p->files = mapped_files_new();
	p->processes = processes_new(p->files, (struct device *)&world);
	*state = p;
	return p->files && p->processes ? 0 : -1;
}

static int teardown(void **state)
{
	struct parts *p = *state;

	processes_free(p->processes);
	mapped_files_free(p->files);
	free(p);
	return 0;
}

/* Records. No function here expects an error of processes_take(). */

static union {
	struct pprof_event ev;
	unsigned char bytes[8192];
} record;

static void take(struct parts *p)
{
	assert_int_equal(processes_take(p->processes, &record.ev), 0);
}

static void take_fork(struct parts *p, uint64_t time_ns, struct process who, struct process child)
{
	life_fork(&record, time_ns, who, child);
	take(p);
}

static void take_exec(struct parts *p, uint64_t time_ns, struct process who, uint64_t old_exec_id,
		      const char *comm)
{
	life_exec(&record, time_ns, who, old_exec_id, comm);
	take(p);
}

static void take_mmap(struct parts *p, uint64_t time_ns, struct process who, uint64_t start,
		      uint64_t end, const char *name)
{
	life_mmap(&record, time_ns, who, start, end, 0, name);
	take(p);
}

static void take_end(struct parts *p, uint32_t type, struct process who)
{
	life_end(&record, type, 1000, who);
	take(p);
}

static uint32_t epoch_at(struct parts *p, struct process who, uint64_t time_ns)
{
	int64_t epoch = processes_epoch(p->processes, who.pid, who.exec_id, time_ns);

	assert_true(epoch >= 0);
	return epoch;
}

/* Returns the path of the mapping at addr at that time, or NULL if there is none. */
static const char *path_at(struct parts *p, struct process who, uint64_t time_ns, uint64_t addr)
{
	const struct maps *maps = processes_maps(p->processes, epoch_at(p, who, time_ns));
	const struct maps_range *range = maps_find(maps, addr);

	return range ? mapped_files_path(p->files, range->file) : NULL;
}

static void start(struct parts *p, struct process who, const char *comm)
{
	take_exec(p, 1, who, who.exec_id - 1, comm);
	take_mmap(p, 2, who, 0x400000, 0x402000, "/bin/app");
	take_mmap(p, 3, who, 0x7f0000, 0x7f2000, "/lib/ld.so");
}

static void test_exec_begins_an_exec_id(void **state)
{
	struct parts *p = *state;
	uint32_t epoch;

	start(p, one, "app");
	epoch = epoch_at(p, one, 10);
	assert_string_equal(processes_comm(p->processes, epoch), "app");
	assert_int_equal(processes_pid(p->processes, epoch), one.pid);
	assert_string_equal(mapped_files_path(p->files, processes_exe(p->processes, epoch)),
			    "/bin/app");
	assert_string_equal(path_at(p, one, 10, 0x7f1000), "/lib/ld.so");
	assert_null(path_at(p, one, 10, 0x7f2000));
	assert_int_equal(world.nr, 0);
	processes_free(NULL);
}

static void test_exec_ends_the_old_exec_id(void **state)
{
	const struct process next = { one.pid, one.exec_id + 1 };
	struct parts *p = *state;

	start(p, one, "app");
	take_exec(p, 5, next, one.exec_id, "other");
	take_mmap(p, 6, next, 0x400000, 0x401000, "/bin/other");
	assert_string_equal(path_at(p, one, 10, 0x400000), "/bin/app");
	assert_string_equal(path_at(p, next, 10, 0x400000), "/bin/other");
	assert_null(path_at(p, next, 10, 0x7f0000));
	assert_string_equal(processes_comm(p->processes, epoch_at(p, one, 10)), "app");
	assert_string_equal(processes_comm(p->processes, epoch_at(p, next, 10)), "other");
	assert_int_equal(processes_nr_dead(p->processes), 1);
}

/* The ring of another CPU may have a mapping of the child, and be read before that of the fork. */
static void test_fork_after_the_childs_mapping(void **state)
{
	struct parts *p = *state;

	start(p, one, "app");
	take_mmap(p, 6, two, 0x500000, 0x501000, "/lib/early.so");
	take_fork(p, 5, one, two);
	assert_string_equal(path_at(p, two, 7, 0x500000), "/lib/early.so");
	assert_string_equal(path_at(p, two, 7, 0x400000), "/bin/app");
	assert_null(path_at(p, one, 7, 0x500000));
}

static void test_fork_copies(void **state)
{
	struct parts *p = *state;

	start(p, one, "app");
	take_fork(p, 5, one, two);
	assert_string_equal(path_at(p, two, 10, 0x400000), "/bin/app");
	assert_string_equal(processes_comm(p->processes, epoch_at(p, two, 10)), "app");
	assert_string_equal(mapped_files_path(p->files,
					      processes_exe(p->processes, epoch_at(p, two, 10))),
			    "/bin/app");
	/* a later mapping belongs to one of them only */
	take_mmap(p, 6, one, 0x900000, 0x901000, "/lib/one");
	take_mmap(p, 7, two, 0xa00000, 0xa01000, "/lib/two");
	assert_null(path_at(p, two, 10, 0x900000));
	assert_null(path_at(p, one, 10, 0xa00000));
	assert_string_equal(path_at(p, two, 10, 0xa00000), "/lib/two");
	assert_int_equal(world.nr, 0);
}

/* The module needs time for the path of a mapping: the record of a later fork comes first. */
static void test_mapping_reported_after_a_later_fork(void **state)
{
	const struct process three = { 0x40000003, 300 }, four = { 0x40000004, 400 };
	struct parts *p = *state;

	start(p, one, "app");
	take_fork(p, 9, one, four);
	take_fork(p, 20, one, two);
	take_fork(p, 21, two, three);
	take_mmap(p, 15, two, 0xa00000, 0xa01000, "/lib/own");
	take_mmap(p, 10, one, 0x900000, 0x902000, "/lib/late");
	assert_string_equal(path_at(p, one, 30, 0x901000), "/lib/late");
	assert_string_equal(path_at(p, two, 30, 0x901000), "/lib/late");
	assert_string_equal(path_at(p, three, 30, 0x901000), "/lib/late");
	assert_null(path_at(p, four, 30, 0x901000));	/* forked before the mapping */
	assert_string_equal(path_at(p, three, 30, 0xa00000), "/lib/own");
	assert_null(path_at(p, one, 30, 0xa00000));
	take_end(p, PPROF_REC_EXIT, two);
	take_mmap(p, 11, one, 0xb00000, 0xb01000, "/lib/later");
	assert_string_equal(path_at(p, three, 30, 0xb00000), "/lib/later");
	assert_string_equal(path_at(p, two, 30, 0xb00000), "/lib/later");
	take_mmap(p, 25, two, 0xd00000, 0xd01000, "/lib/of-the-dead");
	assert_string_equal(path_at(p, two, 30, 0xd00000), "/lib/of-the-dead");
	processes_forget_past(p->processes);
	take_mmap(p, 12, one, 0xc00000, 0xc01000, "/lib/last");
	assert_string_equal(path_at(p, one, 30, 0xc00000), "/lib/last");
}

static void test_a_reused_pid_is_another_process(void **state)
{
	const struct process again = { one.pid, 5000 };
	struct parts *p = *state;

	start(p, one, "app");
	take_end(p, PPROF_REC_EXIT, one);
	take_fork(p, 5, two, again);
	assert_string_equal(path_at(p, one, 10, 0x400000), "/bin/app");
	assert_null(path_at(p, again, 10, 0x400000));
}

/* In an epoch an address belongs to one file. Another file there begins an epoch. */
static void test_remap_begins_an_epoch(void **state)
{
	struct parts *p = *state;
	uint32_t before, after;

	start(p, one, "app");
	take_mmap(p, 100, one, 0x900000, 0x902000, "/lib/old");
	before = epoch_at(p, one, 150);
	take_mmap(p, 200, one, 0x901000, 0x903000, "/lib/new");
	after = epoch_at(p, one, 250);
	assert_int_not_equal(before, after);
	assert_int_equal(epoch_at(p, one, 150), before);
	assert_int_equal(epoch_at(p, one, 199), before);
	assert_int_equal(epoch_at(p, one, 200), after);
	assert_string_equal(path_at(p, one, 150, 0x901000), "/lib/old");
	assert_string_equal(path_at(p, one, 250, 0x901000), "/lib/new");
	assert_string_equal(path_at(p, one, 250, 0x900000), "/lib/old");
	assert_string_equal(path_at(p, one, 250, 0x400000), "/bin/app");
	assert_string_equal(processes_comm(p->processes, after), "app");
	/* the same mapping again begins no epoch */
	take_mmap(p, 300, one, 0x901000, 0x903000, "/lib/new");
	assert_int_equal(epoch_at(p, one, 400), after);
}

/* A late record counts from its own time, and later mappings cover it. */
static void test_a_late_mapping_is_under_newer_ones(void **state)
{
	struct parts *p = *state;

	start(p, one, "app");
	take_mmap(p, 100, one, 0x900000, 0x903000, "/lib/old");
	take_mmap(p, 300, one, 0x901000, 0x902000, "");
	take_mmap(p, 350, one, 0x400000, 0x401000, "/lib/elsewhere");
	take_mmap(p, 200, one, 0x900000, 0x902000, "/lib/late");
	take_mmap(p, 250, one, 0xa00000, 0xa01000, "/lib/late2");
	assert_string_equal(path_at(p, one, 150, 0x901000), "/lib/old");
	assert_string_equal(path_at(p, one, 250, 0x901000), "/lib/late");
	assert_string_equal(path_at(p, one, 320, 0x901000), "//anon");
	assert_string_equal(path_at(p, one, 400, 0x901000), "//anon");
	assert_string_equal(path_at(p, one, 150, 0x900000), "/lib/old");
	assert_string_equal(path_at(p, one, 400, 0x900000), "/lib/late");
	assert_string_equal(path_at(p, one, 400, 0x902000), "/lib/old");
	assert_string_equal(path_at(p, one, 320, 0x400000), "/bin/app");
	assert_string_equal(path_at(p, one, 400, 0x400000), "/lib/elsewhere");
	assert_string_equal(path_at(p, one, 260, 0xa00000), "/lib/late2");
	assert_string_equal(path_at(p, one, 400, 0xa00000), "/lib/late2");
	processes_forget_past(p->processes);
	assert_int_equal(processes_past_bytes(p->processes), 0);
}

/* Only the newest 64 epochs get a late mapping: the time for each must have a limit. */
static void test_a_late_mapping_before_many_epochs(void **state)
{
	struct parts *p = *state;

	start(p, one, "app");
	for (int i = 0; i < 100; i++)
		take_mmap(p, 300 + i, one, 0x901000, 0x902000, i % 2 ? "/lib/a" : "/lib/b");
	take_mmap(p, 200, one, 0x900000, 0x903000, "/lib/late");
	assert_string_equal(path_at(p, one, 1000, 0x900000), "/lib/late");
	assert_string_equal(path_at(p, one, 1000, 0x901000), "/lib/a");
	assert_string_equal(path_at(p, one, 336, 0x902000), "/lib/late");
	assert_null(path_at(p, one, 335, 0x902000));
}

/* The late mapping is at addresses that were free at its time. */
static void test_a_late_mapping_of_free_addresses(void **state)
{
	struct parts *p = *state;

	start(p, one, "app");
	take_mmap(p, 300, one, 0x901000, 0x902000, "");
	take_mmap(p, 200, one, 0x900000, 0x903000, "/lib/late");
	assert_string_equal(path_at(p, one, 400, 0x901000), "//anon");
	assert_string_equal(path_at(p, one, 400, 0x900000), "/lib/late");
	assert_string_equal(path_at(p, one, 400, 0x902000), "/lib/late");
}

static void test_names_of_mappings(void **state)
{
	struct parts *p = *state;

	start(p, one, "app");
	take_mmap(p, 4, one, 0x10000, 0x11000, "");
	take_mmap(p, 4, one, 0x20000, 0x21000, "[vdso]");
	take_mmap(p, 4, one, 0x30000, 0x31000, "/lib/gone (deleted)");
	take_mmap(p, 4, one, 0x40000, 0x41000, "[anon_shmem:code]");
	take_mmap(p, 4, one, 0x50000, 0x51000, " (deleted)");
	assert_string_equal(path_at(p, one, 10, 0x10000), "//anon");
	assert_string_equal(path_at(p, one, 10, 0x20000), "[vdso]");
	assert_string_equal(path_at(p, one, 10, 0x30000), "/lib/gone");
	assert_string_equal(path_at(p, one, 10, 0x40000), "//anon");
	assert_string_equal(path_at(p, one, 10, 0x50000), "//anon");
}

/* Adjacent anonymous mappings become one: their offset is their address. */
static void test_anonymous_memory_grows(void **state)
{
	struct parts *p = *state;
	const struct maps *maps;

	start(p, one, "app");
	life_mmap(&record, 4, one, 0x10000, 0x11000, 77, "");
	take(p);
	life_mmap(&record, 5, one, 0x11000, 0x12000, 0, "");
	take(p);
	maps = processes_maps(p->processes, epoch_at(p, one, 10));
	assert_int_equal(maps_find(maps, 0x10000)->end, 0x12000);
	assert_int_equal(maps_find(maps, 0x10000)->offset, 0x10000);
}

/* Maps a new file, whose build ID is its name. Returns the address. */
static uint64_t map_file(const char *name)
{
	void *map;
	int fd;

	write_file(name, name);
	fd = open(name, O_RDONLY);
	map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	close(fd);
	return (uintptr_t)map;
}

/* When a record is read, another file may be mapped at its address: device and inode decide. */
static void test_another_file_is_mapped_by_now(void **state)
{
	static const char *const names[2] = { "/no/such/file", "/nor/this" };
	const struct process self = { getpid(), 7 };
	struct pprof_mmap *event = (struct pprof_mmap *)&record;
	struct parts *p = *state;
	uint64_t at = map_file("mapped");
	struct stat st;
	uint32_t file;

	assert_int_equal(stat("mapped", &st), 0);
	world.pid = self.pid;
	world.exec_id = self.exec_id;
	for (int i = 0; i < 2; i++) {
		life_mmap(&record, 4 + i, self, at, at + 4096, 0, names[i]);
		event->dev_major = major(st.st_dev);
		event->dev_minor = minor(st.st_dev);
		event->ino = st.st_ino + i;
		take(p);
		file = maps_find(processes_maps(p->processes, epoch_at(p, self, 4 + i)), at)->file;
		assert_string_equal(mapped_files_build_id(p->files, file), i ? "" : "mapped");
	}
	munmap((void *)at, 4096);
}

static void test_odd_ranges_are_left_out(void **state)
{
	struct parts *p = *state;

	start(p, one, "app");
	take_mmap(p, 4, one, 0x10000, 0x10000, "/lib/empty");
	take_mmap(p, 4, one, 0x20000, 0x10000, "/lib/odd");
	assert_null(path_at(p, one, 10, 0x10000));
	assert_null(path_at(p, one, 10, 0x20000));
}

/* Reads the cgroup of this process, once. A cgroup of a later program of the pid is not used. */
static void test_cgroup(void **state)
{
	const struct process self = { getpid(), 7 }, later = { getpid(), 8 };
	struct parts *p = *state;
	const struct cgroup *cgroup;
	uint32_t epoch;
	int nr;

	world.pid = self.pid;
	world.exec_id = self.exec_id;
	epoch = epoch_at(p, self, 10);
	cgroup = processes_cgroup(p->processes, epoch);
	assert_non_null(cgroup);
	assert_int_equal(cgroup->path[0], '/');
	nr = world.nr;
	assert_ptr_equal(processes_cgroup(p->processes, epoch), cgroup);
	assert_int_equal(world.nr, nr);
	take_end(p, PPROF_REC_ENTER, self);
	nr = world.nr;
	assert_non_null(processes_cgroup(p->processes, epoch));
	assert_int_equal(world.nr, nr + 1);
	assert_null(processes_cgroup(p->processes, epoch_at(p, later, 10)));
	assert_null(processes_cgroup(p->processes, epoch_at(p, one, 10)));
}

static void test_comm(void **state)
{
	struct parts *p = *state;

	start(p, one, "app");
	life_comm(&record, 5, one, "renamed");
	take(p);
	assert_string_equal(processes_comm(p->processes, epoch_at(p, one, 10)), "renamed");
	/* the name of another thread is not that of the process */
	record.ev.tid++;
	memcpy(((struct pprof_comm *)&record)->comm, "thread", 7);
	take(p);
	assert_string_equal(processes_comm(p->processes, epoch_at(p, one, 10)), "renamed");
	life_comm(&record, 5, two, "unknown");
	take(p);
	assert_string_equal(processes_comm(p->processes, epoch_at(p, two, 10)), "");
}

static void test_unknown_records_are_skipped(void **state)
{
	struct parts *p = *state;

	start(p, one, "app");
	life_event(&record.ev, 999, 5, one, sizeof(record.ev));
	take(p);
	take_end(p, PPROF_REC_EXIT, two);
	assert_int_equal(processes_nr_dead(p->processes), 0);
	assert_string_equal(path_at(p, one, 10, 0x400000), "/bin/app");
}

static void test_ended_exec_ids_are_freed(void **state)
{
	struct parts *p = *state;
	uint32_t epoch;

	start(p, one, "app");
	start(p, two, "two");
	epoch = epoch_at(p, one, 10);
	take_end(p, PPROF_REC_EXIT, one);
	take_end(p, PPROF_REC_DROP, two);
	take_end(p, PPROF_REC_EXIT, two);
	assert_int_equal(processes_nr_dead(p->processes), 2);
	assert_int_equal(epoch_at(p, one, 10), epoch);
	processes_forget_past(p->processes);
	assert_int_equal(processes_nr_dead(p->processes), 0);
	assert_null(path_at(p, one, 10, 0x400000));
	assert_null(path_at(p, two, 10, 0x400000));
}

static size_t nr_known(struct parts *p)
{
	return processes_has(p->processes, one.pid, one.exec_id) +
	       processes_has(p->processes, two.pid, two.exec_id);
}

/*
 * A sample that is read after the end makes a new exec id, which has no end. The end of the other
 * process was lost. The third process runs.
 */
static void test_ends_that_no_record_reports(void **state)
{
	const struct process runs = { 0x40000003, 300 };
	struct parts *p = *state;

	world.pid = runs.pid;
	world.exec_id = runs.exec_id;
	start(p, runs, "runs");
	start(p, one, "app");
	start(p, two, "two");
	take_end(p, PPROF_REC_EXIT, one);
	processes_forget_past(p->processes);
	epoch_at(p, one, 1010);
	assert_int_equal(nr_known(p), 2);
	/* One that has just ended is kept: its last samples may not be read yet. */
	for (int i = 0; i < PROCESSES_NR_FLUSHES; i++)
		processes_forget_past(p->processes);
	assert_int_equal(nr_known(p), 2);
	for (int i = 0; i < PROCESSES_NR_FLUSHES; i++)
		processes_forget_past(p->processes);
	assert_int_equal(nr_known(p), 0);
	assert_string_equal(path_at(p, runs, 10, 0x400000), "/bin/app");
}

/* The newest epoch of a living process then covers all times. */
static void test_past_epochs_are_freed(void **state)
{
	struct parts *p = *state;
	size_t past_bytes;

	start(p, one, "app");
	start(p, two, "two");
	assert_int_equal(processes_past_bytes(p->processes), 0);
	take_mmap(p, 100, one, 0x400000, 0x401000, "/lib/first");
	past_bytes = processes_past_bytes(p->processes);
	assert_true(past_bytes > 0);
	take_mmap(p, 200, one, 0x400000, 0x401000, "/lib/second");
	assert_true(processes_past_bytes(p->processes) > past_bytes);
	assert_string_equal(path_at(p, one, 150, 0x400000), "/lib/first");
	processes_forget_past(p->processes);
	assert_int_equal(processes_past_bytes(p->processes), 0);
	assert_string_equal(path_at(p, one, 150, 0x400000), "/lib/second");
	assert_string_equal(path_at(p, one, 250, 0x401000), "/bin/app");
	assert_string_equal(path_at(p, two, 150, 0x400000), "/bin/app");
	take_mmap(p, 300, one, 0x400000, 0x401000, "/lib/third");
	assert_string_equal(path_at(p, one, 250, 0x400000), "/lib/second");
	assert_string_equal(path_at(p, one, 350, 0x400000), "/lib/third");
	take_end(p, PPROF_REC_EXIT, one);
	processes_forget_past(p->processes);
	assert_int_equal(processes_past_bytes(p->processes), 0);
}

/* The numbers of freed epochs are reused. No two epochs have the same number. */
static void test_numbers_are_reused(void **state)
{
	struct parts *p = *state;
	struct process who = two;
	uint32_t epochs[20];

	for (int round = 0; round < 5; round++) {
		start(p, one, "stays");
		for (size_t i = 0; i < NR(epochs); i++) {
			who.exec_id++;
			start(p, who, "goes");
			take_mmap(p, 10, who, 0x400000, 0x401000, "/lib/over");
			epochs[i] = epoch_at(p, who, 100);
			assert_true(epochs[i] < 1 + 2 * NR(epochs));
			for (size_t j = 0; j < i; j++)
				assert_int_not_equal(epochs[i], epochs[j]);
			assert_int_equal(processes_pid(p->processes, epochs[i]), who.pid);
			take_end(p, PPROF_REC_EXIT, who);
		}
		assert_string_equal(path_at(p, one, 10, 0x400000), "/bin/app");
		processes_forget_past(p->processes);
	}
}

/* Reading /proc */

static void assert_own_maps(struct parts *p, struct process who)
{
	uint32_t epoch = epoch_at(p, who, 10);
	char exe[PATH_MAX] = "", comm[16];

	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	prctl(PR_GET_NAME, comm);
	assert_string_equal(processes_comm(p->processes, epoch), comm);
	assert_string_equal(mapped_files_path(p->files, processes_exe(p->processes, epoch)), exe);
	assert_string_equal(path_at(p, who, 10, (uintptr_t)assert_own_maps), exe);
	assert_non_null(strstr(path_at(p, who, 10, (uintptr_t)getpid), "libc"));
	assert_string_equal(path_at(p, who, 10, getauxval(AT_SYSINFO_EHDR)), "[vdso]");
	/* data is not executable, so its mapping is left out */
	assert_null(path_at(p, who, 10, (uintptr_t)&world));
}

static void test_load(void **state)
{
	const struct process self = { getpid(), 7 };
	struct parts *p = *state;

	world.pid = self.pid;
	world.exec_id = self.exec_id;
	assert_int_equal(processes_load(p->processes, self.pid), 0);
	world.nr = 0;
	assert_own_maps(p, self);
	assert_int_equal(world.nr, 0);
}

static void test_the_first_sample_loads(void **state)
{
	const struct process self = { getpid(), 7 };
	struct parts *p = *state;

	world.pid = self.pid;
	world.exec_id = self.exec_id;
	assert_own_maps(p, self);
	assert_int_equal(world.nr, 2);
}

/* /proc/PID/maps lacks a mapping that was unmapped after its record: the record stays. */
static void test_load_keeps_mappings_of_records(void **state)
{
	const struct process self = { getpid(), 7 };
	struct parts *p = *state;

	world.pid = self.pid;
	world.exec_id = self.exec_id;
	take_mmap(p, 5, self, 0x10000, 0x11000, "/lib/unmapped");
	assert_string_equal(path_at(p, self, 10, 0x10000), "/lib/unmapped");
	assert_own_maps(p, self);
}

/* The mappings of /proc may be older than a record for the same addresses: the record wins. */
static void test_load_is_covered_by_records(void **state)
{
	const struct process self = { getpid(), 7 };
	const uint64_t page = (uintptr_t)getpid & ~UINT64_C(4095);
	struct parts *p = *state;

	world.pid = self.pid;
	world.exec_id = self.exec_id;
	take_mmap(p, 5, self, page, page + 4096, "/lib/plugin");
	assert_int_equal(processes_load(p->processes, self.pid), 0);
	assert_string_equal(path_at(p, self, 10, page), "/lib/plugin");
	assert_non_null(strstr(path_at(p, self, 10, page + 4096), "libc"));
}

static size_t nr_mapped(struct parts *p, struct process who)
{
	return maps_nr(processes_maps(p->processes, epoch_at(p, who, UINT64_MAX)));
}

/*
 * The module does not report munmap(). If a process maps code at more and more addresses, /proc is
 * read again. If it has ended by then, all its mappings stay.
 */
static void test_mappings_at_more_and_more_addresses(void **state)
{
	const struct process self = { getpid(), 7 };
	struct parts *p = *state;

	world.pid = self.pid;
	world.exec_id = self.exec_id;
	for (int i = 0; i < 10000; i++) {
		take_mmap(p, 100 + i, self, 0x1000 + i * 0x2000, 0x2000 + i * 0x2000, "/lib/x");
		take_mmap(p, 100 + i, one, 0x1000 + i * 0x2000, 0x2000 + i * 0x2000, "/lib/x");
	}
	assert_in_range(nr_mapped(p, self), 10, 5000);
	assert_int_equal(nr_mapped(p, one), 10000);
	assert_non_null(strstr(path_at(p, self, UINT64_MAX, (uintptr_t)getpid), "libc"));
	assert_string_equal(path_at(p, self, 200, 0x1000), "/lib/x");
	assert_string_equal(path_at(p, self, UINT64_MAX, 0x1000 + 9999 * 0x2000), "/lib/x");
	assert_null(path_at(p, self, UINT64_MAX, 0x1000));
	assert_in_range(world.nr, 4, 40);
}

/* A process ended before its mappings were read: they are read once only. */
static void test_gone_before_it_was_read(void **state)
{
	struct parts *p = *state;

	assert_int_equal(processes_load(p->processes, one.pid), -ESRCH);
	world.pid = one.pid;
	world.exec_id = one.exec_id;
	for (int i = 0; i < 3; i++)
		assert_null(path_at(p, one, 10, 0x400000));
	assert_int_equal(world.nr, 1);
	assert_int_equal(processes_exe(p->processes, epoch_at(p, one, 10)), MAPPED_FILES_NONE);
}

/* Perf maps: this process has code without a file, and may have written a perf map. */

static char *map_path(void)
{
	static char path[32];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	return path;
}

static struct process own(struct parts *p, bool with_map)
{
	const struct process self = { getpid(), 7 };

	unlink(map_path());
	if (with_map)
		write_file(map_path(), "10000 10 code\n");
	world.pid = self.pid;
	world.exec_id = self.exec_id;
	start(p, self, "jit");
	return self;
}

static void wait_for_retry(void)
{
	usleep(150000);
}

static void test_perfmap(void **state)
{
	struct parts *p = *state;
	const struct process self = own(p, true);
	const struct maps *maps;

	take_mmap(p, 4, one, 0x10000, 0x11000, "");
	life_mmap(&record, 4, self, 0x10000, 0x11000, 77, "");
	take(p);
	take_mmap(p, 5, self, 0x11000, 0x12000, "[anon:code]");
	unlink(map_path());
	maps = processes_maps(p->processes, epoch_at(p, self, 10));
	assert_string_equal(path_at(p, self, 10, 0x10000), map_path());
	assert_int_equal(maps_find(maps, 0x10000)->end, 0x12000);
	assert_int_equal(maps_find(maps, 0x10000)->offset, 0x10000);
	assert_string_equal(path_at(p, self, 10, 0x400000), "/bin/app");
	assert_string_equal(path_at(p, one, 10, 0x10000), "//anon");
	/* a child has the code of its parent, with the names of that map */
	take_fork(p, 6, self, two);
	assert_string_equal(path_at(p, two, 10, 0x11000), map_path());
}

/* Maps a page of a new memfd, and takes the record of it. Returns the address. */
static uint64_t map_memfd(struct parts *p, struct process who, const char *name, const char *text)
{
	struct pprof_mmap *event = (struct pprof_mmap *)&record;
	int fd = memfd_create(name, MFD_CLOEXEC);
	char path[64];
	struct stat st;
	void *map;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(fstat(fd, &st), 0);
	map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	close(fd);
	snprintf(path, sizeof(path), "/memfd:%s (deleted)", name);
	life_mmap(&record, 4, who, (uintptr_t)map, (uintptr_t)map + 4096, 0, path);
	event->dev_major = major(st.st_dev);
	event->dev_minor = minor(st.st_dev);
	event->ino = st.st_ino;
	take(p);
	return (uintptr_t)map;
}

/* Runtimes write code into memfds, and also load libraries from memfds. */
static void test_perfmap_of_shared_memory(void **state)
{
	struct parts *p = *state;
	const struct process self = own(p, true);
	uint64_t code = map_memfd(p, self, "code", "\x90\xc3");
	uint64_t library = map_memfd(p, self, "library", ELFMAG);

	unlink(map_path());
	assert_string_equal(path_at(p, self, 10, code), map_path());
	assert_int_equal(maps_find(processes_maps(p->processes, epoch_at(p, self, 10)),
				   code)->offset, code);
	assert_string_equal(path_at(p, self, 10, library), "/memfd:library");
	munmap((void *)code, 4096);
	munmap((void *)library, 4096);
}

/* The perf map is younger than the code, and another file may cover the code by then. */
static void test_perfmap_comes_later(void **state)
{
	struct parts *p = *state;
	const struct process self = own(p, false);

	take_mmap(p, 4, self, 0x10000, 0x11000, "");
	take_mmap(p, 5, self, 0x20000, 0x21000, "");
	take_mmap(p, 6, self, 0x20000, 0x21000, "/lib/over");
	write_file(map_path(), "10000 10 code\n");
	take_mmap(p, 7, self, 0x30000, 0x31000, "");
	assert_string_equal(path_at(p, self, 10, 0x30000), "//anon");
	wait_for_retry();
	take_mmap(p, 8, self, 0x40000, 0x41000, "");
	unlink(map_path());
	assert_string_equal(path_at(p, self, 10, 0x40000), map_path());
	assert_string_equal(path_at(p, self, 10, 0x30000), map_path());
	assert_string_equal(path_at(p, self, 10, 0x10000), map_path());
	assert_string_equal(path_at(p, self, 5, 0x20000), map_path());
	assert_string_equal(path_at(p, self, 10, 0x20000), "/lib/over");
}

static void test_perfmap_after_all_code(void **state)
{
	struct parts *p = *state;
	const struct process self = own(p, false);

	take_mmap(p, 4, self, 0x10000, 0x11000, "");
	write_file(map_path(), "10000 10 code\n");
	processes_find_perfmaps(p->processes);
	assert_string_equal(path_at(p, self, 10, 0x10000), "//anon");
	wait_for_retry();
	processes_find_perfmaps(p->processes);
	unlink(map_path());
	assert_string_equal(path_at(p, self, 10, 0x10000), map_path());
}

/* The process may end before the samples are counted. */
static void test_perfmap_is_found_while_the_process_lives(void **state)
{
	struct parts *p = *state;
	const struct process self = own(p, false);

	take_mmap(p, 4, self, 0x10000, 0x11000, "");
	processes_poll_perfmaps(p->processes);
	write_file(map_path(), "10000 10 code\n");
	wait_for_retry();
	processes_poll_perfmaps(p->processes);
	unlink(map_path());
	world.pid = 0;
	assert_string_equal(path_at(p, self, 10, 0x10000), map_path());
}

/* [vsyscall] is no such code: each process has it, and no perf map is searched for it. */
static void test_perfmap_without_code(void **state)
{
	struct parts *p = *state;
	const struct process self = own(p, true);

	take_mmap(p, 4, self, 0xffffffffff600000, 0xffffffffff601000, "[vsyscall]");
	processes_find_perfmaps(p->processes);
	assert_int_equal(world.nr, 0);
	assert_string_equal(path_at(p, self, 10, 0xffffffffff600000), "//anon");
	unlink(map_path());
}

/* The process executes another program now, so the perf map belongs to that one. */
static void test_perfmap_of_another_exec_id(void **state)
{
	struct parts *p = *state;
	const struct process self = own(p, true);

	world.exec_id++;
	take_mmap(p, 4, self, 0x10000, 0x11000, "");
	world.pid = 0;
	wait_for_retry();
	processes_find_perfmaps(p->processes);
	unlink(map_path());
	assert_string_equal(path_at(p, self, 10, 0x10000), "//anon");
	assert_int_equal(world.nr, 1);
}

/*
 * A child continues with the code of its parent. The names of the parent's map are used until the
 * child has a map of its own.
 */
static void test_perfmap_of_a_child(void **state)
{
	static char own_map[32];
	struct parts *p = *state;
	const struct process self = own(p, true), child = { waiting_start(), 9 };

	take_mmap(p, 4, self, 0x10000, 0x11000, "");
	unlink(map_path());
	take_fork(p, 5, self, child);
	world.pid = child.pid;
	world.exec_id = child.exec_id;
	processes_find_perfmaps(p->processes);
	assert_string_equal(path_at(p, child, 10, 0x10000), map_path());
	snprintf(own_map, sizeof(own_map), "/tmp/perf-%d.map", child.pid);
	write_file(own_map, "10000 10 code\n");
	wait_for_retry();
	processes_find_perfmaps(p->processes);
	unlink(own_map);
	waiting_end(child.pid);
	assert_string_equal(path_at(p, child, 10, 0x10000), own_map);
	assert_string_equal(path_at(p, child, 10, 0x400000), "/bin/app");
	assert_string_equal(path_at(p, self, 10, 0x10000), map_path());
}

/* processes_visit_changed(): the visited exec ids, and the result of each visit. */

static struct {
	struct process who[8];
	size_t nr;
	size_t nr_ranges;
	size_t nr_ended;
	int answer;
} shown;

static int note_exec(void *ctx, const struct processes_exec *exec)
{
	assert_ptr_equal(ctx, &shown);
	assert_true(shown.nr < NR(shown.who));
	shown.who[shown.nr++] = (struct process){ exec->pid, exec->exec_id };
	shown.nr_ranges = maps_nr(exec->maps);
	shown.nr_ended += exec->ended;
	return shown.answer;
}

static int visit(struct parts *p, int answer)
{
	memset(&shown, 0, sizeof(shown));
	shown.answer = answer;
	return processes_visit_changed(p->processes, note_exec, &shown);
}

static void assert_shown(struct parts *p, size_t nr)
{
	assert_int_equal(visit(p, 1), 0);
	assert_int_equal(shown.nr, nr);
}

/* Fails if a process that comes into a cgroup has no mappings before its first sample. */
static void test_enter_loads(void **state)
{
	const struct process self = { getpid(), 7 };
	struct parts *p = *state;

	world.pid = self.pid;
	world.exec_id = self.exec_id;
	take_end(p, PPROF_REC_ENTER, self);
	assert_int_equal(world.nr, 2);
	assert_own_maps(p, self);
	assert_int_equal(world.nr, 2);
}

/* Fails if a process that comes again is taken for an ended one, or has mappings of before. */
static void test_enter_after_an_end(void **state)
{
	const struct process self = { getpid(), 7 };
	struct parts *p = *state;

	world.pid = self.pid;
	world.exec_id = self.exec_id;
	take_end(p, PPROF_REC_ENTER, self);
	take_mmap(p, 999, self, 0x400000, 0x402000, "/bin/gone");
	assert_shown(p, 1);
	take_end(p, PPROF_REC_DROP, self);
	assert_int_equal(processes_nr_dead(p->processes), 1);
	life_end(&record, PPROF_REC_ENTER, 2000, self);
	take(p);
	assert_int_equal(processes_nr_dead(p->processes), 0);
	assert_string_equal(path_at(p, self, 1000, 0x400000), "/bin/gone");
	assert_null(path_at(p, self, 2000, 0x400000));
	assert_shown(p, 1);
	/* The ring of another CPU may have had the record of the end. */
	take_end(p, PPROF_REC_DROP, self);
	assert_int_equal(processes_nr_dead(p->processes), 0);
}

/* Fails if a process that ended before it was shown is not shown when it comes again. */
static void test_enter_after_an_unseen_end(void **state)
{
	const struct process self = { getpid(), 7 };
	struct parts *p = *state;

	world.pid = self.pid;
	world.exec_id = self.exec_id;
	take_end(p, PPROF_REC_ENTER, self);
	take_end(p, PPROF_REC_DROP, self);
	assert_shown(p, 1);
	life_end(&record, PPROF_REC_ENTER, 2000, self);
	take(p);
	assert_shown(p, 1);
}

static void test_changes_are_shown_until_done(void **state)
{
	struct parts *p = *state;

	assert_shown(p, 0);
	start(p, one, "app");
	take_mmap(p, 2, two, 0x400000, 0x402000, "/bin/other");
	assert_int_equal(visit(p, 0), 0);
	assert_int_equal(shown.nr, 2);
	assert_int_equal(visit(p, -EIO), -EIO);
	assert_int_equal(shown.nr, 1);
	assert_shown(p, 2);
	assert_shown(p, 0);
	take_mmap(p, 4, one, 0x500000, 0x502000, "/lib/plugin.so");
	assert_shown(p, 1);
	assert_int_equal(shown.who[0].pid, one.pid);
	assert_true(shown.who[0].exec_id == one.exec_id);
	assert_int_equal(shown.nr_ranges, 3);
}

/* Fails if an ended process is not seen, or is seen for ever. */
static void test_dead_are_shown_once(void **state)
{
	struct parts *p = *state;

	start(p, one, "app");
	start(p, two, "other");
	take_end(p, PPROF_REC_EXIT, one);
	assert_int_equal(visit(p, 0), 0);
	assert_int_equal(shown.nr, 2);
	assert_int_equal(shown.nr_ended, 1);
	assert_int_equal(visit(p, 0), 0);
	assert_int_equal(shown.nr, 1);
	assert_int_equal(shown.nr_ended, 0);
	assert_int_equal(shown.who[0].pid, two.pid);
	take_end(p, PPROF_REC_EXIT, two);
	processes_forget_past(p->processes);
	assert_shown(p, 0);
}

/* A child is not visited if its parent was done before the fork. */
static void test_child_of_a_change(void **state)
{
	static const struct process late = { 0x40000003, 300 }, never = { 0x40000004, 400 };
	struct parts *p = *state;

	start(p, one, "app");
	take_fork(p, 10, one, two);
	assert_shown(p, 2);
	/* the fork is older than the visit of the parent, but its record comes later */
	take_fork(p, 20, one, late);
	assert_shown(p, 1);
	assert_int_equal(shown.who[0].pid, late.pid);
	take_fork(p, UINT64_MAX, one, never);
	assert_shown(p, 0);
	take_fork(p, UINT64_MAX, never, (struct process){ 0x40000005, 500 });
	assert_shown(p, 0);
}

/* The program was mapped before the session, so the first record is of a library. */
static void test_library_is_no_executable(void **state)
{
	struct parts *p = *state;

	take_mmap(p, 2, one, 0x7f0000, 0x7f2000, "/lib/libplugin.so");
	assert_int_equal(processes_exe(p->processes, epoch_at(p, one, 10)), MAPPED_FILES_NONE);
	take_fork(p, 3, one, two);
	assert_int_equal(processes_exe(p->processes, epoch_at(p, two, 10)), MAPPED_FILES_NONE);
}

/* The exec id changes while /proc is read: the mappings may be of either program. */
static void test_exec_while_reading(void **state)
{
	const struct process self = { getpid(), 7 };
	struct parts *p = *state;
	uint32_t epoch;

	world.pid = self.pid;
	world.exec_id = self.exec_id;
	world.next_exec_id = 8;
	assert_int_equal(processes_load(p->processes, world.pid), -ESRCH);
	epoch = epoch_at(p, self, 10);
	assert_int_equal(maps_nr(processes_maps(p->processes, epoch)), 0);
	assert_int_equal(processes_exe(p->processes, epoch), MAPPED_FILES_NONE);
	assert_string_equal(processes_comm(p->processes, epoch), "");
}

/* The process context of this process, which is followed as the exec id 7. */

static const char *service(struct parts *p, uint32_t epoch)
{
	return processes_context(p->processes, epoch, false)->service;
}

static struct otel_header *publish(const char *name)
{
	const char *const attributes[] = { "service.name", name, NULL };
	struct otel_message m = otel_resource(attributes);
	struct otel_header *h = otel_map(true);

	assert_non_null(h);
	otel_update(h, &m, 1);
	return h;
}

static void test_context(void **state)
{
	const struct process self = { getpid(), 7 };
	struct parts *p = *state;
	struct otel_header *h = publish("shop");
	uint32_t epoch;

	world.pid = self.pid;
	world.exec_id = self.exec_id;
	epoch = epoch_at(p, self, 10);
	assert_string_equal(service(p, epoch), "shop");
	take_end(p, PPROF_REC_EXIT, self);
	munmap(h, OTEL_BYTES);
	assert_string_equal(service(p, epoch), "shop");
}

static void test_context_of_another_exec_id(void **state)
{
	const struct process self = { getpid(), 7 };
	struct parts *p = *state;
	struct otel_header *h = publish("shop");
	uint32_t epoch;

	world.pid = self.pid;
	world.exec_id = self.exec_id;
	epoch = epoch_at(p, self, 10);
	world.exec_id = 8;
	assert_null(service(p, epoch));
	munmap(h, OTEL_BYTES);
}

static void test_no_context(void **state)
{
	struct parts *p = *state;
	uint32_t epoch;

	start(p, one, "app");
	epoch = epoch_at(p, one, 10);
	assert_null(service(p, epoch));
	assert_int_equal(processes_context(p->processes, epoch, false)->label_bytes, 0);
}

static void test_child_of_an_unknown_parent(void **state)
{
	const struct process self = { getpid(), 7 };
	struct parts *p = *state;

	world.pid = self.pid;
	world.exec_id = self.exec_id;
	take_fork(p, 5, self, two);
	assert_own_maps(p, two);
}

/* The parent ended before it was read. The mappings of the child are read from /proc. */
static void test_child_of_an_unknown_parent_that_is_gone(void **state)
{
	const struct process self = { getpid(), 7 };
	struct parts *p = *state;

	world.pid = self.pid;
	world.exec_id = self.exec_id;
	epoch_at(p, one, 4);
	take_fork(p, 5, one, self);
	assert_own_maps(p, self);
}

/*
 * Starts a copy of cat, and waits until it has repeated a byte. It has its own input open for
 * writing, so it never ends by itself. Returns its pid.
 */
static pid_t start_copy(const char *path)
{
	int in[2], out[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(in) | pipe(out), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		execl(path, path, NULL);
		_exit(127);
	}
	assert_int_equal(write(in[1], "x", 1), 1);
	assert_int_equal(read(out[0], &c, 1), 1);
	for (int i = 0; i < 2; i++)
		assert_int_equal(close(in[i]) | close(out[i]), 0);
	return pid;
}

static void test_deleted_executable(void **state)
{
	struct process who = { .exec_id = 7 };
	struct parts *p = *state;

	assert_int_equal(system("cp /bin/cat program"), 0);
	who.pid = start_copy(in_folder("program"));
	assert_int_equal(unlink("program"), 0);
	world.pid = who.pid;
	world.exec_id = who.exec_id;
	assert_int_equal(processes_load(p->processes, who.pid), 0);
	kill(who.pid, SIGKILL);
	waitpid(who.pid, NULL, 0);
	assert_string_equal(mapped_files_path(p->files,
					      processes_exe(p->processes, epoch_at(p, who, 10))),
			    in_folder("program"));
}

/* Takes some records, up to the first error. Returns: 0, or that error. */
static int take_some(struct processes *processes)
{
	int err = 0;

	life_exec(&record, 1, one, 0, "app");
	err = processes_take(processes, &record.ev);
	life_mmap(&record, 2, one, 0x400000, 0x401000, 0, "/bin/app");
	err = err ? err : processes_take(processes, &record.ev);
	life_fork(&record, 3, one, two);
	err = err ? err : processes_take(processes, &record.ev);
	life_mmap(&record, 4, two, 0x400000, 0x401000, 0, "/bin/other");
	err = err ? err : processes_take(processes, &record.ev);
	if (!err) {
		int64_t epoch = processes_epoch(processes, world.pid, world.exec_id, 5);

		err = epoch < 0 ? epoch : 0;
	}
	return err;
}

static void test_every_allocation_may_fail(void **state)
{
	struct parts *p = *state;
	int nr_failures = 0, err = -ENOMEM;

	world.pid = getpid();
	for (long n = 0; err; n++) {
		struct processes *processes;

		allocations_left = n;
		errno = 0;
		processes = processes_new(p->files, (struct device *)&world);
		assert_true(processes || errno == ENOMEM);
		err = processes ? take_some(processes) : -ENOMEM;
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
		nr_failures += err < 0;
		processes_free(processes);
	}
	assert_true(nr_failures > 10);
}

/*
 * The files of a process that has ended are removed once it is forgotten. The other process has
 * its file still, and what comes again is learnt again.
 */
static void test_files_of_ended_processes(void **state)
{
	struct parts *p = *state;
	bool marks[3] = { false };

	take_exec(p, 1, one, 99, "one");
	take_mmap(p, 2, one, 0x1000, 0x2000, "/bin/one");
	take_exec(p, 1, two, 199, "two");
	take_mmap(p, 2, two, 0x1000, 0x2000, "/bin/two");
	take_end(p, PPROF_REC_EXIT, one);
	processes_mark_files(p->processes, marks);
	assert_true(marks[1] && marks[2]);
	processes_forget_past(p->processes);
	memset(marks, 0, sizeof(marks));
	processes_mark_files(p->processes, marks);
	assert_true(!marks[1] && marks[2]);
	assert_int_equal(mapped_files_keep(p->files, marks), 0);
	assert_string_equal(path_at(p, two, 10, 0x1000), "/bin/two");
	take_exec(p, 1001, one, 99, "one");
	take_mmap(p, 1002, one, 0x1000, 0x2000, "/bin/one");
	assert_string_equal(path_at(p, one, 1010, 0x1000), "/bin/one");
	assert_int_equal(mapped_files_nr(p->files), 3);
}

/* The file system of the folder may be an overlayfs. */
bool __wrap_file_version_is_shared(int fd);
bool __wrap_file_version_is_shared(int fd)
{
	return fd >= 0;
}

static void map_real(struct parts *p, struct process who, const char *path)
{
	struct pprof_mmap *mapping = (void *)&record;
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	life_mmap(&record, 100, who, 0x900000, 0x902000, 0, path);
	mapping->ino = st.st_ino;
	mapping->dev_major = major(st.st_dev);
	mapping->dev_minor = minor(st.st_dev);
	take(p);
}

static uint32_t file_at(struct parts *p, uint64_t time_ns)
{
	return maps_find(processes_maps(p->processes, epoch_at(p, one, time_ns)), 0x901000)->file;
}

/* Fails if samples from before a change of a file are of the new content, or later ones are not. */
static void test_a_changed_file(void **state)
{
	struct parts *p = *state;
	uint32_t old, other;

	start(p, one, "app");
	start(p, two, "other");
	write_file("lib", "\177ELFold");
	map_real(p, one, in_folder("lib"));
	map_real(p, two, in_folder("lib"));
	take_mmap(p, 200, two, 0x900000, 0x902000, "/lib/other");
	old = file_at(p, 150);
	other = epoch_at(p, two, UINT64_MAX);
	assert_shown(p, 2);
	assert_int_equal(processes_renew_files(p->processes), 0);
	assert_shown(p, 0);
	write_file("lib", "\177ELFlonger");
	mapped_files_find_changes(p->files);
	assert_int_equal(processes_renew_files(p->processes), 0);
	assert_int_equal(file_at(p, 150), old);
	assert_int_not_equal(file_at(p, UINT64_MAX), old);
	assert_false(mapped_files_is_outdated(p->files, file_at(p, UINT64_MAX)));
	assert_string_equal(path_at(p, one, UINT64_MAX, 0x400000), "/bin/app");
	assert_int_equal(epoch_at(p, two, UINT64_MAX), other);
	assert_string_equal(path_at(p, two, UINT64_MAX, 0x900000), "/lib/other");
	assert_shown(p, 1);
	assert_int_equal(unlink("lib"), 0);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_exec_begins_an_exec_id),
		WITH_SETUP(test_files_of_ended_processes),
		WITH_SETUP(test_a_changed_file),
		WITH_SETUP(test_exec_ends_the_old_exec_id),
		WITH_SETUP(test_fork_copies),
		WITH_SETUP(test_fork_after_the_childs_mapping),
		WITH_SETUP(test_mapping_reported_after_a_later_fork),
		WITH_SETUP(test_a_reused_pid_is_another_process),
		WITH_SETUP(test_remap_begins_an_epoch),
		WITH_SETUP(test_a_late_mapping_is_under_newer_ones),
		WITH_SETUP(test_a_late_mapping_before_many_epochs),
		WITH_SETUP(test_a_late_mapping_of_free_addresses),
		WITH_SETUP(test_names_of_mappings),
		WITH_SETUP(test_anonymous_memory_grows),
		WITH_SETUP(test_another_file_is_mapped_by_now),
		WITH_SETUP(test_odd_ranges_are_left_out),
		WITH_SETUP(test_comm),
		WITH_SETUP(test_enter_loads),
		WITH_SETUP(test_enter_after_an_end),
		WITH_SETUP(test_enter_after_an_unseen_end),
		WITH_SETUP(test_cgroup),
		WITH_SETUP(test_unknown_records_are_skipped),
		WITH_SETUP(test_ended_exec_ids_are_freed),
		WITH_SETUP(test_ends_that_no_record_reports),
		WITH_SETUP(test_past_epochs_are_freed),
		WITH_SETUP(test_numbers_are_reused),
		WITH_SETUP(test_load),
		WITH_SETUP(test_the_first_sample_loads),
		WITH_SETUP(test_load_keeps_mappings_of_records),
		WITH_SETUP(test_load_is_covered_by_records),
		WITH_SETUP(test_mappings_at_more_and_more_addresses),
		WITH_SETUP(test_gone_before_it_was_read),
		WITH_SETUP(test_perfmap),
		WITH_SETUP(test_perfmap_of_shared_memory),
		WITH_SETUP(test_perfmap_comes_later),
		WITH_SETUP(test_perfmap_after_all_code),
		WITH_SETUP(test_perfmap_is_found_while_the_process_lives),
		WITH_SETUP(test_perfmap_without_code),
		WITH_SETUP(test_perfmap_of_another_exec_id),
		WITH_SETUP(test_perfmap_of_a_child),
		WITH_SETUP(test_changes_are_shown_until_done),
		WITH_SETUP(test_dead_are_shown_once),
		WITH_SETUP(test_child_of_a_change),
		WITH_SETUP(test_library_is_no_executable),
		WITH_SETUP(test_exec_while_reading),
		WITH_SETUP(test_context),
		WITH_SETUP(test_context_of_another_exec_id),
		WITH_SETUP(test_no_context),
		WITH_SETUP(test_child_of_an_unknown_parent),
		WITH_SETUP(test_child_of_an_unknown_parent_that_is_gone),
		WITH_SETUP(test_deleted_executable),
		WITH_SETUP(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
