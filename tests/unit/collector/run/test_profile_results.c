// SPDX-License-Identifier: GPL-2.0
// sources: collector/run/profile_results.c collector/run/profile_output.c
// sources: collector/run/naming_privileges.c
// sources: collector/aggregate/profile_types.c
/* All parts of the run are played by this file. Each call leaves a word in `calls`. */
#include <errno.h>
#include <fcntl.h>

#include "aggregate/aggregator.h"
#include "capture.h"
#include "device/device.h"
#include "pprof/model.h"
#include "pprof/profile.h"
#include "process/mapped_files.h"
#include "report/output_files.h"
#include "report/profile_comments.h"
#include "report/profile_export.h"
#include "report/profile_model.h"
#include "report/summary.h"
#include "report/thread_dump.h"
#include "report/warnings.h"
#include "report/window_series.h"
#include "run/privileges.h"
#include "run/profile_output.h"
#include "run/profile_push.h"
#include "run/profile_report.h"
#include "run/profile_results.h"
#include "run/profile_run.h"
#include "session/heap_probes.h"
#include "session/unwind_ranges.h"
#include "session/unwind_tables.h"
#include "symbol/cache_dir.h"
#include "symbol/elf_symbolizer.h"

static struct {
	char calls[256];
	bool has_servers;
	int fail_rights, fail_finish, fail_names, fail_summary, fail_model, fail_draw;
	struct model model;
	int fail_write;		/* error of profile_export_put() for cpu */
	int nr_built, nr_freed;	/* profiles */
	int nr_lists_freed;	/* of new tables */
	struct profile_comments_input about;
	struct profile_export_input in;
} world;

static struct settings settings;
static struct profile_run run;

static void called(const char *word)
{
	size_t len = strlen(world.calls);

	snprintf(world.calls + len, sizeof(world.calls) - len, "%s%s", len ? " " : "", word);
}

bool elf_symbolizer_has_servers(void)
{
	return world.has_servers;
}

size_t output_files_open_folders(const struct output_files *o, int folders[OUTPUT_FILES_MAX])
{
	assert_ptr_equal(o, &run.outputs);
	folders[0] = -ENOENT;
	folders[1] = dup(STDERR_FILENO);
	return 2;
}

int cache_dir_open_folder(void)
{
	return -1;
}

int privileges_end_profile(const int *folders, size_t nr)
{
	assert_int_equal(nr, folders ? 3 : 0);
	assert_true(!folders || fcntl(folders[1], F_GETFD) >= 0);
	called(folders ? "confine" : "limit");
	return world.fail_rights;
}

struct new_tables unwind_tables_take_new(struct unwind_tables *t)
{
	assert_ptr_equal(t, run.tables);
	return (struct new_tables){ .nr = 7 };
}

void new_tables_write(const struct new_tables *list)
{
	assert_int_equal(list->nr, 7);
	called("tables");
}

void new_tables_fini(struct new_tables *list)
{
	assert_int_equal(list->nr, 7);
	world.nr_lists_freed++;
}

int aggregator_finish(struct aggregator *c)
{
	(void)c;
	called("finish");
	return world.fail_finish;
}

int locations_name_all(struct locations *l, bool (*is_over)(void *ctx), void *ctx)
{
	(void)l;
	(void)is_over;
	assert_ptr_equal(ctx, &run.stop);
	called("names");
	return world.fail_names;
}

bool stop_is_urgent(void *ctx)
{
	(void)ctx;
	return false;
}

const struct aggregator_counts *aggregator_counts(const struct aggregator *c, uint32_t source)
{
	static const struct aggregator_counts none, heap = { .consumed = 50, .ignored = 8 };

	(void)c;
	return source == PPROF_SOURCE_HEAP ? &heap : &none;
}

size_t tuple_map_nr(const struct tuple_map *m)
{
	(void)m;
	return 5;
}

/* A stack of two frames. Its label set is number 1 for the fourth stack, and 0 for the others. */
const struct tuple *tuple_map_at(const struct tuple_map *m, size_t id)
{
	static uint64_t room[sizeof(struct tuple) / sizeof(uint64_t) + 2];
	struct tuple *stack = (struct tuple *)room;

	(void)m;
	*stack = (struct tuple){ .tag = id == 3, .nr_frames = 2 };
	stack->frames[0] = 1;
	stack->frames[1] = 2;
	return stack;
}

