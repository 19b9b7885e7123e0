// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/address_profile.c collector/formats/frame_patterns.c
// sources: collector/formats/function_set.c collector/formats/go_comments.c
// sources: collector/formats/heap_sampling.c collector/formats/line_reader.c
// sources: collector/formats/memory_map.c
// sources: collector/formats/perf_script_line.c collector/formats/read_contention.c
// sources: collector/formats/read_count.c collector/formats/read_heap.c
// sources: collector/pprof/gzip_file.c collector/pprof/gzip_stream.c collector/pprof/legacy_text.c
// sources: collector/pprof/model.c collector/pprof/profile.c collector/pprof/profile_fault.c
// sources: collector/pprof/profile_input.c collector/pprof/protobuf.c
// sources: collector/pprof/profile_source.c collector/pprof/read_ahead.c
// sources: collector/pprof/gzip_member.c
// sources: collector/pprof/text_escape.c collector/pprof/text_layout.c
// sources: collector/pprof/text_table.c collector/procfs/resource_usage.c
// sources: collector/base/span_set.c collector/base/string_table.c collector/base/tuple_map.c
// sources: collector/base/utf8.c
// libs: -lz -lisal -lxxhash -lm
/* Writes profiles in our text formats, and reads them back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "formats/read_contention.h"
#include "formats/read_count.h"
#include "formats/read_heap.h"
#include "madeup.h"
#include "pprof/gzip_file.h"
#include "pprof/legacy_text.h"
#include "read_text.h"

static char path[32];

static int make_file(void **state)
{
	(void)state;
	strcpy(path, "/tmp/test_round_trip.XXXXXX");
	return close(mkstemp(path));
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

/*
 * The profile has an inlined caller, a recursion, a frame without code, labels, and names with
 * blanks and backslashes.
 */
static void fill(struct profile *p)
{
	const struct profile_label labels[] = {
		{ .key = "thread", .str = "a\\b" }, { .key = "tid", .num = 77 },
	};
	uint64_t app = madeup_mapping(p, 0x400000, 0x402000, 0x1000, "/usr/bin/my app");
	uint64_t leaf = madeup_location(p, app, 0x400105, "std::f<a, b>", "/src/a b.c", 7, 5);
	uint64_t lost = madeup_synthetic(p, "lostProfileEvent"), inlined, ids[4];
	struct profile_line lines[2] = {
		madeup_line(p, "inner", "/src/m.c", 3, 1),
		madeup_line(p, "main", "/src/m.c", 12, 9),
	};
	const int64_t values[PROFILE_MAX_VALUES] = { 5, 600, 3, 400 };

	inlined = profile_location(p, app, 0x400210, lines, 2);
	ids[0] = leaf;
	ids[1] = leaf;
	ids[2] = inlined;
	assert_int_equal(profile_sample(p, ids, 3, values, labels, 2), 0);
	assert_int_equal(profile_sample(p, &lost, 1, (int64_t[]){ 1, 2, 1, 2 }, NULL, 0), 0);
	profile_comment(p, "lost: 1");
}

static void write_text(enum text_form form)
{
	const struct profile_type *type = &madeup_types[form];
	struct profile *p = profile_new(&type->profile);
	struct gzip_file *gz = gzip_file_open(path, GZIP_FILE_REPLACE | GZIP_FILE_PLAIN);

	assert_non_null(p);
	assert_non_null(gz);
	fill(p);
	assert_int_equal(legacy_text_write(p, type->name, form, getpid(), gz), 0);
	assert_int_equal(gzip_file_commit(gz, NULL), 0);
	profile_free(p);
}

/* Writes and reads, and compares the types, the values of both stacks, and their labels. */
static void assert_returns(enum text_form form, read_format *read, const char *head,
			   const char *values, const char *lost_values, const char *label,
			   const char *lost_label)
{
	static char text[1 << 16];
	char want[1024];
	FILE *file;

	write_text(form);
	file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	snprintf(want, sizeof(want),
		 "%s\n%s @ 0x400105=std::f<a, b>(/src/a b.c:7)|/usr/bin/my_app"
		 " 0x400105=std::f<a, b>(/src/a b.c:7)|/usr/bin/my_app"
		 " 0x400210=inner(/src/m.c:3),main(/src/m.c:12)|/usr/bin/my_app"
		 " {thread=\"a\\b\"} {tid=\"77\"}%s\n"
		 "%s @ 0x8000000000000000=lostProfileEvent|[lostProfileEvent]%s\n",
		 head, values, label, lost_values, lost_label);
	assert_profile(read_text(read, text), want);
}

static void test_count(void **state)
{
	(void)state;
	assert_returns(TEXT_COUNT, read_count, "cpu/count period 1", "5", "1", "", "");
}

static void test_contention(void **state)
{
	static const char head[] = "contentions/count delay/nanoseconds period 1";

	(void)state;
	assert_returns(TEXT_CONTENTION, read_contention, head, "5 600", "1 2", "", "");
	assert_returns(TEXT_MUTEX, read_contention, head, "5 600", "1 2", "", "");
}

/* The size of an object becomes a label, as in all heap profiles that are text. */
static void test_heap(void **state)
{
	static const char head[] = "alloc_objects/count alloc_space/bytes inuse_objects/count "
				   "inuse_space/bytes period 1";

	(void)state;
	assert_returns(TEXT_HEAP, read_heap, head, "5 600 3 400", "1 2 1 2", " {bytes=133}",
		       " {bytes=2}");
	assert_returns(TEXT_GROWTH, read_heap, "objects/count space/bytes period 1", "5 600", "1 2",
		       " {bytes=120}", " {bytes=2}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_contention),
		cmocka_unit_test(test_heap),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
