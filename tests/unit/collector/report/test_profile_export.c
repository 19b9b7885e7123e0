// SPDX-License-Identifier: GPL-2.0
// sources: collector/report/profile_export.c collector/aggregate/profile_types.c
// sources: collector/pprof/profile.c collector/pprof/protobuf.c collector/pprof/gzip_file.c
// sources: collector/base/utf8.c collector/aggregate/locations.c
// sources: collector/aggregate/named_code.c
// sources: collector/process/mapped_files.c collector/process/kernel_image.c
// sources: collector/process/kept_names.c collector/process/file_version.c
// sources: collector/process/mapped_symbols.c
// sources: collector/process/file_numbers.c collector/process/file_opening.c
// sources: collector/process/open_inodes.c
// sources: collector/procfs/vdso.c
// sources: collector/procfs/maps.c
// sources: collector/aggregate/label_sets.c collector/base/tuple_map.c
// sources: collector/symbol/perf_map.c collector/base/string_table.c collector/symbol/kallsyms.c
// sources: collector/pprof/legacy_text.c collector/procfs/resource_usage.c
// sources: collector/aggregate/stack_values.c collector/pprof/gzip_stream.c
// sources: collector/base/regular_file.c collector/procfs/live_thread.c
// sources: collector/procfs/mapped_file.c collector/procfs/procfs.c
// sources: collector/pprof/text_escape.c collector/pprof/text_layout.c
// sources: collector/pprof/text_table.c
// sources: collector/report/profile_model.c collector/pprof/decode.c collector/pprof/id_space.c
// sources: collector/pprof/decode_message.c collector/pprof/decode_references.c
// sources: collector/arch/x86/packed_ids.c
// sources: collector/pprof/decode_sample.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/profile_input.c
// sources: collector/pprof/profile_source.c collector/pprof/read_ahead.c
// sources: collector/pprof/gzip_member.c
// sources: collector/analysis/regex.c collector/analysis/re2_syntax.c
// sources: collector/analysis/re2_class.c collector/analysis/re2_escape.c
// sources: collector/analysis/filter.c collector/analysis/label_filter.c
// sources: collector/analysis/label_units.c collector/analysis/matcher.c
// sources: collector/analysis/name_filter.c collector/analysis/prune.c
// sources: collector/analysis/stack_edit.c collector/analysis/tag_filter.c
// sources: collector/analysis/tag_frames.c collector/analysis/unit.c
// sources: collector/pprof/value_unit.c collector/base/span_set.c
// libs: -lpcre2-8 -lz -lisal -lxxhash -lm
// libs: -Wl,--wrap=mapped_files_is_outdated
// libs: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include "pprof/model.h"
#include "pprof/profile.h"
#include "report/profile_export.h"
#include "report/profile_model.h"
#include "fail_alloc.h"
#include "fakesym.h"
#include "folder.h"
#include "pprof/gzip_file.h"
#include "aggregate/profile_types.h"
#include "pprof.h"
#include "readback.h"
#include "aggregate/stack_values.h"

/* Fields of Mapping: its PROFILE_HAS_* flags. */
enum { HAS_FUNCTIONS = 7, HAS_FILENAMES, HAS_LINE_NUMBERS, HAS_INLINE_FRAMES };

#define FULL(f, l, ...)	{ .name = f, .system_name = f, .file = "a.c", .line = l,	\
			  .start_line = 1, ##__VA_ARGS__ }

/* Offset 0x1300 has lines without a file. There is no symbol beyond it. */
static const struct fake_symbol symbols[] = {
	{ 0x1100, 1, { FULL("work", 7) } },
	{ 0x1200, 2, { FULL("inlined", 3, .offset = 16), FULL("main", 20, .offset = 16) } },
	{ 0x1300, 1, { { .name = "bare()", .system_name = "_Z4barev" } } },
	{ 0 },
};

static bool is_outdated;

bool __wrap_mapped_files_is_outdated(const struct mapped_files *f, uint32_t file);
bool __wrap_mapped_files_is_outdated(const struct mapped_files *f, uint32_t file)
{
	(void)f;
	(void)file;
	return is_outdated;
}