/* The mapping of a location has its number. */
const struct location *locations_at(struct locations *l, size_t id)
{
	static struct location location;

	(void)l;
	location.mapping = id;
	return &location;
}

const struct tuple_map *aggregator_stacks(const struct aggregator *c, uint32_t source)
{
	(void)c;
	(void)source;
	return NULL;
}

const struct stack_values *aggregator_values(const struct aggregator *c, uint32_t source)
{
	(void)c;
	(void)source;
	return NULL;
}

const double *aggregator_over_values(const struct aggregator *c, uint32_t source)
{
	(void)c;
	(void)source;
	return NULL;
}

int64_t aggregator_exe_mapping(const struct aggregator *c)
{
	(void)c;
	return -1;
}

uint32_t aggregator_worst_file(const struct aggregator *c, uint32_t source, uint64_t *count)
{
	(void)c;
	(void)source;
	*count = 0;
	return MAPPED_FILES_NONE;
}

uint64_t aggregator_nr_execs(const struct aggregator *c)
{
	(void)c;
	return 3;
}

uint64_t device_heap_traps(const struct device *d)
{
	(void)d;
	return 9;
}

uint64_t mapped_files_nr_unopened(const struct mapped_files *f)
{
	(void)f;
	return 0;
}

const char *mapped_files_path(const struct mapped_files *f, uint32_t file)
{
	static const char *const paths[] = {
		"//anon", "/lib/libc.so.6", "/bin/a_name_of_20_bytes",
	};

	(void)f;
	return paths[file];
}

size_t locations_nr_mappings(const struct locations *l)
{
	(void)l;
	return 3;
}

const struct locations_mapping *locations_mapping_at(const struct locations *l, size_t id)
{
	static struct locations_mapping mapping;

	(void)l;
	mapping.file = id;
	return &mapping;
}

void profile_comments_fill(struct profile_comments *c, const struct profile_comments_input *in)
{
	c->list[0] = NULL;
	world.about = *in;
}

int profile_export_build(const struct profile_export_input *in, struct profile **out)
{
	world.in = *in;
	world.nr_built++;
	*out = (struct profile *)&world;
	return 0;
}

void profile_free(struct profile *p)
{
	assert_ptr_equal(p, &world);
	world.nr_freed++;
}

int profile_export_put(const struct profile_export_input *in, struct profile *p,
		       struct gzip_file *gz)
{
	(void)gz;
	assert_ptr_equal(p, &world);
	called(in->profile_type->name);
	return strcmp(in->profile_type->name, "cpu") ? 0 : world.fail_write;
}

int thread_dump_write(struct thread_dump *d, struct locations *locations,
		      struct mapped_files *files, const char *const *comments,
		      struct gzip_file *gz)
{
	(void)d;
	(void)locations;
	(void)files;
	(void)comments;
	(void)gz;
	called("dump");
	return 0;
}

void output_files_print_error(const char *path, const char *option, int err)
{
	assert_string_equal(path, "<cpu>");
	assert_string_equal(option, "--output");
	assert_int_equal(err, world.fail_write);
	called("error");
}

int output_files_commit(struct output_files *o, uint32_t profile_type)
{
	(void)o;
	(void)profile_type;
	called("commit");
	return 0;
}

void profile_push_add(struct profile_push *p, const struct profile_push_file *file)
{
	assert_ptr_equal(p, run.push);
	if (!p)
		return;
	assert_string_equal(file->path, run.outputs.path[file->profile_type]);
	assert_int_equal(file->time_ns, run.span.time_ns);
	assert_int_equal(file->pid, 0);
	called("push");
	called(file->type);
}

void warnings_print(const struct warnings *w)
{
	(void)w;
	called("warnings");
}

int profile_model_new(struct profile *p, struct model **out)
{
	assert_ptr_equal(p, &world);
	*out = world.fail_model ? NULL : &world.model;
	called("model");
	return world.fail_model;
}

