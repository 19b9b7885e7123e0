// SPDX-License-Identifier: GPL-2.0
// sources: collector/run/profile_prepare.c collector/run/profile_run.c collector/session/settings.c
// sources: collector/aggregate/profile_types.c
/*
 * All parts of the run are played by this file. Each call leaves a word in `calls`. Parts that are
 * made are counted, and must be freed.
 */
#include <errno.h>

#include "aggregate/aggregator.h"
#include "aggregate/label_sets.h"
#include "aggregate/locations.h"
#include "aggregate/named_code.h"
#include "capture.h"
#include "device/device.h"
#include "device/error_text.h"
#include "process/command.h"
#include "process/mapped_files.h"
#include "process/processes.h"
#include "procfs/cgroup_folder.h"
#include "procfs/children.h"
#include "procfs/procfs.h"
#include "report/output_files.h"
#include "report/thread_dump.h"
#include "report/window_store.h"
#include "run/privileges.h"
#include "run/profile_prepare.h"
#include "run/profile_run.h"
#include "session/custom_profile.h"
#include "session/heap_probes.h"
#include "session/sources.h"
#include "session/unwind_ranges.h"
#include "session/unwind_tables.h"
#include "symbol/elf_symbolizer.h"
#include "symbol/kallsyms.h"

static struct {
	char calls[512];
	int nr_parts;		/* made and not freed */
	int fail_part;		/* number of the part that cannot be made */
	int nr_made;
	int fail_outputs, fail_open, fail_setup, fail_heap, fail_seal, fail_custom, fail_ranges;
	int fail_kallsyms, fail_cgroup, fail_drain;
	pid_t fail_attach;	/* the pid that cannot be attached */
	int attach_error;
	uint64_t ignored;	/* exec id */
	const char *comm;
	pid_t output_pid;
	uint64_t lost;		/* of class 1; that of others is a multiple */
	bool stopped;
} world;

static struct settings settings;
static struct profile_run run;
static pid_t pids[] = { 10, 20 };

static void called(const char *word, int number)
{
	size_t len = strlen(world.calls);

	snprintf(world.calls + len, sizeof(world.calls) - len, number ? "%s%s%d" : "%s%s",
		 len ? " " : "", word, number);
}

static void *part(void)
{
	if (++world.nr_made == world.fail_part) {
		errno = ENOMEM;
		return NULL;
	}
	world.nr_parts++;
	return &world;
}

static void free_part(const void *p)
{
	world.nr_parts -= !!p;
}

#define PART(type, name)			\
	void name##_free(struct type *p)	\
	{					\
		free_part(p);			\
	}

PART(aggregator, aggregator)
PART(thread_dump, thread_dump)
PART(locations, locations)
PART(named_code, named_code)
PART(label_sets, labels)
PART(processes, processes)
PART(mapped_files, mapped_files)
PART(unwind_tables, unwind_tables)
PART(unwind_ranges, unwind_ranges)
PART(heap, heap)

struct aggregator *aggregator_new(const struct aggregator_parts *parts)
{
	assert_int_equal(parts->pid, profile_run_pid(&run));
	assert_true(!parts->show == !settings_dump(&settings));
	return part();
}

struct thread_dump *thread_dump_new(const struct label_sets *labels)
{
	(void)labels;
	return part();
}

struct locations *locations_new(struct mapped_files *files)
{
	(void)files;
	return part();
}

struct named_code *named_code_new(void)
{
	return part();
}

struct label_sets *labels_new(unsigned int wanted)
{
	(void)wanted;
	return part();
}

struct processes *processes_new(struct mapped_files *files, struct device *dev)
{
	(void)files;
	(void)dev;
	return part();
}

struct mapped_files *mapped_files_new(void)
{
	return part();
}

struct unwind_tables *unwind_tables_new(struct device *dev)
{
	(void)dev;
	return part();
}

int unwind_ranges_send_contexts(struct unwind_ranges *r)
{
	(void)r;
	return 0;
}

struct unwind_ranges *unwind_ranges_new(struct processes *processes, struct mapped_files *files,
					struct unwind_tables *tables, struct device *dev)
{
	(void)processes;
	(void)files;
	(void)tables;
	(void)dev;
	return part();
}

