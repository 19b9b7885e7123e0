// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/profile.c collector/pprof/gzip_file.c collector/pprof/protobuf.c
// sources: collector/base/tuple_map.c collector/base/string_table.c collector/base/utf8.c
// libs: -lz -lxxhash -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "fail_alloc.h"
#include "pprof/gzip_file.h"
#include "pprof/profile.h"
#include "readback.h"

#define BAD	"\xef\xbf\xbd"

static const struct profile_sample_types cpu = {
	.sample_types = { { "samples", "count" }, { "cpu", "nanoseconds" } },
	.nr_sample_types = 2,
	.period_type = { "cpu", "nanoseconds" },
};

static const struct profile_sample_types threadcreate = {
	.sample_types = { { "threadcreate", "count" } },
	.nr_sample_types = 1,
	.period_type = { "threadcreate", "count" },
	.default_sample_type = "threadcreate",
};

static char path[32];

static int setup(void **state)
{
	*state = profile_new(&cpu);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	profile_free(*state);
	return 0;
}

static int make_path(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/test_profile.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

static int write_out(struct profile *p)
{
	struct gzip_file *gz = gzip_file_open(path, GZIP_FILE_REPLACE);
	int err;

	if (!gz)
		return -errno;
	err = profile_write(p, gz);
	if (!err)
		return gzip_file_commit(gz, NULL);
	gzip_file_abort(gz);
	return err;
}

static struct message write_and_read(struct profile *p)
{
	assert_int_equal(write_out(p), 0);
	return read_profile(path);
}

/* A location of one function without a mapping. */
static uint64_t add_location(struct profile *p, const char *name, uint64_t address)
{
	struct profile_line line = {
		.function_id = profile_function(p, name, name, "a.c", 1),
	};

	return profile_location(p, 0, address, &line, 1);
}

static int add_sample(struct profile *p, uint64_t location_id, int64_t count,
		      const struct profile_label *labels, size_t nr_labels)
{
	int64_t values[] = { count, count * 10 };

	return profile_sample(p, &location_id, 1, values, labels, nr_labels);
}

static void test_head(void **state)
{
	struct message m, type;

	profile_set_period(*state, 10000000);
	profile_set_time(*state, 1700000000123456789);
	profile_set_duration(*state, 5000000000);
	assert_int_equal(profile_set_frames(*state, "malloc|free", "main"), 0);
	m = write_and_read(*state);
	assert_string(m, 0, "");
	assert_int_equal(nr_fields(m, SAMPLE_TYPE), 2);
	type = nested(m, SAMPLE_TYPE, 0);
	assert_string(m, number(type, 1), "samples");
	assert_string(m, number(type, 2), "count");
	type = nested(m, SAMPLE_TYPE, 1);
	assert_string(m, number(type, 1), "cpu");
	assert_string(m, number(type, 2), "nanoseconds");
	type = nested(m, PERIOD_TYPE, 0);
	assert_string(m, number(type, 1), "cpu");
	assert_string(m, number(type, 2), "nanoseconds");
	assert_int_equal(number(m, PERIOD), 10000000);
	assert_int_equal(number(m, TIME_NANOS), 1700000000123456789);
	assert_int_equal(number(m, DURATION_NANOS), 5000000000);
	assert_string(m, number(m, DROP_FRAMES), "malloc|free");
	assert_string(m, number(m, KEEP_FRAMES), "main");
	assert_int_equal(nr_fields(m, DEFAULT_SAMPLE_TYPE), 0);
}

static void test_default_sample_type(void **state)
{
	struct profile *p = profile_new(&threadcreate);
	struct message m = write_and_read(p);

	(void)state;
	assert_int_equal(nr_fields(m, SAMPLE_TYPE), 1);
	assert_string(m, number(m, DEFAULT_SAMPLE_TYPE), "threadcreate");
	profile_free(p);
}

static void test_kinds_without_or_with_too_many_types(void **state)
{
	struct profile_sample_types kind = cpu;

	(void)state;
	kind.nr_sample_types = 0;
	assert_null(profile_new(&kind));
	assert_int_equal(errno, EINVAL);
	errno = 0;
	kind.nr_sample_types = PROFILE_MAX_VALUES + 1;
	assert_null(profile_new(&kind));
	assert_int_equal(errno, EINVAL);
}

static void test_mappings(void **state)
{
	struct profile_mapping app = {
		.start = 0x400000, .limit = 0x452000, .offset = 0x1000, .file = "/bin/app",
		.build_id = "0123abcd", .flags = PROFILE_HAS_FUNCTIONS | PROFILE_HAS_LINE_NUMBERS,
	};
	struct profile_mapping anon = { .start = 0x7f0000000000, .limit = 0x7f0000001000 };
	struct message m, mapping;

	assert_int_equal(profile_mapping(*state, &app), 1);
	assert_int_equal(profile_mapping(*state, &anon), 2);
	m = write_and_read(*state);
	assert_int_equal(nr_fields(m, MAPPING), 2);
	mapping = nested(m, MAPPING, 0);
	assert_int_equal(number(mapping, 1), 1);
	assert_int_equal(number(mapping, 2), 0x400000);
	assert_int_equal(number(mapping, 3), 0x452000);
	assert_int_equal(number(mapping, 4), 0x1000);
	assert_string(m, number(mapping, 5), "/bin/app");
	assert_string(m, number(mapping, 6), "0123abcd");
	assert_int_equal(number(mapping, 7), 1);
	assert_int_equal(number(mapping, 8), 0);
	assert_int_equal(number(mapping, 9), 1);
	assert_int_equal(number(mapping, 10), 0);
	mapping = nested(m, MAPPING, 1);
	assert_int_equal(number(mapping, 1), 2);
	assert_int_equal(nr_fields(mapping, 5), 0);
	assert_int_equal(nr_fields(mapping, 7), 0);
}

static void test_mapping_flags_can_change(void **state)
{
	struct profile_mapping mapping = { .limit = 1, .flags = PROFILE_HAS_FUNCTIONS };
	struct message m;

	profile_mapping(*state, &mapping);
	assert_int_equal(profile_mapping_flags(*state, 0, 0), -EINVAL);
	assert_int_equal(profile_mapping_flags(*state, 2, 0), -EINVAL);
	assert_int_equal(profile_mapping_flags(*state, 1, PROFILE_HAS_FILENAMES |
					       PROFILE_HAS_INLINE_FRAMES), 0);
	m = nested(write_and_read(*state), MAPPING, 0);
	assert_int_equal(number(m, 7), 0);
	assert_int_equal(number(m, 8), 1);
	assert_int_equal(number(m, 9), 0);
	assert_int_equal(number(m, 10), 1);
}

static void test_equal_functions_are_one(void **state)
{
	struct message m, function;

	assert_int_equal(profile_function(*state, "f()", "_Z1fv", "a.cc", 10), 1);
	assert_int_equal(profile_function(*state, "f()", "_Z1fv", "a.cc", 11), 2);
	assert_int_equal(profile_function(*state, "f()", "_Z1fv", "b.cc", 10), 3);
	assert_int_equal(profile_function(*state, "f()", "_Z1fw", "a.cc", 10), 4);
	assert_int_equal(profile_function(*state, "g()", "_Z1fv", "a.cc", 10), 5);
	assert_int_equal(profile_function(*state, "f()", "_Z1fv", "a.cc", 10), 1);
	assert_int_equal(profile_function(*state, "h", NULL, NULL, 0), 6);
	assert_int_equal(profile_function(*state, "h", "", "", 0), 6);
	m = write_and_read(*state);
	assert_int_equal(nr_fields(m, FUNCTION), 6);
	function = nested(m, FUNCTION, 1);
	assert_int_equal(number(function, 1), 2);
	assert_string(m, number(function, 2), "f()");
	assert_string(m, number(function, 3), "_Z1fv");
	assert_string(m, number(function, 4), "a.cc");
	assert_int_equal(number(function, 5), 11);
}

static void test_locations(void **state)
{
	struct profile_mapping mapping = { .start = 0x1000, .limit = 0x2000 };
	struct profile_line lines[] = {
		{ .function_id = 1, .line = 7, .column = 3 },
		{ .function_id = 2, .line = 20 },
	};
	struct message m, location;

	profile_mapping(*state, &mapping);
	profile_function(*state, "inlined", "inlined", "a.h", 5);
	profile_function(*state, "outer", "outer", "a.c", 15);
	assert_int_equal(profile_location(*state, 1, 0x1234, lines, 2), 1);
	assert_int_equal(profile_location(*state, 0, 0x5678, NULL, 0), 2);
	assert_int_equal(profile_location(*state, 0, 0x9abc, lines + 1, 1), 3);
	m = write_and_read(*state);
	assert_int_equal(nr_fields(m, LOCATION), 3);
	location = nested(m, LOCATION, 0);
	assert_int_equal(number(location, 1), 1);
	assert_int_equal(number(location, 2), 1);
	assert_int_equal(number(location, 3), 0x1234);
	assert_int_equal(nr_fields(location, 4), 2);
	assert_int_equal(number(nested(location, 4, 0), 1), 1);
	assert_int_equal(number(nested(location, 4, 0), 2), 7);
	assert_int_equal(number(nested(location, 4, 0), 3), 3);
	assert_int_equal(number(nested(location, 4, 1), 1), 2);
	assert_int_equal(number(nested(location, 4, 1), 2), 20);
	assert_int_equal(nr_fields(nested(location, 4, 1), 3), 0);
	location = nested(m, LOCATION, 1);
	assert_int_equal(number(location, 1), 2);
	assert_int_equal(nr_fields(location, 2), 0);
	assert_int_equal(nr_fields(location, 4), 0);
	location = nested(m, LOCATION, 2);
	assert_int_equal(nr_fields(location, 4), 1);
	assert_int_equal(number(nested(location, 4, 0), 2), 20);
}

static void test_locations_of_what_is_not_there(void **state)
{
	struct profile_line none = { .function_id = 0 }, later = { .function_id = 1 };

	assert_int_equal(profile_location(*state, 1, 0x1000, NULL, 0), -EINVAL);
	assert_int_equal(profile_location(*state, 0, 0x1000, &none, 1), -EINVAL);
	assert_int_equal(profile_location(*state, 0, 0x1000, &later, 1), -EINVAL);
	assert_int_equal(nr_fields(write_and_read(*state), LOCATION), 0);
}

static void test_samples(void **state)
{
	int64_t values[] = { 3, -30 };
	uint64_t ids[2];
	struct message m;

	ids[1] = add_location(*state, "main", 0x1000);
	ids[0] = add_location(*state, "leaf", 0x2000);
	assert_int_equal(profile_sample(*state, ids, 2, values, NULL, 0), 0);
	m = nested(write_and_read(*state), SAMPLE, 0);
	ASSERT_PACKED(nested(m, 1, 0), 2, 1);
	ASSERT_PACKED(nested(m, 2, 0), 3, (uint64_t)-30);
	assert_int_equal(nr_fields(m, 3), 0);
}

static void test_samples_without_locations(void **state)
{
	uint64_t ids[] = { 1, 2 }, zero = 0;
	int64_t values[] = { 1, 1 };

	add_location(*state, "main", 0x1000);
	assert_int_equal(profile_sample(*state, NULL, 0, values, NULL, 0), -EINVAL);
	assert_int_equal(profile_sample(*state, ids, 2, values, NULL, 0), -EINVAL);
	assert_int_equal(profile_sample(*state, &zero, 1, values, NULL, 0), -EINVAL);
	assert_int_equal(nr_fields(write_and_read(*state), SAMPLE), 0);
}

static void test_labels(void **state)
{
	struct profile_label labels[] = {
		{ .key = "thread", .str = "worker" },
		{ .key = "tid", .num = 1234 },
		{ .key = "size", .num = -5, .unit = "bytes" },
	};
	struct message m, sample;

	assert_int_equal(add_sample(*state, add_location(*state, "f", 1), 1, labels, 3), 0);
	m = write_and_read(*state);
	sample = nested(m, SAMPLE, 0);
	assert_int_equal(nr_fields(sample, 3), 3);
	assert_string(m, number(nested(sample, 3, 0), 1), "thread");
	assert_string(m, number(nested(sample, 3, 0), 2), "worker");
	assert_int_equal(nr_fields(nested(sample, 3, 0), 3), 0);
	assert_string(m, number(nested(sample, 3, 1), 1), "tid");
	assert_int_equal(nr_fields(nested(sample, 3, 1), 2), 0);
	assert_int_equal(number(nested(sample, 3, 1), 3), 1234);
	assert_int_equal(nr_fields(nested(sample, 3, 1), 4), 0);
	assert_int_equal(number(nested(sample, 3, 2), 3), (uint64_t)-5);
	assert_string(m, number(nested(sample, 3, 2), 4), "bytes");
}

/* The second value identifies the sample. */
static void assert_order(struct message m, const uint64_t *want, size_t nr)
{
	size_t i;

	assert_int_equal(nr_fields(m, SAMPLE), nr);
	for (i = 0; i < nr; i++) {
		struct message values = nested(nested(m, SAMPLE, i), 2, 0);

		read_varint(&values);
		assert_int_equal(read_varint(&values), want[i]);
	}
}

static void add_marked(struct profile *p, const uint64_t *ids, size_t nr, int64_t count,
		       int64_t mark, const struct profile_label *labels, size_t nr_labels)
{
	int64_t values[] = { count, mark };

	assert_int_equal(profile_sample(p, ids, nr, values, labels, nr_labels), 0);
}

static void test_order_is_count_then_ids(void **state)
{
	static const uint64_t order[] = { 1, 2, 3, 4, 5, 6 };
	uint64_t ids[] = { 1, 2, 1 };
	int i;

	for (i = 0; i < 2; i++)
		add_location(*state, "f", i);
	add_marked(*state, ids, 2, 5, 4, NULL, 0);		/* 1 2 */
	add_marked(*state, ids + 1, 2, 5, 5, NULL, 0);		/* 2 1 */
	add_marked(*state, ids, 1, 5, 3, NULL, 0);		/* 1 */
	add_marked(*state, ids, 3, -1, 6, NULL, 0);
	add_marked(*state, ids, 1, 1LL << 40, 1, NULL, 0);
	add_marked(*state, ids + 1, 1, 7, 2, NULL, 0);
	assert_order(write_and_read(*state), order, 6);
}

/* Labels are sorted by their strings, not by the indices of these. */
static void test_order_of_labels(void **state)
{
	static const uint64_t order[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct profile_label z = { .key = "thread", .str = "z" };
	struct profile_label a[] = {
		{ .key = "thread", .str = "a" },
		{ .key = "z", .str = "a" },
	};
	struct profile_label minus = { .key = "tid", .num = -1 };
	struct profile_label ten = { .key = "tid", .num = 10 };
	struct profile_label ten_s = { .key = "tid", .num = 10, .unit = "s" };
	struct profile_label ten_b = { .key = "tid", .num = 10, .unit = "b" };
	uint64_t id = add_location(*state, "f", 1);

	add_marked(*state, &id, 1, 1, 8, &ten_s, 1);
	add_marked(*state, &id, 1, 1, 6, &ten, 1);
	add_marked(*state, &id, 1, 1, 7, &ten_b, 1);
	add_marked(*state, &id, 1, 1, 5, &minus, 1);
	add_marked(*state, &id, 1, 1, 4, &z, 1);
	add_marked(*state, &id, 1, 1, 3, a, 2);
	add_marked(*state, &id, 1, 1, 2, a, 1);
	add_marked(*state, &id, 1, 1, 1, NULL, 0);
	assert_order(write_and_read(*state), order, 8);
}

static void test_strings_become_utf8(void **state)
{
	struct profile_mapping mapping = { .limit = 1, .file = "/tmp/\xff\n\"" };
	struct message m;

	profile_mapping(*state, &mapping);
	profile_function(*state, "gr\xc3\xbc\xc3\x9f\xed\xa0\x80", NULL, NULL, 0);
	m = write_and_read(*state);
	assert_string(m, number(nested(m, MAPPING, 0), 5), "/tmp/" BAD "\n\"");
	assert_string(m, number(nested(m, FUNCTION, 0), 2), "gr\xc3\xbc\xc3\x9f" BAD BAD BAD);
}

static void test_labels_lose_what_breaks_graphs(void **state)
{
	static const struct {
		const char *in;
		const char *out;
	} cases[] = {
		{ "a\"b\"", "a'b'" },
		{ "a\\b\\\\", "a\\b" },
		{ "\\", "" },
		{ "a\tb\n\x7f\x01", "a b   " },
		{ "\xc3(\\", BAD "(" },
	};
	struct message m, label;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile_label l[] = {
			{ .key = cases[i].in, .str = cases[i].in },
			{ .key = "n", .num = 1, .unit = cases[i].in },
		};

		add_sample(*state, add_location(*state, "f", i), 100 - i, l, 2);
	}
	m = write_and_read(*state);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		label = nested(nested(m, SAMPLE, i), 3, 0);
		assert_string(m, number(label, 1), cases[i].out);
		assert_string(m, number(label, 2), cases[i].out);
		label = nested(nested(m, SAMPLE, i), 3, 1);
		assert_string(m, number(label, 4), cases[i].out);
	}
}

