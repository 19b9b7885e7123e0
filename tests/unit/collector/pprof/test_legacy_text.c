// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/legacy_text.c collector/pprof/profile.c
// sources: collector/pprof/gzip_file.c collector/pprof/protobuf.c
// sources: collector/pprof/gzip_stream.c collector/base/tuple_map.c
// sources: collector/base/string_table.c collector/base/utf8.c
// sources: collector/procfs/resource_usage.c
// sources: collector/pprof/text_escape.c collector/pprof/text_layout.c
// sources: collector/pprof/text_table.c
// libs: -lz -lxxhash -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <errno.h>

#include "fail_alloc.h"
#include "folder.h"
#include "pprof/gzip_file.h"
#include "madeup.h"
#include "pprof/legacy_text.h"

#define ADDRESS(a)	((a) - 1)	/* the location of a return address */

static char text[1 << 20];

static const struct profile_type *kind_of(enum text_form form)
{
	return &madeup_types[form];
}

static struct profile *begin(enum text_form form)
{
	struct profile *p = profile_new(&kind_of(form)->profile);

	assert_non_null(p);
	profile_set_period(p, form == TEXT_COUNT ? 10000000 : 1);
	return p;
}

static int write_out(struct profile *p, enum text_form form)
{
	struct gzip_file *gz = gzip_file_open("out.txt", GZIP_FILE_REPLACE | GZIP_FILE_PLAIN);
	int err;

	assert_non_null(gz);
	err = legacy_text_write(p, kind_of(form)->name, form, getpid(), gz);
	if (!err)
		return gzip_file_commit(gz, NULL);
	gzip_file_abort(gz);
	return err;
}

static void read_back(void)
{
	FILE *f = fopen("out.txt", "r");
	size_t len;

	assert_non_null(f);
	len = fread(text, 1, sizeof(text) - 1, f);
	text[len] = 0;
	fclose(f);
}

static const char *end(struct profile *p, enum text_form form)
{
	assert_int_equal(write_out(p, form), 0);
	profile_free(p);
	read_back();
	return text;
}

static void add(struct profile *p, const int64_t *values, const uint64_t *ids, size_t nr)
{
	assert_int_equal(profile_sample(p, ids, nr, values, NULL, 0), 0);
}

#define VALUES(...)		((const int64_t[]){ __VA_ARGS__ })
#define ADD(p, values, ...)	add(p, values, (const uint64_t[]){ __VA_ARGS__ },	\
				    sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static void assert_has(const char *want)
{
	if (!strstr(text, want))
		fail_msg("no \"%s\" in:\n%s", want, text);
}

static void assert_before(const char *first, const char *second)
{
	const char *a = strstr(text, first), *b = strstr(text, second);

	if (!a || !b || a >= b)
		fail_msg("not \"%s\" before \"%s\" in:\n%s", first, second, text);
}

static void test_count(void **state)
{
	struct profile *p = begin(TEXT_COUNT);
	uint64_t app = madeup_mapping(p, 0x400000, 0x402000, 0x1000, "/usr/bin/app");
	uint64_t leaf = madeup_location(p, app, 0x400105, "work", "/src/a.c", 7, 5);
	uint64_t caller = madeup_location(p, app, ADDRESS(0x400210), "main_of_all", "/src/m.c",
					  12, 0x10f);

	(void)state;
	ADD(p, VALUES(1, 10000000), caller);
	ADD(p, VALUES(3, 30000000), leaf, caller);
	profile_comment(p, "lost: %d", 0);
	end(p, TEXT_COUNT);
	assert_string_equal(text,
			    "cpu profile: total 4\n"
			    "3 @ 0x400106 0x400210\n"
			    "#\t0x400105\twork+0x5\t\t/src/a.c:7\n"
			    "#\t0x40020f\tmain_of_all+0x10f\t/src/m.c:12\n"
			    "\n"
			    "1 @ 0x400210\n"
			    "#\t0x40020f\tmain_of_all+0x10f\t/src/m.c:12\n"
			    "\n"
			    "# period: 10000000 nanoseconds\n"
			    "# lost: 0\n"
			    "\n"
			    "--- Memory map: ---\n"
			    "400000-402000 r-xp /usr/bin/app (@1000) 00c0ffee\n");
}