void model_free(struct model *m)
{
	assert_true(!m || m == &world.model);
}

int profile_report_print(const struct summary_input *in)
{
	assert_ptr_equal(in->model, &world.model);
	assert_int_equal(in->nr_functions, 10);
	assert_int_equal(in->nr_stacks, 5);
	called(in->file);
	return world.fail_summary;
}

int profile_report_draw(struct gzip_file *gz, const struct model *m, const char *path,
			char *profile)
{
	assert_ptr_equal(gz, &settings);
	assert_ptr_equal(m, &world.model);
	assert_string_equal(path, "x.html");
	called("draw");
	called(profile);
	return world.fail_draw;
}

void heap_warn_of_execs(const struct heap *h, int64_t nr)
{
	(void)h;
	assert_int_equal(nr, 3 - !!run.program);
}

void heap_warn_of_lost_frees(const struct heap *h, uint64_t nr)
{
	(void)h;
	assert_int_equal(nr, 1000 + PPROF_CLASS_FREE);
}

void heap_warn_of_empty(const struct heap *h, uint64_t traps, uint64_t samples, uint64_t lost)
{
	(void)h;
	assert_int_equal(traps, 9);
	assert_int_equal(samples, 42);
	assert_int_equal(lost, 1000 + PPROF_SOURCE_HEAP);
}

void heap_print_cost(const struct heap *h, FILE *out, uint64_t traps)
{
	(void)h;
	(void)out;
	assert_int_equal(traps, 9);
	called("cost");
}

pid_t profile_run_pid(const struct profile_run *r)
{
	(void)r;
	return 12;
}

static void add_output(uint32_t profile_type, const char *path)
{
	run.outputs.gz[profile_type] = (struct gzip_file *)&world;
	run.outputs.path[profile_type] = (char *)path;
}

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	settings = (struct settings){ .hz = 100, .nr_functions = 10 };
	world.model.samples.nr = 1;
	run = (struct profile_run){ .settings = &settings, .periods[PPROF_SOURCE_CPU] = 100 };
	for (uint32_t class = 0; class < PPROF_NR_CLASSES; class++)
		run.counters.lost[class] = 1000 + class;
	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++)
		run.counters.lost_early[source] = 7;
	run.counters.slowest_ns[PPROF_SOURCE_CPU] = 50;
	run.counters.slowest_ns[PPROF_SOURCE_WALL] = 500;
	return 0;
}

static int end(void **state)
{
	(void)state;
	return world.nr_built == world.nr_freed ? 0 : -1;
}

/* All files are written before the first message. Each profile is built once. */
static void test_order(void **state)
{
	(void)state;
	add_output(PROFILE_TYPE_CPU, "<cpu>");
	add_output(PROFILE_TYPE_WALL, "<wall>");
	assert_int_equal(profile_results(&run), 0);
	assert_string_equal(world.calls,
			    "confine tables finish names cpu commit model wall commit model "
			    "warnings <cpu> <wall> cost");
	assert_int_equal(world.nr_built, 2);
	assert_int_equal(world.nr_lists_freed, 1);
}

/* A profile is handed over when its file has its name, and one that cannot be written is not. */
static void test_push(void **state)
{
	struct capture c;

	(void)state;
	settings.quiet = true;
	run.push = (struct profile_push *)&settings;
	run.span.time_ns = 77;
	world.fail_write = -ENOSPC;
	add_output(PROFILE_TYPE_CPU, "<cpu>");
	add_output(PROFILE_TYPE_WALL, "<wall>");
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(profile_results(&run), -1);
	capture_end(&c);
	assert_non_null(strstr(world.calls, "wall commit push wall"));
	assert_null(strstr(world.calls, "push cpu"));
}

static void test_quiet(void **state)
{
	(void)state;
	settings.quiet = true;
	add_output(PROFILE_TYPE_CPU, "<cpu>");
	assert_int_equal(profile_results(&run), 0);
	assert_string_equal(world.calls, "confine tables finish names cpu commit warnings");
}