static void test_comments(void **state)
{
	struct message m, comments;

	assert_int_equal(profile_comment(*state, "lost %d of %s", 3, "many"), 0);
	assert_int_equal(profile_comment(*state, "\"quoted\"\xff"), 0);
	m = write_and_read(*state);
	comments = nested(m, COMMENT, 0);
	assert_string(m, read_varint(&comments), "lost 3 of many");
	assert_string(m, read_varint(&comments), "\"quoted\"" BAD);
	assert_ptr_equal(comments.at, comments.end);
}

static void test_many_of_all(void **state)
{
	uint64_t ids[50];
	struct message m;
	char name[32];
	int i, j;

	for (i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		assert_int_equal(add_location(*state, name, i), i + 1);
	}
	for (i = 0; i < 2000; i++) {
		for (j = 0; j < 50; j++)
			ids[j] = 1 + (i + j) % 2000;
		add_marked(*state, ids, 1 + i % 50, 5000 - i, i, NULL, 0);
	}
	m = write_and_read(*state);
	assert_int_equal(nr_fields(m, SAMPLE), 2000);
	assert_int_equal(nr_fields(m, LOCATION), 2000);
	assert_int_equal(nr_fields(m, FUNCTION), 2000);
	assert_string(m, number(nested(m, FUNCTION, 1999), 2), "f1999");
	m = nested(m, SAMPLE, 1234);
	ASSERT_PACKED(nested(m, 2, 0), 5000 - 1234, 1234);
	m = nested(m, 1, 0);
	assert_int_equal(read_varint(&m), 1235);
}

