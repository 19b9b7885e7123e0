// SPDX-License-Identifier: GPL-2.0
// sources: collector/run/window_writer.c collector/run/window_messages.c
// sources: collector/run/naming_privileges.c
// sources: collector/procfs/cgroup_folder.c
// sources: collector/aggregate/profile_types.c collector/aggregate/named_code.c
// sources: collector/base/string_table.c
// libs: -lxxhash
/* All parts of the run are played by this file, in the parent and in the child. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include "aggregate/aggregator.h"
#include "aggregate/locations.h"
#include "aggregate/named_code.h"
#include "capture.h"
#include "device/device.h"
#include "pprof/gzip_file.h"
#include "process/mapped_files.h"
#include "report/output_files.h"
#include "report/window_series.h"
#include "report/window_store.h"
#include "run/privileges.h"
#include "run/profile_output.h"
#include "run/profile_run.h"
#include "run/window_writer.h"
#include "session/unwind_tables.h"
#include "symbol/cache_dir.h"
#include "symbol/elf_symbolizer.h"
#include "symbol/symbolizer.h"

static struct {
	int fail_write, fail_sync, fail_finish, die;
	/* What the parent has got. */
	char files[256];
	int nr_names, nr_build_ids;
	/* What the child has done: it must give up rights before it reads files. */
	bool gave_up;
	bool wrote_tables;	/* the child has; before it reads files */
	int nr_lists;		/* of new tables, that the parent has and has not freed */
	bool is_outdated;	/* file 3 was changed since the child began */
} world;

static struct settings settings;
static struct profile_run run;
static struct window_series series;

int device_fd(const struct device *d)
{
	(void)d;
	return -1;
}

void window_store_release(struct window_store *s)
{
	(void)s;
}

int window_store_open_folder(const struct window_store *s)
{
	(void)s;
	return -1;
}

int window_store_sync(const struct window_store *s)
{
	(void)s;
	return world.fail_sync;
}

char *window_store_path(const struct window_store *s, int64_t time_ns, const char *comm, pid_t pid,
			const char *profile_type)
{
	char *path;

	(void)s;
	assert_int_equal(time_ns, 77);
	assert_true(asprintf(&path, "%s.%d.%s", comm ? comm : "all", pid, profile_type) > 0);
	return path;
}

int cache_dir_open_folder(void)
{
	return -1;
}

bool elf_symbolizer_has_servers(void)
{
	return false;
}

int privileges_end_profile(const int *folders, size_t nr)
{
	assert_true(folders && nr == 2);
	world.gave_up = true;
	return 0;
}

struct new_tables unwind_tables_take_new(struct unwind_tables *t)
{
	(void)t;
	world.nr_lists++;
	return (struct new_tables){ .nr = 7 };
}

void new_tables_write(const struct new_tables *list)
{
	world.wrote_tables = world.gave_up && list->nr == 7;
}

void new_tables_fini(struct new_tables *list)
{
	(void)list;
	world.nr_lists--;
}

int aggregator_finish(struct aggregator *c)
{
	(void)c;
	if (!world.wrote_tables)
		abort();
	if (world.die)
		raise(world.die);
	return world.fail_finish;
}

const struct tuple_map *aggregator_stacks(const struct aggregator *c, uint32_t source)
{
	(void)c;
	(void)source;
	return NULL;
}

const struct aggregator_counts *aggregator_counts(const struct aggregator *c, uint32_t source)
{
	static const struct aggregator_counts none;

	(void)c;
	(void)source;
	return &none;
}

bool stop_is_urgent(void *ctx)
{
	(void)ctx;
	return false;
}

int locations_name_all(struct locations *l, bool (*is_over)(void *ctx), void *ctx)
{
	(void)l;
	(void)is_over;
	(void)ctx;
	return world.gave_up ? 0 : -EPERM;
}

/* The child adds two runs. The parent refuses the second one: it has no such file. */
void locations_learn(struct locations *l, struct named_code *code, uint32_t nr_probes)
{
	static const struct frame frame = { .name = "g", .system_name = "g" };
	struct named_code_run added = { .file = 3, .nr_lines = 1, .start = 16, .end = 32,
					.lines = &frame };

	(void)l;
	assert_true(world.gave_up && nr_probes > 0);
	assert_int_equal(named_code_add(code, &added), 0);
	added.file = 4;
	assert_int_equal(named_code_add(code, &added), 0);
}