/* The graph is written when all profiles are; also with --quiet. An empty profile has none. */
static void test_flame(void **state)
{
	struct capture c;

	(void)state;
	settings.quiet = true;
	settings.flame = "x.html";
	run.outputs.flame = (struct gzip_file *)&settings;
	add_output(PROFILE_TYPE_CPU, "<cpu>");
	world.model.samples.nr = 0;
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(profile_results(&run), 0);
	assert_sentence(capture_end(&c), "x.html is not written: ");
	assert_string_equal(world.calls, "confine tables finish names cpu commit model warnings");
	world.calls[0] = 0;
	world.model.samples.nr = 1;
	add_output(PROFILE_TYPE_CPU, "<cpu>");
	assert_int_equal(profile_results(&run), 0);
	assert_string_equal(world.calls,
			    "confine tables finish names cpu commit model warnings draw <cpu>");
	world.fail_draw = -1;
	run.outputs.flame = (struct gzip_file *)&settings;
	add_output(PROFILE_TYPE_CPU, "<cpu>");
	assert_int_equal(profile_results(&run), -1);
}

/* Without memory for the summary, the profile is there. */
static void test_no_model(void **state)
{
	struct capture c;

	(void)state;
	world.fail_model = -ENOMEM;
	add_output(PROFILE_TYPE_CPU, "<cpu>");
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(profile_results(&run), -1);
	assert_sentence(capture_end(&c), "cannot print the summary: ");
	assert_non_null(strstr(world.calls, "commit"));
}

/*
 * With debuginfod no folder is confined. A profile is also written if the rights cannot be given
 * up. All descriptors of folders are closed.
 */
static void test_rights(void **state)
{
	int lowest = dup(STDERR_FILENO);

	(void)state;
	close(lowest);
	settings.quiet = true;
	add_output(PROFILE_TYPE_CPU, "<cpu>");
	world.fail_rights = -ENOMEM;
	assert_int_equal(profile_results(&run), 0);
	assert_string_equal(world.calls, "confine tables finish names cpu commit warnings");
	assert_int_equal(fcntl(lowest, F_GETFD), -1);
	world.calls[0] = 0;
	world.has_servers = true;
	add_output(PROFILE_TYPE_CPU, "<cpu>");
	assert_int_equal(profile_results(&run), 0);
	assert_string_equal(world.calls, "limit tables finish names cpu commit warnings");
}

/* A file that cannot be written does not prevent the next one. It has no summary. */
static void test_write_error(void **state)
{
	(void)state;
	world.fail_write = -ENOSPC;
	add_output(PROFILE_TYPE_CPU, "<cpu>");
	add_output(PROFILE_TYPE_WALL, "<wall>");
	assert_int_equal(profile_results(&run), -1);
	assert_string_equal(world.calls,
			    "confine tables finish names cpu error wall commit model "
			    "warnings <wall> cost");
}

/* A failed snapshot gets no file. A source that lacks its end gets one. Both are an error. */
static void test_failed_sources(void **state)
{
	(void)state;
	add_output(PROFILE_TYPE_CPU, "<cpu>");
	add_output(PROFILE_TYPE_THREAD, "<thread>");
	run.failed = 1U << PPROF_SOURCE_THREAD;
	assert_int_equal(profile_results(&run), -1);
	assert_string_equal(world.calls, "confine tables finish names cpu commit model warnings <cpu> cost");
	world.calls[0] = 0;
	run.failed = 1U << PPROF_SOURCE_CPU;
	assert_int_equal(profile_results(&run), -1);
	assert_non_null(strstr(world.calls, "cpu commit model thread commit"));
}

static void test_dump(void **state)
{
	(void)state;
	run.dump = (struct thread_dump *)&world;
	add_output(PROFILE_TYPE_THREAD, "<thread>");
	add_output(PROFILE_TYPE_CPU, "<cpu>");
	assert_int_equal(profile_results(&run), 0);
	assert_non_null(strstr(world.calls, "dump commit"));
	assert_null(strstr(world.calls, "thread commit"));
	assert_non_null(strstr(world.calls, "cpu commit"));
}