static void test_write_twice_is_the_same(void **state)
{
	static unsigned char first[READBACK_BYTES];
	struct message m;
	size_t len;

	add_sample(*state, add_location(*state, "f", 1), 1, NULL, 0);
	add_sample(*state, add_location(*state, "g", 2), 2, NULL, 0);
	m = write_and_read(*state);
	len = m.end - m.at;
	memcpy(first, m.at, len);
	m = write_and_read(*state);
	assert_int_equal(m.end - m.at, len);
	assert_memory_equal(m.at, first, len);
}

static void test_write_error_is_told(void **state)
{
	struct gzip_file *gz = gzip_file_open("/dev/full", GZIP_FILE_REPLACE);
	uint32_t noise = 1;
	char name[32];
	int i;

	for (i = 0; i < 20000; i++) {
		noise = noise * 1664525 + 1013904223;
		snprintf(name, sizeof(name), "%x", noise);
		profile_function(*state, name, NULL, NULL, noise);
	}
	assert_int_equal(profile_write(*state, gz), -ENOSPC);
	gzip_file_abort(gz);
}

/* Adds one item of each kind. Returns the first error. */
static int build_and_write(void)
{
	struct profile_mapping mapping = { .limit = 1, .file = "/bin/app" };
	struct profile_label label = { .key = "thread", .str = "worker" };
	struct profile_line line = { .function_id = 1 };
	struct profile *p = profile_new(&cpu);
	int64_t values[] = { 1, 1 };
	uint64_t id = 1;
	int64_t err;

	if (!p)
		return -errno;
	err = profile_mapping(p, &mapping);
	if (err > 0)
		err = profile_function(p, "f", "g", "h", 0);
	if (err > 0)
		err = profile_location(p, 1, 1, &line, 1);
	if (err > 0)
		err = profile_sample(p, &id, 1, values, &label, 1);
	if (!err)
		err = profile_comment(p, "comment");
	if (!err)
		err = profile_set_frames(p, "drop", "keep");
	if (!err)
		err = write_out(p);
	profile_free(p);
	return err;
}