static const char *const no_comments[] = { NULL };

struct parts {
	struct mapped_files *files;
	struct locations *locations;
	struct label_sets *labels;
	struct tuple_map *stacks;
	struct maps *maps;
	struct profile_export_input in;
};

static int setup(void **state)
{
	const struct mapped_files_key keys[] = {
		{ .ino = 0, .path = "/usr/bin/app" }, { .path = "[vdso]" },
	};
	static const struct mapped_files_mapping nowhere = { .end = 1ULL << 47 };
	struct parts *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	fake_symbols = symbols;
	p->files = mapped_files_new();
	p->locations = locations_new(p->files);
	p->labels = labels_new(LABELS_WANT_TID);
	p->stacks = tuple_map_new(1000);
	p->maps = maps_new();
	for (uint32_t i = 0; i < 2; i++) {
		const struct maps_range range = {
			0x400000 + 0x100000 * i, 0x402000 + 0x100000 * i, 0x1000,
			mapped_files_intern(p->files, &keys[i], &nowhere), 0,
		};

		assert_int_equal(maps_insert(p->maps, &range), 0);
	}
	p->in = (struct profile_export_input){
		.exe_mapping = -1,
		.profile_type = profile_types_get(PROFILE_TYPE_CPU, false), .files = p->files,
		.locations = p->locations, .labels = p->labels, .stacks = p->stacks,
		.period_ns = 10000000, .slowest_ns = 20000000, .time_ns = 1700000000000000000,
		.duration_ns = 5000000000,
		.comments = no_comments,
	};
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct parts *p = *state;

	maps_free(p->maps);
	tuple_map_free(p->stacks);
	labels_free(p->labels);
	locations_free(p->locations);
	mapped_files_free(p->files);
	free(p);
	return 0;
}

/* Adds a sample at addresses, leaf first, with the label tid, or none if tid is 0. */
static void add(struct parts *p, uint64_t count, uint32_t tid, const uint64_t *addresses,
		uint32_t nr)
{
	const struct labels_values values = { .tid = tid, .thread = "", .comm = "" };
	uint64_t ids[8];

	for (uint32_t i = 0; i < nr; i++)
		ids[i] = locations_intern(p->locations, p->maps, addresses[i]);
	assert_true(tuple_map_add(p->stacks, tid ? labels_intern(p->labels, &values) : 0, ids, nr,
				  count) >= 0);
}

#define ADD(p, count, tid, ...) do {						\
	const uint64_t addresses_[] = { __VA_ARGS__ };				\
	add(p, count, tid, addresses_, sizeof(addresses_) / sizeof(*addresses_)); \
} while (0)

static int write_out_as(struct parts *p, unsigned int flags)
{
	struct gzip_file *gz = gzip_file_open("out", GZIP_FILE_REPLACE | flags);
	int err;

	if (!gz)
		return -errno;
	err = profile_export_write(&p->in, gz);
	if (!err)
		return gzip_file_commit(gz, NULL);
	gzip_file_abort(gz);
	return err;
}

static int write_out(struct parts *p)
{
	return write_out_as(p, 0);
}

static struct message export(struct parts *p)
{
	assert_int_equal(write_out(p), 0);
	return read_profile("out");
}

/* Returns the name of the function of line n of a location. */
static void assert_function(struct message m, uint64_t location, size_t n, const char *want)
{
	struct message line = nested(nested(m, LOCATION, location - 1), 4, n);

	assert_string(m, number(nested(m, FUNCTION, number(line, 1) - 1), 2), want);
}

static void assert_flags(struct message m, size_t mapping, const char *want)
{
	struct message fields = nested(m, MAPPING, mapping);
	char flags[5] = "";

	for (int i = 0; i < 4; i++)
		flags[i] = number(fields, HAS_FUNCTIONS + i) ? "ufli"[i] : '-';
	assert_string_equal(flags, want);
}