static void test_contention(void **state)
{
	struct profile *p = begin(TEXT_CONTENTION);
	uint64_t a = madeup_location(p, 0, 0x100, "a", "a.c", 1, 0);
	uint64_t b = madeup_location(p, 0, 0x200, "b", "b.c", 2, 0);

	(void)state;
	ADD(p, VALUES(100, 5), a);
	ADD(p, VALUES(2, 546602876), b);
	end(p, TEXT_CONTENTION);
	assert_ptr_equal(strstr(text, "--- contention:\ncycles/second=1000000000\n"
				"546602876 2 @ 0x201\n#\t0x200\tb+0x0\tb.c:2\n\n5 100 @ 0x101\n"),
			 text);
}

static void test_mutex(void **state)
{
	struct profile *p = begin(TEXT_MUTEX);
	uint64_t a = madeup_location(p, 0, 0x100, "a", "a.c", 1, 0);

	(void)state;
	ADD(p, VALUES(1, 5), a);
	end(p, TEXT_MUTEX);
	assert_ptr_equal(strstr(text, "--- mutex:\ncycles/second=1000000000\nsampling period=1\n"
				"5 1 @ 0x101\n"), text);
	assert_null(strstr(text, "# period"));
}

/* Samples are sorted by bytes in use. */
static void test_heap(void **state)
{
	struct profile *p = begin(TEXT_HEAP);
	uint64_t a = madeup_location(p, 0, 0x100, "a", "a.c", 1, 0);
	uint64_t b = madeup_location(p, 0, 0x200, "b", "b.c", 2, 0);

	(void)state;
	profile_set_period(p, 524288);
	ADD(p, VALUES(221, 14483456, 2, 20), a);
	ADD(p, VALUES(5, 50, 3, 30), b);
	end(p, TEXT_HEAP);
	assert_ptr_equal(strstr(text, "heap profile: 5: 50 [226: 14483506] @ heap/2\n"
				"3: 30 [5: 50] @ 0x201\n"), text);
	assert_has("\n2: 20 [221: 14483456] @ 0x101\n");
	assert_before("\n# /proc/", "\n# MinorFaults = ");
	assert_before("\n# MaxRSS = ", "\n\n--- Memory map: ---\n");
	assert_null(strstr(text, "# period"));
}

/* Samples are sorted by bytes. Lost ones have no number of pages. */
static void test_growth(void **state)
{
	struct profile *p = begin(TEXT_GROWTH);
	uint64_t a = madeup_location(p, 0, 0x100, "a", "a.c", 1, 0);
	uint64_t b = madeup_location(p, 0, 0x200, "b", "b.c", 2, 0);
	uint64_t lost = madeup_synthetic(p, "lostProfileEvent");

	(void)state;
	profile_set_period(p, 65536);
	ADD(p, VALUES(2, 8192), a);
	ADD(p, VALUES(1, 2097152), b);
	ADD(p, VALUES(0, 65536), lost);
	end(p, TEXT_GROWTH);
	assert_ptr_equal(strstr(text, "heap profile: 4: 2170880 [4: 2170880] @ growth\n"
				"1: 2097152 [1: 2097152] @ 0x201\n"), text);
	assert_has("\n1: 65536 [1: 65536] @ 0x8000000000000001\n");
	assert_before("\n1: 65536 [", "\n2: 8192 [2: 8192] @ 0x101\n");
	assert_null(strstr(text, "# period"));
	assert_null(strstr(text, "# /proc/"));
}