/* heap and allocs have the losses of one source. Other types have no lost frees. */
static void test_losses(void **state)
{
	(void)state;
	run.counters.refused = 23;
	run.counters.lost[PPROF_CLASS_EVENT] = 77;
	add_output(PROFILE_TYPE_ALLOCS, "<allocs>");
	assert_int_equal(profile_results(&run), 0);
	assert_int_equal(world.about.lost, 1000 + PPROF_SOURCE_HEAP);
	assert_int_equal(world.about.lost_frees, 1000 + PPROF_CLASS_FREE);
	assert_int_equal(world.about.lost_events, 77);
	assert_int_equal(world.about.refused_tables, 23);
	assert_int_equal(world.in.lost_early, 0);
	assert_int_equal(world.about.period_ns, 0);
	run.outputs = (struct output_files){ 0 };
	add_output(PROFILE_TYPE_WALL, "<wall>");
	assert_int_equal(profile_results(&run), 0);
	assert_int_equal(world.about.lost_frees, 0);
	assert_int_equal(world.in.lost_early, 7);
	assert_int_equal(world.about.period_ns, 100);
	assert_int_equal(world.about.slowest_ns, 500);
}

/* A series has no losses and no counters of all series: the rest has them. */
static void test_series(void **state)
{
	uint32_t by_labels[2] = { 5, 5 };
	struct window_series_item item = { .name = "a_name_of_20_by" };
	struct window_series s = { .list = { &item, 1, 1 }, .nr_rest = 4, .by_labels = by_labels };
	struct profile_output o;

	(void)state;
	profile_output_fill(&o, &run, PROFILE_TYPE_WALL, &s, 0);
	assert_int_equal(o.in.lost + o.in.lost_early + o.in.over_max, 0);
	assert_int_equal(o.in.exe_mapping, 2);
	assert_ptr_equal(o.in.series_of, by_labels);
	assert_int_equal(world.about.lost + world.about.nr_rest, 0);
	item.name = "other";
	profile_output_fill(&o, &run, PROFILE_TYPE_HEAP, &s, 0);
	assert_int_equal(world.about.counts->consumed, 0);
	assert_int_equal(o.in.exe_mapping, -1);
	/* No file has the name. The program is in a stack, behind a library. */
	by_labels[1] = 0;
	profile_output_fill(&o, &run, PROFILE_TYPE_HEAP, &s, 0);
	assert_int_equal(o.in.exe_mapping, 2);
	profile_output_fill(&o, &run, PROFILE_TYPE_HEAP, &s, WINDOW_SERIES_REST);
	assert_int_equal(o.in.lost, 1000 + PPROF_SOURCE_HEAP);
	assert_int_equal(o.in.series, WINDOW_SERIES_REST);
	assert_int_equal(world.about.nr_rest, 4);
	assert_int_equal(world.about.counts->consumed, 50);
}

/* The slowest period is never under the requested one. */
static void test_slowest(void **state)
{
	(void)state;
	add_output(PROFILE_TYPE_CPU, "<cpu>");
	assert_int_equal(profile_results(&run), 0);
	assert_int_equal(world.about.slowest_ns, 100);
	assert_int_equal(world.in.slowest_ns, 100);
}

static void test_interrupted_names(void **state)
{
	struct capture c;

	(void)state;
	world.fail_names = -EINTR;
	add_output(PROFILE_TYPE_CPU, "<cpu>");
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(profile_results(&run), 0);
	assert_sentence(capture_end(&c), "some code has no function names: a second signal");
}

static void test_no_memory(void **state)
{
	struct capture c;

	(void)state;
	world.fail_finish = -ENOMEM;
	add_output(PROFILE_TYPE_CPU, "<cpu>");
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(profile_results(&run), -1);
	assert_sentence(capture_end(&c), "out of memory: give a smaller --max-stacks");
	assert_string_equal(world.calls, "confine tables finish");
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rights),
		TEST(test_order),
		TEST(test_push),
		TEST(test_quiet),
		TEST(test_flame),
		TEST(test_no_model),
		TEST(test_write_error),
		TEST(test_failed_sources),
		TEST(test_dump),
		TEST(test_losses),
		TEST(test_series),
		TEST(test_slowest),
		TEST(test_interrupted_names),
		TEST(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