struct heap *heap_new(void)
{
	return part();
}

int thread_dump_add(struct thread_dump *d, const struct pprof_sample *sample, uint64_t labels,
		    const uint64_t *locations, uint32_t nr)
{
	(void)d;
	(void)sample;
	(void)labels;
	(void)locations;
	(void)nr;
	return 0;
}

void aggregator_ignore_exec_id(struct aggregator *c, uint64_t exec_id)
{
	(void)c;
	world.ignored = exec_id;
}

struct device *device_open(void)
{
	errno = world.fail_open;
	return world.fail_open ? NULL : (struct device *)&world;
}

void device_close(struct device *d)
{
	(void)d;
}

int device_setup(struct device *d, uint32_t flags, uint32_t ring_bytes, uint32_t max_frames)
{
	(void)d;
	(void)flags;
	(void)max_frames;
	assert_int_equal(ring_bytes, 8 * 4096);
	return world.fail_setup;
}

int cgroup_folder_open(const char *path)
{
	assert_string_equal(path, settings.cgroup);
	return world.fail_cgroup ? world.fail_cgroup : dup(STDERR_FILENO);
}

void cgroup_folder_print_error(const char *path, int err)
{
	assert_string_equal(path, settings.cgroup);
	assert_int_equal(err, world.fail_cgroup);
	called("no-cgroup", 0);
}

const char *cgroup_folder_name(const char *path)
{
	return strrchr(path, '/') + 1;
}

void device_set_cgroup(struct device *d, int fd)
{
	(void)d;
	assert_true(fd > STDERR_FILENO);
	called("cgroup", 0);
}

int aggregator_drain(struct aggregator *c, struct ring *const *rings, uint32_t nr_rings)
{
	(void)c;
	(void)rings;
	assert_int_equal(nr_rings, 2);
	called("drain", 0);
	return world.fail_drain;
}

int device_attach(struct device *d, pid_t *pid, uint64_t *exec_id)
{
	(void)d;
	if (*pid == world.fail_attach)
		return world.attach_error;
	called("attach", *pid);
	*exec_id = 100 + *pid;
	return 0;
}

uint32_t device_nr_rings(const struct device *d)
{
	(void)d;
	return 2;
}

struct ring *device_ring(struct device *d, uint32_t cpu)
{
	(void)d;
	(void)cpu;
	return NULL;
}

int kallsyms_open(void)
{
	called("kallsyms", 0);
	return world.fail_kallsyms ? world.fail_kallsyms : 77;
}

void mapped_files_set_kallsyms(struct mapped_files *f, int fd)
{
	assert_non_null(f);
	called("names", fd);
}

void device_error_print_open(void)
{
	called("no-device", 0);
}

void device_error_print_setup(uint32_t flags, unsigned int buffer_pages, int err)
{
	(void)flags;
	(void)buffer_pages;
	assert_int_equal(err, world.fail_setup);
	called("no-setup", 0);
}

void device_error_print_attach(pid_t pid, int err)
{
	assert_int_equal(err, world.attach_error);
	called("no-attach", pid);
}

int processes_load(struct processes *p, pid_t pid)
{
	(void)p;
	called("load", pid);
	return -ESRCH;	/* no reason to stop */
}

int children_visit(pid_t pid, int (*visit)(void *ctx, pid_t pid), void *ctx)
{
	return visit(ctx, pid + 1) || visit(ctx, pid + 2);
}

bool stop_is_asked(const struct stop *s)
{
	(void)s;
	return world.stopped;
}

pid_t command_pid(const struct command *p)
{
	(void)p;
	return 30;
}

void command_free(struct command *p)
{
	(void)p;
}

int heap_set_device(struct heap *h, struct device *dev)
{
	(void)h;
	(void)dev;
	called("check", 0);
	return world.fail_heap;
}

int heap_add_process(struct heap *h, pid_t pid)
{
	(void)h;
	called("heap", pid);
	return 0;
}