static void test_head(void **state)
{
	static const char *const comments[] = { "lost: 0", "second, 100%", NULL };
	struct parts *p = *state;
	struct message m, list;

	p->in.comments = comments;
	ADD(p, 1, 0, 0x400100);
	m = export(p);
	assert_int_equal(nr_fields(m, SAMPLE_TYPE), 2);
	assert_int_equal(number(m, PERIOD), 20000000);
	assert_int_equal(number(m, TIME_NANOS), 1700000000000000000);
	assert_int_equal(number(m, DURATION_NANOS), 5000000000);
	list = nested(m, COMMENT, 0);
	assert_string(m, read_varint(&list), "lost: 0");
	assert_string(m, read_varint(&list), "second, 100%");
}

static void test_samples(void **state)
{
	struct parts *p = *state;
	struct message m, sample;

	ADD(p, 3, 0, 0x500100, 0x500200);
	ADD(p, 5, 0, 0x500200);
	m = export(p);
	assert_int_equal(nr_fields(m, SAMPLE), 2);
	sample = nested(m, SAMPLE, 0);
	ASSERT_PACKED(nested(sample, 1, 0), 2);
	ASSERT_PACKED(nested(sample, 2, 0), 5, 50000000);
	sample = nested(m, SAMPLE, 1);
	ASSERT_PACKED(nested(sample, 1, 0), 1, 2);
	ASSERT_PACKED(nested(sample, 2, 0), 3, 30000000);
	assert_int_equal(nr_fields(m, LOCATION), 2);
	assert_function(m, 1, 0, "work");
	assert_function(m, 2, 0, "inlined");
	assert_function(m, 2, 1, "main");
	assert_int_equal(nr_fields(nested(m, LOCATION, 1), 4), 2);
	assert_int_equal(number(nested(m, LOCATION, 1), 3), 0x500200);
	assert_int_equal(number(nested(nested(m, LOCATION, 1), 4, 1), 2), 20);
	assert_int_equal(number(nested(m, FUNCTION, 0), 5), 1);
}

/* The hidden frames are those of the profile type, unless the input has some. "" means none. */
static void test_drop_frames(void **state)
{
	struct profile_type profile_type = *profile_types_get(PROFILE_TYPE_CPU, false);
	struct parts *p = *state;
	struct message m;

	profile_type.drop_frames = "malloc|free";
	p->in.profile_type = &profile_type;
	p->in.keep_frames = "main";
	m = export(p);
	assert_string(m, number(m, DROP_FRAMES), "malloc|free");
	assert_string(m, number(m, KEEP_FRAMES), "main");
	p->in.drop_frames = "f.*";
	m = export(p);
	assert_string(m, number(m, DROP_FRAMES), "f.*");
	p->in.drop_frames = "";
	assert_int_equal(nr_fields(export(p), DROP_FRAMES), 0);
}

/* As text, the samples are the same, with what text shows of each location. */
static void test_text(void **state)
{
	struct parts *p = *state;
	char text[4096];
	FILE *f;

	p->in.text = true;
	p->in.lost = 4;
	ADD(p, 3, 77, 0x500100, 0x500200);
	ADD(p, 5, 0, 0x500200, 0x400100);
	assert_int_equal(write_out_as(p, GZIP_FILE_PLAIN), 0);
	f = fopen("out", "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	assert_string_equal(text,
			    "cpu profile: total 12\n"
			    "5 @ 0x500201 0x400101\n"
			    "#\t0x500200\tinlined+0x10\ta.c:3\n"
			    "#\t0x500200\tmain+0x10\ta.c:20\n"
			    "#\t0x400100\t[app]\n"
			    "\n"
			    "4 @ 0x8000000000000001\n"
			    "#\t0x8000000000000000\tlostProfileEvent\n"
			    "\n"
			    "3 @ 0x500101 0x500201\n"
			    "# labels: {\"tid\":\"77\"}\n"
			    "#\t0x500100\twork+0x0\ta.c:7\n"
			    "#\t0x500200\tinlined+0x10\ta.c:3\n"
			    "#\t0x500200\tmain+0x10\ta.c:20\n"
			    "\n"
			    "# period: 10000000 nanoseconds\n"
			    "\n"
			    "--- Memory map: ---\n"
			    "500000-502000 r-xp [vdso] (@1000) vdso\n"
			    "400000-402000 r-xp /usr/bin/app (@1000)\n"
			    "8000000000000000-8000000000001000 r-xp [lostProfileEvent]\n");
}