static void test_every_allocation_may_fail(void **state)
{
	int err = -ENOMEM;
	long n;

	(void)state;
	for (n = 0; err && n < 1000; n++) {
		allocations_left = n;
		err = build_and_write();
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
	}
	assert_int_equal(err, 0);
	assert_true(n > 15);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_head),
		cmocka_unit_test(test_default_sample_type),
		cmocka_unit_test(test_kinds_without_or_with_too_many_types),
		WITH_SETUP(test_mappings),
		WITH_SETUP(test_mapping_flags_can_change),
		WITH_SETUP(test_equal_functions_are_one),
		WITH_SETUP(test_locations),
		WITH_SETUP(test_locations_of_what_is_not_there),
		WITH_SETUP(test_samples),
		WITH_SETUP(test_samples_without_locations),
		WITH_SETUP(test_labels),
		WITH_SETUP(test_order_is_count_then_ids),
		WITH_SETUP(test_order_of_labels),
		WITH_SETUP(test_strings_become_utf8),
		WITH_SETUP(test_labels_lose_what_breaks_graphs),
		WITH_SETUP(test_comments),
		WITH_SETUP(test_many_of_all),
		WITH_SETUP(test_write_twice_is_the_same),
		WITH_SETUP(test_write_error_is_told),
		cmocka_unit_test(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