int heap_add_program(struct heap *h, char *const *argv, pid_t pid)
{
	(void)h;
	assert_string_equal(argv[0], "/bin/prog");
	called("program", pid);
	return 0;
}

void heap_add_child(struct heap *h, pid_t pid)
{
	(void)h;
	called("child", pid);
}

void heap_warn_of_children(const struct heap *h)
{
	(void)h;
	called("warn", 0);
}

void heap_measure_trap(struct heap *h)
{
	(void)h;
	called("trap", 0);
}

int custom_profile_check(struct device *d, pid_t pid, const char *name)
{
	(void)d;
	(void)name;
	called("custom", pid);
	return world.fail_custom;
}

uint64_t device_nr_lost(const struct device *d, uint32_t class)
{
	(void)d;
	return world.lost * class;
}

uint64_t device_nr_lost_for(const struct device *d, uint32_t class, uint32_t reason)
{
	(void)d;
	assert_int_equal(reason, PPROF_LOST_QUEUE);
	return world.lost / 2 * class;
}

uint64_t device_slowest_ns(const struct device *d, uint32_t source)
{
	(void)d;
	return 70 + source;
}

uint64_t unwind_tables_nr_refused(struct unwind_tables *t)
{
	(void)t;
	return 20;
}

uint64_t unwind_ranges_nr_refused(const struct unwind_ranges *r)
{
	(void)r;
	return 3;
}

uint32_t sources_setup_flags(const struct settings *s)
{
	(void)s;
	return 0;
}

bool sources_need_no_hooks(const struct settings *s)
{
	(void)s;
	return false;
}

int unwind_ranges_update(struct unwind_ranges *r)
{
	(void)r;
	called("ranges", 0);
	return world.fail_ranges;
}

void unwind_tables_wait(struct unwind_tables *t)
{
	(void)t;
	called("wait", 0);
}

void procfs_comm(pid_t pid, char *comm, size_t size)
{
	snprintf(comm, size, "comm%d", pid);
}

bool elf_symbolizer_has_servers(void)
{
	return true;
}

int privileges_seal(const struct privileges_seal *s)
{
	assert_true(s->writes_files && s->asks_servers);
	called("seal", s->program);
	return world.fail_seal;
}

int output_files_open(struct output_files *o, const struct settings *s, const char *comm, pid_t pid)
{
	static char copy[32];

	(void)o;
	(void)s;
	snprintf(copy, sizeof(copy), "%s", comm ? comm : "");
	world.comm = comm ? copy : NULL;
	world.output_pid = pid;
	called("outputs", 0);
	return world.fail_outputs;
}

PART(window_store, window_store)

struct window_store *window_store_open(const char *dir, const struct window_limits *limits)
{
	assert_string_equal(dir, "<folder>");
	assert_int_equal(limits->bytes, 77);
	called("store", 0);
	return world.fail_outputs ? NULL : part();
}

void output_files_fini(struct output_files *o)
{
	(void)o;
}

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	settings = (struct settings){
		.hz = 100, .profile_types = 1U << PROFILE_TYPE_CPU, .buffer_pages = 8,
		.pids = pids, .nr_pids = 1,
	};
	return 0;
}

/* All parts are freed, also after a failure. */
static int prepare(struct command *program)
{
	int err;

	world.calls[0] = 0;
	world.nr_made = 0;
	profile_run_init(&run, &settings, -1, program);
	assert_int_equal(run.periods[PPROF_SOURCE_CPU], 10000000);
	err = profile_prepare(&run);
	profile_run_fini(&run);
	assert_int_equal(world.nr_parts, 0);
	return err;
}

static void test_pids(void **state)
{
	(void)state;
	settings.nr_pids = 2;
	assert_int_equal(prepare(NULL), 0);
	assert_string_equal(world.calls, "outputs check seal attach10 load10 heap10 attach20 "
			    "load20 heap20 warn trap");
	assert_string_equal(world.comm, "comm10");
	assert_int_equal(world.output_pid, 10);
}