/* Readers drop the allocated values if they equal those in use. */
static void test_heap_without_a_free(void **state)
{
	struct profile *p = begin(TEXT_HEAP);
	uint64_t a = madeup_location(p, 0, 0x100, "a", "a.c", 1, 0);

	(void)state;
	ADD(p, VALUES(3, 30, 3, 30), a);
	end(p, TEXT_HEAP);
	assert_has("heap profile: 3: 30 [3: 31] @ heap/2\n3: 30 [3: 30] @ 0x101\n");
}

/* Equal counts are sorted by the text of the addresses, as in Go, then by labels. */
static void test_order(void **state)
{
	static const uint64_t addresses[] = { 0x8ff, 0xfff, 0x10ff, 0x18ff };
	struct profile *p = begin(TEXT_COUNT);
	struct profile_label label = { .key = "tid", .num = 9 };
	uint64_t ids[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		ids[i] = madeup_location(p, 0, addresses[i], "f", NULL, 0, 0);
	profile_sample(p, &ids[0], 1, VALUES(1, 1), &label, 1);
	label.num = 10;
	profile_sample(p, &ids[0], 1, VALUES(1, 1), &label, 1);
	ADD(p, VALUES(1, 1), ids[0], ids[1]);
	ADD(p, VALUES(1, 1), ids[0]);
	ADD(p, VALUES(1, 1), ids[1]);
	ADD(p, VALUES(1, 1), ids[2]);
	ADD(p, VALUES(1, 1), ids[3], ids[0]);
	ADD(p, VALUES(2, 1), ids[0]);
	end(p, TEXT_COUNT);
	assert_has("total 9\n2 @ 0x900\n");
	assert_before("1 @ 0x1000\n", "1 @ 0x1100\n");
	assert_before("1 @ 0x1100\n", "1 @ 0x1900 0x900\n");
	assert_before("1 @ 0x1900 0x900\n", "1 @ 0x900\n#\t");
	assert_before("1 @ 0x900\n#\t", "1 @ 0x900\n# labels: {\"tid\":\"10\"}\n");
	assert_before("{\"tid\":\"10\"}\n", "{\"tid\":\"9\"}\n");
	assert_before("{\"tid\":\"9\"}\n", "1 @ 0x900 0x1000\n");
}

/* Labels are sorted by key. No character ends the quotes. */
static void test_labels(void **state)
{
	const struct profile_label labels[] = {
		{ .key = "tid", .num = -5 }, { .key = "ab", .str = "" },
		{ .key = "a", .str = "b\\c\xc2\x85\xe2\x80\xae\xc3\xa9" },
		{ .key = "a!", .str = "x\"\n" },
	};
	struct profile *p = begin(TEXT_COUNT);
	uint64_t id = madeup_location(p, 0, 0x100, "f", NULL, 0, 0);

	(void)state;
	profile_sample(p, &id, 1, VALUES(1, 1), labels, 4);
	end(p, TEXT_COUNT);
	assert_has("1 @ 0x101\n# labels: {\"a!\":\"x' \", \"a\":\"b\\\\c\\u0085\\u202e\xc3\xa9\", "
		   "\"ab\":\"\", \"tid\":\"-5\"}\n#\t0x100\tf+0x0\n\n");
}

static void test_inlined(void **state)
{
	struct profile *p = begin(TEXT_COUNT);
	const struct profile_line lines[] = {
		madeup_line(p, "in", "i.c", 3, 0x10), madeup_line(p, "out", "o.c", 4, 0x10),
	};
	uint64_t id = profile_location(p, 0, 0x100, lines, 2);

	(void)state;
	ADD(p, VALUES(1, 1), id);
	end(p, TEXT_COUNT);
	assert_has("1 @ 0x101\n#\t0x100\tin+0x10\t\ti.c:3\n#\t0x100\tout+0x10\to.c:4\n\n");
}

/* A frame that is no code has an address of its own, and a mapping with its name. */
static void test_synthetic(void **state)
{
	struct profile *p = begin(TEXT_COUNT);
	uint64_t a = madeup_location(p, 0, 0x100, "a", NULL, 0, 0);
	uint64_t lost = madeup_synthetic(p, "lostProfileEvent");
	uint64_t cut = madeup_synthetic(p, "[truncated: no rule]");

	(void)state;
	ADD(p, VALUES(7, 1), lost);
	ADD(p, VALUES(1, 1), a, cut);
	end(p, TEXT_COUNT);
	assert_has("total 8\n7 @ 0x8000000000000001\n#\t0x8000000000000000\tlostProfileEvent\n\n"
		   "1 @ 0x101 0x8000000000001001\n");
	assert_has("#\t0x8000000000001000\t[truncated: no rule]\n\n");
	assert_has("--- Memory map: ---\n"
		   "8000000000000000-8000000000001000 r-xp [lostProfileEvent]\n"
		   "8000000000001000-8000000000002000 r-xp [truncated:_no_rule]\n");
}

/* No name or path ends a line, or makes one longer than readers accept. */
static void test_odd_names(void **state)
{
	struct profile *p = begin(TEXT_COUNT);
	static char name[100000];
	uint64_t odd, wide;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	odd = madeup_location(p, 0, 0x100, "a\n---\t\xe2\x80\xae(b c)", "/x\r\n1 @ y", 1, 0);
	wide = madeup_location(p, 0, 0x200, name, name, 2, 0);
	ADD(p, VALUES(2, 1), odd);
	ADD(p, VALUES(1, 1), wide);
	profile_comment(p, "two\nlines");
	end(p, TEXT_COUNT);
	assert_has("#\t0x100\ta?---?\?(b c)+0x0\t/x??1 @ y:1\n");
	assert_has("# two?lines\n");
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") < 60000);
}

static void test_empty(void **state)
{
	(void)state;
	assert_string_equal(end(begin(TEXT_MUTEX), TEXT_MUTEX),
			    "--- mutex:\ncycles/second=1000000000\nsampling period=1\n\n"
			    "--- Memory map: ---\n");
}

/* The error is that of the write, also if the buffer is flushed late. */
static void test_write_error_is_told(void **state)
{
	struct profile *p = begin(TEXT_COUNT);
	uint64_t a = madeup_location(p, 0, 0x100, "a", "a.c", 1, 0);

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct gzip_file *gz =
			gzip_file_open("/dev/full", GZIP_FILE_REPLACE | GZIP_FILE_PLAIN);

		ADD(p, VALUES(1, 1), a);
		if (i % 333 == 0)
			assert_int_equal(legacy_text_write(p, kind_of(TEXT_COUNT)->name, TEXT_COUNT,
							   0, gz),
					 -ENOSPC);
		gzip_file_abort(gz);
	}
	profile_free(p);
}

static void test_every_allocation_may_fail(void **state)
{
	const struct profile_label label = { .key = "tid", .num = 9 };
	struct profile *p = begin(TEXT_COUNT);
	uint64_t a = madeup_location(p, 0, 0x100, "a", "a.c", 1, 0);
	struct gzip_file *gz;
	int err = -ENOMEM, nr_failures = 0;

	(void)state;
	profile_sample(p, &a, 1, VALUES(1, 1), &label, 1);
	for (long n = 0; err; n++) {
		gz = gzip_file_open("out.txt", GZIP_FILE_REPLACE | GZIP_FILE_PLAIN);
		allocations_left = n;
		err = legacy_text_write(p, kind_of(TEXT_COUNT)->name, TEXT_COUNT, 0, gz);
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
		nr_failures += err < 0;
		gzip_file_abort(gz);
	}
	assert_true(nr_failures >= 4);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_contention),
		cmocka_unit_test(test_mutex),
		cmocka_unit_test(test_heap),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_heap_without_a_free),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_synthetic),
		cmocka_unit_test(test_odd_names),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_write_error_is_told),
		cmocka_unit_test(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