/* A thread counts as one, and has no time. */
static void test_threadcreate(void **state)
{
	struct parts *p = *state;
	struct message m;

	p->in.profile_type = profile_types_get(PROFILE_TYPE_THREADCREATE, false);
	ADD(p, 3, 0, 0x400100);
	m = export(p);
	assert_int_equal(nr_fields(m, SAMPLE_TYPE), 1);
	assert_string(m, number(nested(m, SAMPLE_TYPE, 0), 1), "threadcreate");
	assert_int_equal(number(m, PERIOD), 1);
	ASSERT_PACKED(nested(nested(m, SAMPLE, 0), 2, 0), 3);
}

/* It is not known whether a lost thread is alive. */
static void test_threads_live(void **state)
{
	struct parts *p = *state;
	struct stack_values values = { .nr = 3 };
	struct message m;

	p->in.profile_type = profile_types_get(PROFILE_TYPE_THREADCREATE, true);
	p->in.values = &values;
	p->in.lost = 2;
	ADD(p, 3, 0, 0x400100);
	assert_int_equal(stack_values_add(&values, 0, (double[]){ 3, 1, 5000 }), 0);
	m = export(p);
	assert_int_equal(nr_fields(m, SAMPLE_TYPE), 3);
	assert_string(m, number(nested(m, SAMPLE_TYPE, 1), 1), "live");
	assert_string(m, number(nested(m, SAMPLE_TYPE, 2), 1), "lifetime");
	assert_string(m, number(m, DEFAULT_SAMPLE_TYPE), "threadcreate");
	ASSERT_PACKED(nested(nested(m, SAMPLE, 0), 2, 0), 3, 1, 5000);
	ASSERT_PACKED(nested(nested(m, SAMPLE, 1), 2, 0), 2, 0, 0);
	stack_values_fini(&values);
}

/* Estimates become whole numbers. A lost sample has no time. */
static void test_block(void **state)
{
	struct parts *p = *state;
	struct stack_values values = { .nr = 2 };
	struct message m;

	p->in.profile_type = profile_types_get(PROFILE_TYPE_BLOCK, false);
	p->in.values = &values;
	p->in.lost = 7;
	ADD(p, 3, 0, 0x400100);
	ADD(p, 9, 0, 0x400200);
	assert_int_equal(stack_values_add(&values, 0, (double[]){ 12.4, 1000.6 }), 0);
	assert_int_equal(stack_values_add(&values, 1, (double[]){ 9.5, 2000 }), 0);
	m = export(p);
	assert_string(m, number(nested(m, SAMPLE_TYPE, 1), 1), "delay");
	ASSERT_PACKED(nested(nested(m, SAMPLE, 0), 2, 0), 12, 1001);
	ASSERT_PACKED(nested(nested(m, SAMPLE, 1), 2, 0), 10, 2000);
	ASSERT_PACKED(nested(nested(m, SAMPLE, 2), 2, 0), 7, 0);
	stack_values_fini(&values);
}

/* One of five unlocks is sampled. An event that is lost before this choice counts as one. */
static void test_mutex(void **state)
{
	struct parts *p = *state;
	struct stack_values values = { .nr = 2 };
	const double over[] = { 15, 700.2 };
	struct message m;

	p->in.profile_type = profile_types_get(PROFILE_TYPE_MUTEX, false);
	p->in.values = &values;
	p->in.rate = 5;
	p->in.lost = 9;
	p->in.lost_early = 2;
	p->in.over_max = 3;
	p->in.over_values = over;
	ADD(p, 10, 0, 0x400100);
	assert_int_equal(stack_values_add(&values, 0, (double[]){ 50, 1000 }), 0);
	m = export(p);
	ASSERT_PACKED(nested(nested(m, SAMPLE, 0), 2, 0), 50, 1000);
	ASSERT_PACKED(nested(nested(m, SAMPLE, 1), 2, 0), 37, 0);
	ASSERT_PACKED(nested(nested(m, SAMPLE, 2), 2, 0), 15, 700);
	stack_values_fini(&values);
}