/* A child that has ended is left out. A signal ends the search. */
static void test_children(void **state)
{
	(void)state;
	settings.children = true;
	world.fail_attach = 11;
	world.attach_error = -ESRCH;
	assert_int_equal(prepare(NULL), 0);
	assert_string_equal(world.calls, "outputs check seal attach10 load10 heap10 attach12 "
			    "load12 child12 warn trap");
	world.fail_attach = 0;
	world.stopped = true;
	assert_int_equal(prepare(NULL), 0);
	assert_string_equal(world.calls, "outputs check seal attach10 load10 heap10 attach11 "
			    "load11 child11 warn trap");
}

static void test_all(void **state)
{
	(void)state;
	settings.nr_pids = 0;
	settings.all = true;
	assert_int_equal(prepare(NULL), 0);
	assert_string_equal(world.calls, "outputs check seal warn trap");
	assert_null(world.comm);
	assert_int_equal(world.output_pid, 0);
}

/* The processes that SETUP reports are read before their tables are compiled. */
static void test_cgroup(void **state)
{
	struct capture c;

	(void)state;
	settings.nr_pids = 0;
	settings.tables = true;
	settings.cgroup = "/a/b.service";
	assert_int_equal(prepare(NULL), 0);
	assert_string_equal(world.calls, "outputs cgroup check seal drain warn trap ranges wait ranges");
	assert_string_equal(world.comm, "b.service");
	assert_int_equal(world.output_pid, 0);
	world.fail_setup = -EPERM;
	assert_int_equal(prepare(NULL), -1);
	assert_string_equal(world.calls, "outputs cgroup no-setup");
	world.fail_setup = 0;
	world.fail_drain = -ENOMEM;
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(prepare(NULL), -1);
	assert_sentence(capture_end(&c), "cannot read the processes of the cgroup: out of memory");
	assert_string_equal(world.calls, "outputs cgroup check seal drain");
	world.fail_cgroup = -ENOENT;
	assert_int_equal(prepare(NULL), -1);
	assert_string_equal(world.calls, "outputs no-cgroup");
}

/* What the child runs before its exec is not sampled. */
static void test_program(void **state)
{
	char *argv[2] = { (char *)"/bin/prog", NULL };

	(void)state;
	settings.nr_pids = 0;
	settings.program = argv;
	assert_int_equal(prepare((struct command *)&world), 0);
	assert_string_equal(world.calls, "outputs check attach30 load30 program30 seal30 warn trap");
	assert_int_equal(world.ignored, 130);
	assert_string_equal(world.comm, "prog");
	assert_int_equal(world.output_pid, 30);
}

/* Tables are compiled after all targets are attached. */
static void test_tables(void **state)
{
	struct capture c;

	(void)state;
	settings.tables = true;
	assert_int_equal(prepare(NULL), 0);
	assert_string_equal(world.calls, "outputs check seal attach10 load10 heap10 warn trap ranges "
			    "wait ranges");
	world.fail_ranges = -ENOMEM;
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(prepare(NULL), -1);
	assert_sentence(capture_end(&c), "cannot send unwind tables: out of memory: use --unwind fp");
}

/* The kernel's symbols are opened before the right to read them is given up. */
static void test_kernel(void **state)
{
	struct capture c;

	(void)state;
	settings.kernel = true;
	assert_int_equal(prepare(NULL), 0);
	assert_string_equal(world.calls, "outputs check kallsyms names77 seal attach10 load10 heap10 "
			    "warn trap");
	world.fail_kallsyms = -EACCES;
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(prepare(NULL), -1);
	assert_sentence(capture_end(&c), "which kernel.kptr_restrict hides: set it to 1 or 0");
	assert_string_equal(world.calls, "outputs check kallsyms");
	world.fail_kallsyms = -ENOENT;
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(prepare(NULL), -1);
	assert_sentence(capture_end(&c), "cannot be read: No such file or directory: leave --kernel");
}

static void test_custom(void **state)
{
	(void)state;
	settings.custom = "conns";
	assert_int_equal(prepare(NULL), 0);
	assert_string_equal(world.calls, "outputs check seal attach10 load10 heap10 custom10 warn trap");
	world.fail_custom = -1;
	assert_int_equal(prepare(NULL), -1);
	assert_string_equal(world.calls, "outputs check seal attach10 load10 heap10 custom10");
}