uint32_t mapped_files_nr(const struct mapped_files *f)
{
	(void)f;
	return 4;
}

bool mapped_files_is_outdated(const struct mapped_files *f, uint32_t file)
{
	(void)f;
	return world.is_outdated && file == 3;
}

int symbolizer_probe(struct symbolizer *s, uint64_t offset, struct frame *frames, int max,
		     struct code_span *span)
{
	(void)s;
	(void)offset;
	(void)frames;
	(void)max;
	(void)span;
	return -ENOENT;
}

const struct location *locations_next_found(struct locations *l, size_t *id)
{
	static const struct frame frame = { .name = "f", .system_name = "f" };
	static const struct location location = { .named = true, .nr_lines = 1, .lines = &frame };

	(void)l;
	return world.gave_up && *id < 3 ? &location : NULL;
}

int locations_set(struct locations *l, size_t id, const struct frame *lines, uint32_t nr)
{
	(void)l;
	assert_int_equal(id, world.nr_names++);
	assert_int_equal(nr, 1);
	assert_string_equal(lines->name, "f");
	return 0;
}

const char *mapped_files_next_build_id(struct mapped_files *f, uint32_t *file)
{
	(void)f;
	return *file < 2 ? "12ab" : NULL;
}

void mapped_files_set_build_id(struct mapped_files *f, uint32_t file, const char *build_id)
{
	(void)f;
	assert_int_equal(file, world.nr_build_ids++);
	assert_string_equal(build_id, "12ab");
}

struct gzip_file *gzip_file_open(const char *path, unsigned int flags)
{
	assert_int_equal(flags, GZIP_FILE_KEEP);
	return (struct gzip_file *)strdup(path);
}

void gzip_file_abort(struct gzip_file *gz)
{
	free(gz);
}

int gzip_file_commit(struct gzip_file *gz, char **final)
{
	*final = (char *)gz;
	return 0;
}

int profile_export_write(const struct profile_export_input *in, struct gzip_file *gz)
{
	(void)in;
	(void)gz;
	return world.fail_write;
}

void output_files_print_error(const char *path, const char *option, int err)
{
	fprintf(stderr, "pprof-collect: %s %s %d: told: once\n", path, option, -err);
}

const struct profile_type *profile_output_type(const struct profile_run *r, uint32_t profile_type)
{
	(void)r;
	return profile_types_get(profile_type, false);
}

void profile_output_fill(struct profile_output *o, const struct profile_run *r,
			 uint32_t profile_type, const struct window_series *s, uint32_t number)
{
	(void)o;
	(void)r;
	(void)profile_type;
	(void)s;
	(void)number;
}

pid_t profile_run_pid(const struct profile_run *r)
{
	(void)r;
	return 12;
}

int window_series_split(struct window_series *s, const struct tuple_map *stacks,
			const struct label_sets *labels, const char *key, bool has_pid)
{
	(void)stacks;
	(void)labels;
	assert_string_equal(key, settings.by == SETTINGS_BY_CGROUP ? "cgroup" : "comm");
	assert_int_equal(has_pid, settings.by == SETTINGS_BY_PROCESS);
	*s = series;
	return 0;
}

void window_series_fini(struct window_series *s)
{
	(void)s;
}

static void take(struct profile_run *r, const struct window_file *file)
{
	size_t len = strlen(world.files);

	assert_ptr_equal(r, &run);
	assert_int_equal(file->span->time_ns, 77);
	snprintf(world.files + len, sizeof(world.files) - len, "%s(%s,%d) ", file->path, file->comm,
		 file->pid);
}

static int make_code(void **state)
{
	(void)state;
	run.code = named_code_new();
	return run.code ? 0 : -1;
}

static int free_code(void **state)
{
	(void)state;
	named_code_free(run.code);
	return 0;
}

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	settings = (struct settings){
		.profile_types = 1U << PROFILE_TYPE_CPU | 1U << PROFILE_TYPE_THREAD,
		.dir = "<folder>",
	};
	run = (struct profile_run){ .settings = &settings, .comm = "app", .span.time_ns = 77,
				    .code = run.code };
	series = (struct window_series){ 0 };
	return 0;
}