/* A lost sample counts as one period. */
static void test_growth(void **state)
{
	struct parts *p = *state;
	struct stack_values values = { .nr = 2 };
	struct message m;

	p->in.profile_type = profile_types_get(PROFILE_TYPE_GROWTH, false);
	p->in.values = &values;
	p->in.rate = 65536;
	p->in.lost = 2;
	ADD(p, 3, 0, 0x400100);
	assert_int_equal(stack_values_add(&values, 0, (double[]){ 48, 3 * 65536 }), 0);
	m = export(p);
	assert_string(m, number(nested(m, SAMPLE_TYPE, 1), 1), "space");
	assert_string(m, number(nested(m, SAMPLE_TYPE, 1), 2), "bytes");
	ASSERT_PACKED(nested(nested(m, SAMPLE, 0), 2, 0), 48, 3 * 65536);
	ASSERT_PACKED(nested(nested(m, SAMPLE, 1), 2, 0), 0, 2 * 65536);
	assert_int_equal(number(m, PERIOD), 65536);
	stack_values_fini(&values);
}

static void test_labels(void **state)
{
	struct parts *p = *state;
	struct message m, label;

	ADD(p, 1, 77, 0x400100);
	ADD(p, 2, 0, 0x400100);
	m = export(p);
	assert_int_equal(nr_fields(nested(m, SAMPLE, 0), 3), 0);
	label = nested(nested(m, SAMPLE, 1), 3, 0);
	assert_string(m, number(label, 1), "tid");
	assert_int_equal(number(label, 3), 77);
}

/* The mapping of the main program is the first one, with or without samples. */
/* Only the stacks of the series are there. */
static void test_series(void **state)
{
	static const uint32_t series_of[] = { 7, 0, 1 };
	struct parts *p = *state;
	struct message m;

	ADD(p, 3, 0, 0x400100);
	ADD(p, 5, 11, 0x400100);
	ADD(p, 9, 12, 0x400200);
	p->in.series_of = series_of;
	p->in.series = 1;
	m = export(p);
	assert_int_equal(nr_fields(m, SAMPLE), 1);
	assert_int_equal(nr_fields(m, LOCATION), 1);
	p->in.series = 2;
	assert_int_equal(nr_fields(export(p), SAMPLE), 0);
}

/* A stack of an earlier window has no sample. */
static void test_stacks_of_zero(void **state)
{
	struct stack_values values = { .nr = 4 };
	const double none[4] = { 0 }, in_use[4] = { 0, 0, 2, 90 };
	struct parts *p = *state;

	p->in.profile_type = profile_types_get(PROFILE_TYPE_HEAP, false);
	p->in.values = &values;
	ADD(p, 3, 0, 0x400100);
	ADD(p, 5, 0, 0x400200);
	assert_int_equal(stack_values_add(&values, 0, none), 0);
	assert_int_equal(stack_values_add(&values, 1, in_use), 0);
	assert_int_equal(nr_fields(export(p), SAMPLE), 1);
	stack_values_fini(&values);
}

static void test_mappings(void **state)
{
	struct parts *p = *state;
	struct message m, mapping;

	ADD(p, 1, 0, 0x500100);
	p->in.exe_mapping = locations_mapping(p->locations, maps_at(p->maps, 0));
	assert_int_equal(p->in.exe_mapping, 1);
	m = export(p);
	assert_int_equal(nr_fields(m, MAPPING), 2);
	mapping = nested(m, MAPPING, 0);
	assert_int_equal(number(mapping, 2), 0x400000);
	assert_int_equal(number(mapping, 3), 0x402000);
	assert_int_equal(number(mapping, 4), 0x1000);
	assert_string(m, number(mapping, 5), "/usr/bin/app");
	mapping = nested(m, MAPPING, 1);
	assert_string(m, number(mapping, 5), "[vdso]");
	assert_string(m, number(mapping, 6), "vdso");
	assert_int_equal(number(nested(m, LOCATION, 0), 2), 2);
}