static void test_failures(void **state)
{
	(void)state;
	world.fail_attach = 10;
	world.attach_error = -EACCES;
	assert_int_equal(prepare(NULL), -1);
	assert_string_equal(world.calls, "outputs check seal no-attach10");
	world.fail_seal = -EPERM;
	assert_int_equal(prepare(NULL), -1);
	assert_string_equal(world.calls, "outputs check seal");
	world.fail_heap = -1;
	assert_int_equal(prepare(NULL), -1);
	assert_string_equal(world.calls, "outputs check");
	world.fail_setup = -EPERM;
	assert_int_equal(prepare(NULL), -1);
	assert_string_equal(world.calls, "outputs no-setup");
	world.fail_open = ENOENT;
	assert_int_equal(prepare(NULL), -1);
	assert_string_equal(world.calls, "outputs no-device");
	world.fail_outputs = -1;
	assert_int_equal(prepare(NULL), -1);
	assert_string_equal(world.calls, "outputs");
}

/* Whichever part lacks memory, there is one message, and nothing is attached. */
static void test_no_memory(void **state)
{
	struct capture c;

	(void)state;
	settings.tables = true;
	settings.debug = 2;
	settings.profile_types = 1U << PROFILE_TYPE_HEAP | 1U << PROFILE_TYPE_THREAD;
	assert_int_equal(prepare(NULL), 0);
	assert_int_equal(world.nr_made, 10);
	for (int nr = 1; nr <= 10; nr++) {
		world.fail_part = nr;
		capture_begin(&c, STDERR_FILENO);
		assert_int_equal(prepare(NULL), -1);
		assert_sentence(capture_end(&c), nr < 9 ? "cannot prepare a profile: out of memory"
							: "cannot compile unwind tables: ");
		assert_string_equal(world.calls, "outputs");
	}
}

/* The counters of the module, and those of the collector if it has tables. */
static void test_counters(void **state)
{
	(void)state;
	assert_int_equal(prepare(NULL), 0);
	world.lost = 10;
	profile_run_count(&run);
	assert_int_equal(run.counters.lost[PPROF_CLASS_EVENT], 10 * PPROF_CLASS_EVENT);
	assert_int_equal(run.counters.lost_early[PPROF_SOURCE_WALL], 5 * PPROF_SOURCE_WALL);
	assert_int_equal(run.counters.slowest_ns[PPROF_SOURCE_WALL], 70 + PPROF_SOURCE_WALL);
	assert_int_equal(run.counters.refused, 0);
	run.tables = (struct unwind_tables *)&world;
	profile_run_count(&run);
	assert_int_equal(run.counters.refused, 23);
	profile_run_count_again(&run);
	profile_run_count(&run);
	assert_int_equal(run.counters.lost[PPROF_CLASS_EVENT], 0);
	world.lost = 12;
	profile_run_count(&run);
	assert_int_equal(run.counters.lost[PPROF_CLASS_EVENT], 2 * PPROF_CLASS_EVENT);
	assert_int_equal(run.counters.lost_early[PPROF_SOURCE_WALL], PPROF_SOURCE_WALL);
}

/* A continuous profile opens a folder in place of files, before anything else. */
static void test_windows(void **state)
{
	(void)state;
	settings.every_ns = 1000000000;
	settings.dir = "<folder>";
	settings.keep_bytes = 77;
	assert_int_equal(prepare(NULL), 0);
	assert_string_equal(world.calls, "store check seal attach10 load10 heap10 warn trap");
	assert_string_equal(run.comm, "comm10");
	world.fail_outputs = -1;
	assert_int_equal(prepare(NULL), -1);
	assert_string_equal(world.calls, "store");
}

#define TEST(fn)	cmocka_unit_test_setup(fn, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_pids),
		TEST(test_children),
		TEST(test_all),
		TEST(test_cgroup),
		TEST(test_program),
		TEST(test_tables),
		TEST(test_kernel),
		TEST(test_custom),
		TEST(test_failures),
		TEST(test_no_memory),
		TEST(test_counters),
		TEST(test_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