/* Runs a child to its end. The parent's span moves on meanwhile. Returns the last result. */
static int write_window(void)
{
	struct pollfd fd = { .events = POLLIN };
	int err = window_writer_start(&run.writer, &run);

	assert_int_equal(err, 0);
	assert_true(run.writer.pid > 0);
	assert_int_equal(world.nr_lists, 0);
	run.span.time_ns = 78;
	fd.fd = run.writer.fd;
	while (!err && run.writer.pid) {
		assert_int_equal(poll(&fd, 1, 10000), 1);
		err = window_writer_read(&run.writer, &run, take);
	}
	assert_int_equal(run.writer.pid, 0);
	return err;
}

static void test_files_and_names(void **state)
{
	(void)state;
	assert_int_equal(write_window(), 0);
	assert_string_equal(world.files, "app.12.cpu(,0) app.12.thread(,0) ");
	assert_int_equal(world.nr_names, 3);
	assert_int_equal(world.nr_build_ids, 2);
	assert_int_equal(named_code_nr(run.code), 1);
	assert_int_equal(named_code_at(run.code, 0)->file, 3);
	assert_int_equal(named_code_at(run.code, 0)->end, 32);
	assert_int_equal(window_writer_read(&run.writer, &run, take), 0);
}

/* Fails if names of a file are taken that has changed since the child began. */
static void test_an_outdated_file(void **state)
{
	size_t nr = named_code_nr(run.code);

	(void)state;
	world.is_outdated = true;
	assert_int_equal(write_window(), 0);
	assert_int_equal(named_code_nr(run.code), nr);
}

/* Each series has a file, but those in the rest share one, which also has what was lost. */
static void test_series(void **state)
{
	struct window_series_item items[] = {
		{ .name = "a", .pid = 5 }, { .name = "b", .pid = 6, .is_rest = true },
		{ .name = "c", .pid = 7 },
	};

	(void)state;
	settings.profile_types = 1U << PROFILE_TYPE_CPU;
	settings.by = SETTINGS_BY_PROCESS;
	series.list.items = items;
	series.list.nr = 3;
	assert_int_equal(write_window(), 0);
	assert_string_equal(world.files, "a.5.cpu(a,5) c.7.cpu(c,7) ");
	begin(NULL);
	settings.profile_types = 1U << PROFILE_TYPE_CPU;
	settings.by = SETTINGS_BY_COMM;
	run.counters.lost[PPROF_SOURCE_CPU] = 1;
	assert_int_equal(write_window(), 0);
	assert_string_equal(world.files, "other.0.cpu(other,0) ");
}

/* The last part of the path of a cgroup names its file. */
static void test_cgroups(void **state)
{
	struct window_series_item items[] = {
		{ .name = "/system.slice/a.service" }, { .name = "/" },
	};

	(void)state;
	settings.profile_types = 1U << PROFILE_TYPE_CPU;
	settings.by = SETTINGS_BY_CGROUP;
	series.list.items = items;
	series.list.nr = 2;
	assert_int_equal(write_window(), 0);
	assert_string_equal(world.files, "a.service.0.cpu(a.service,0) root.0.cpu(root,0) ");
}

/* One message a window. The folder is synced after all files, which are there. */
static void test_a_full_disk(void **state)
{
	struct capture c;

	(void)state;
	world.fail_write = -ENOSPC;
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(write_window(), -1);
	assert_sentence(capture_end(&c), "app.12.cpu --dir 28");
	assert_string_equal(world.files, "");
	begin(NULL);
	world.fail_sync = -EIO;
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(write_window(), -1);
	assert_sentence(capture_end(&c), "<folder> --dir 5");
	assert_string_equal(world.files, "app.12.cpu(,0) app.12.thread(,0) ");
}

static void test_failures(void **state)
{
	struct capture c;

	(void)state;
	run.failed = 1U << PPROF_SOURCE_THREAD;
	assert_int_equal(write_window(), -1);
	assert_string_equal(world.files, "app.12.cpu(,0) ");
	begin(NULL);
	world.fail_finish = -ENOMEM;
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(write_window(), -1);
	assert_sentence(capture_end(&c), "cannot write a window: out of memory");
	begin(NULL);
	world.die = SIGKILL;
	run.span.ns = 10000000000;
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(write_window(), -1);
	assert_sentence(capture_end(&c), "a window of 10.0 s is lost: the process that writes it was "
			"ended by signal 9");
}

#define TEST(fn)	cmocka_unit_test_setup(fn, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_files_and_names),
		TEST(test_an_outdated_file),
		TEST(test_series),
		TEST(test_cgroups),
		TEST(test_a_full_disk),
		TEST(test_failures),
	};

	return cmocka_run_group_tests(tests, make_code, free_code);
}