/* A mapping without a written stack is left out, except that of the main program. */
static void test_unused_mappings(void **state)
{
	struct parts *p = *state;
	struct message m;

	ADD(p, 1, 0, 0x400100);
	locations_intern(p->locations, p->maps, 0x500100);
	m = export(p);
	assert_int_equal(nr_fields(m, MAPPING), 1);
	assert_int_equal(nr_fields(m, LOCATION), 1);
}

static void test_anonymous_memory_has_no_offset(void **state)
{
	const struct maps_range range = { 0x700000, 0x701000, 0x700000, MAPPED_FILES_NONE, 0 };
	struct parts *p = *state;
	struct message m;

	assert_int_equal(maps_insert(p->maps, &range), 0);
	ADD(p, 1, 0, 0x700100);
	m = export(p);
	assert_string(m, number(nested(m, MAPPING, 0), 5), "//anon");
	assert_int_equal(number(nested(m, MAPPING, 0), 4), 0);
	assert_function(m, 1, 0, "[anon]");
}

/* Names of a perf map may hold any bytes. */
static void test_code_made_at_run_time(void **state)
{
	struct maps_range range = { 0x700000, 0x701000, 0x700000, MAPPED_FILES_NONE, 0 };
	struct parts *p = *state;
	struct message m;
	char path[32];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	write_file(path, "700100 10 py::\xff\n");
	range.file = mapped_files_intern_perfmap(p->files, getpid(), MAPPED_FILES_NONE, false);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(maps_insert(p->maps, &range), 0);
	ADD(p, 1, 0, 0x700100);
	m = export(p);
	assert_string(m, number(nested(m, MAPPING, 0), 5), path);
	assert_int_equal(number(nested(m, MAPPING, 0), 4), 0);
	assert_string(m, number(nested(m, MAPPING, 0), 6), "");
	assert_function(m, 1, 0, "py::\xef\xbf\xbd");
	assert_flags(m, 0, "u---");
}

/* A flag is set only if it is true for every written location. */
static void test_flags(void **state)
{
	struct parts *p = *state;

	/* app has no file, so it has no symbols. */
	ADD(p, 1, 0, 0x500100);
	ADD(p, 1, 0, 0x500200, 0x400100);
	assert_flags(export(p), 0, "ufli");
	assert_flags(export(p), 1, "----");
	ADD(p, 1, 0, 0x500300);
	assert_flags(export(p), 0, "u---");
	ADD(p, 1, 0, 0x500400);
	assert_flags(export(p), 0, "----");
}

/* Fails if a reader may name the code of a changed file by the new content. */
static void test_flags_of_a_changed_file(void **state)
{
	struct parts *p = *state;

	ADD(p, 1, 0, 0x500400);
	assert_flags(export(p), 0, "----");
	is_outdated = true;
	assert_flags(export(p), 0, "u---");
	is_outdated = false;
}

static void test_unnamed_locations(void **state)
{
	struct parts *p = *state;
	struct message m;

	ADD(p, 3, 0, 0x400100);
	ADD(p, 2, 0, 0x123456);
	ADD(p, 1, 0, 0x500400);
	m = export(p);
	assert_function(m, 1, 0, "[app]");
	assert_function(m, 2, 0, "[unknown]");
	assert_int_equal(number(nested(m, LOCATION, 1), 3), 0x123456);
	assert_int_equal(nr_fields(nested(m, LOCATION, 1), 2), 0);
	assert_function(m, 3, 0, "[vdso]");
}

/* The lost samples are one sample, which counts as all of them. */
static void test_lost(void **state)
{
	struct parts *p = *state;
	struct message m;

	p->in.lost = 4;
	p->in.over_max = 2;
	ADD(p, 3, 0, 0x500100);
	m = export(p);
	assert_int_equal(nr_fields(m, SAMPLE), 3);
	ASSERT_PACKED(nested(nested(m, SAMPLE, 0), 2, 0), 4, 40000000);
	ASSERT_PACKED(nested(nested(m, SAMPLE, 2), 2, 0), 2, 20000000);
	assert_function(m, 2, 0, "lostProfileEvent");
	assert_function(m, 3, 0, "[lost: more stacks than --max-stacks]");
	assert_flags(m, 0, "ufli");
	ASSERT_PACKED(nested(nested(m, SAMPLE, 0), 1, 0), 2);
}

/* Without samples the profile has no location. */
static void test_empty(void **state)
{
	struct message m = export(*state);

	assert_int_equal(nr_fields(m, SAMPLE), 0);
	assert_int_equal(nr_fields(m, MAPPING), 0);
	assert_int_equal(nr_fields(m, LOCATION), 0);
	assert_int_equal(nr_fields(m, FUNCTION), 0);
}

/* The model has what readers show: without frames that the profile drops. Also of a text. */
static void test_model(void **state)
{
	struct parts *p = *state;
	struct profile *profile;
	struct model *m;
	uint32_t nr;

	p->in.text = true;
	p->in.drop_frames = "work";
	ADD(p, 3, 0, 0x500100, 0x500200);
	assert_int_equal(profile_export_build(&p->in, &profile), 0);
	assert_int_equal(profile_model_new(profile, &m), 0);
	profile_free(profile);
	assert_int_equal(m->samples.nr, 1);
	assert_int_equal(model_values(m, 0)[0], 3);
	assert_string_equal(model_string(m, m->sample_types.items[1].type), "cpu");
	model_stack(m, m->samples.items[0].stack, &nr);
	assert_int_equal(nr, 1);
	model_free(m);
}

static void test_no_memory_for_the_model(void **state)
{
	struct parts *p = *state;
	struct profile *profile;
	struct model *m = NULL;
	int err = -ENOMEM;

	ADD(p, 3, 0, 0x500100, 0x400100);
	assert_int_equal(profile_export_build(&p->in, &profile), 0);
	for (long n = 0; err; n++) {
		allocations_left = n;
		err = profile_model_new(profile, &m);
		allocations_left = -1;
		assert_true(!err || (err == -ENOMEM && !m));
	}
	profile_free(profile);
	model_free(m);
}

static void test_write_error_is_told(void **state)
{
	struct gzip_file *gz = gzip_file_open("/dev/full", GZIP_FILE_REPLACE);
	struct parts *p = *state;
	int err;

	ADD(p, 3, 0, 0x500100);
	err = profile_export_write(&p->in, gz);
	assert_int_equal(err ? err : gzip_file_commit(gz, NULL), -ENOSPC);
	if (err)
		gzip_file_abort(gz);
}

static void test_every_allocation_may_fail(void **state)
{
	static const char *const comments[] = { "one", NULL };
	int nr_failures = 0, err = -ENOMEM;
	struct parts *p = *state;

	ADD(p, 3, 0, 0x500100, 0x400100);
	ADD(p, 3, 0, 0x500200, 0x123456);
	p->in.comments = comments;
	p->in.lost = 4;
	for (long n = 0; err; n++) {
		allocations_left = n;
		err = write_out(p);
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
		nr_failures += err < 0;
	}
	assert_true(nr_failures > 10);
	assert_int_equal(nr_fields(read_profile("out"), SAMPLE), 3);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_head),
		WITH_SETUP(test_samples),
		WITH_SETUP(test_drop_frames),
		WITH_SETUP(test_model),
		WITH_SETUP(test_no_memory_for_the_model),
		WITH_SETUP(test_text),
		WITH_SETUP(test_threadcreate),
		WITH_SETUP(test_threads_live),
		WITH_SETUP(test_block),
		WITH_SETUP(test_mutex),
		WITH_SETUP(test_growth),
		WITH_SETUP(test_labels),
		WITH_SETUP(test_series),
		WITH_SETUP(test_stacks_of_zero),
		WITH_SETUP(test_mappings),
		WITH_SETUP(test_unused_mappings),
		WITH_SETUP(test_anonymous_memory_has_no_offset),
		WITH_SETUP(test_code_made_at_run_time),
		WITH_SETUP(test_flags),
		WITH_SETUP(test_flags_of_a_changed_file),
		WITH_SETUP(test_unnamed_locations),
		WITH_SETUP(test_lost),
		WITH_SETUP(test_empty),
		WITH_SETUP(test_write_error_is_told),
		WITH_SETUP(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
