// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/text_writer.c collector/pprof/frame_name.c
// sources: collector/pprof/legacy_text.c collector/pprof/profile.c collector/pprof/gzip_file.c
// sources: collector/pprof/protobuf.c collector/pprof/gzip_stream.c
// sources: collector/procfs/resource_usage.c collector/pprof/text_escape.c
// sources: collector/pprof/text_layout.c collector/pprof/text_table.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/base/span_set.c
// sources: collector/base/string_table.c collector/base/tuple_map.c collector/base/utf8.c
// libs: -lz -lxxhash
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "formats/text_writer.h"
#include "written.h"

/* Makes a model with these types, "type/unit" each. */
static struct model *new_types(const char *const *types, size_t nr)
{
	struct model *m = model_new();

	assert_non_null(m);
	for (size_t i = 0; i < nr; i++) {
		const char *slash = strchr(types[i], '/');
		struct model_value_type t = {
			.type = model_add_string(m, types[i], slash - types[i]),
			.unit = add_text(m, slash + 1),
		};

		assert_int_equal(model_add_sample_type(m, &t), 0);
	}
	return m;
}

#define NEW_TYPES(...) new_types((const char *const[]){ __VA_ARGS__ },		\
				 sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *))

/* Adds a location of a function at an address of /bin/p. */
static uint32_t add_code(struct model *m, const char *name, uint64_t address)
{
	struct model_mapping mapping = {
		.start = 0x1000, .limit = 0x2000, .offset = 0x400,
		.file = add_text(m, "/bin/p"), .build_id = add_text(m, "ab12"),
	};
	uint32_t location = add_location(m, name, NULL);

	if (!m->mappings.nr)
		assert_int_equal(model_add_mapping(m, &mapping), 0);
	m->locations.items[location].mapping = 0;
	m->locations.items[location].address = address;
	m->lines.items[m->locations.items[location].first_line].line = 7;
	return location;
}

static void add_values(struct model *m, const uint32_t *stack, size_t nr, const int64_t *values)
{
	struct model_sample s = { .stack = model_add_stack(m, stack, nr) };

	assert_int_equal(model_add_sample(m, &s, values), 0);
}

#define ADD_VALUES(m, location, ...)	\
	add_values(m, &(uint32_t){ location }, 1, (int64_t[]){ __VA_ARGS__ })

#define MAP	"\n--- Memory map: ---\n1000-2000 r-xp /bin/p (@400) ab12\n"

static void test_count(void **state)
{
	struct model *m = new_model();
	uint32_t a = add_code(m, "leaf<-caller", 0x1010), b = add_code(m, "main", 0x1020);

	(void)state;
	add_sample(m, &b, 1, 1, NULL, NULL);
	add_sample(m, (uint32_t[]){ a, b }, 2, 2, "thread", "x\"y");
	add_sample(m, &b, 1, 0, "thread", "z");
	assert_int_equal(model_add_comment(m, add_text(m, "a\nb")), 0);
	assert_written(text_write, m, 0, "samples profile: total 3\n"
		"2 @ 0x1011 0x1021\n# labels: {\"thread\":\"x'y\"}\n"
		"#\t0x1010\tleaf\ta.c:7\n#\t0x1010\tcaller\ta.c:0\n#\t0x1020\tmain\ta.c:7\n\n"
		"1 @ 0x1021\n#\t0x1020\tmain\ta.c:7\n\n"
		"# a?b\n" MAP);
	add_sample(m, &b, 1, -5, NULL, NULL);
	assert_refused(text_write, m, 1, "negative");
	model_free(m);
}

static void test_empty_profile(void **state)
{
	struct model *m = new_model();

	(void)state;
	m->sample_types.items[1].type = add_text(m, "c p\tu");
	m->period_type = (struct model_value_type){ add_text(m, "cpu"), add_text(m, "ns") };
	m->period = 10;
	assert_written(text_write, m, 1, "c_p?u profile: total 0\n# period: 10 ns\n\n--- Memory map: ---\n");
	model_free(m);
}

/* What has no address gets one where no code can be, and a mapping with its name. */
static void test_no_code(void **state)
{
	struct model *m = new_model();
	uint32_t a = add_location(m, "f", NULL);
	const struct model_location unknown = { .mapping = MODEL_NONE };
	uint32_t b = model_add_location(m, &unknown, NULL, 0);

	(void)state;
	add_sample(m, (uint32_t[]){ a, b }, 2, 2, NULL, NULL);
	add_sample(m, NULL, 0, 1, NULL, NULL);
	assert_written(text_write, m, 0, "samples profile: total 3\n"
		"2 @ 0x8000000000000001 0x8000000000001001\n"
		"#\t0x8000000000000000\tf\ta.c:0\n#\t0x8000000000001000\t<unknown>\n\n"
		"1 @ 0x8000000000002001\n#\t0x8000000000002000\t<unknown>\n\n"
		"\n--- Memory map: ---\n"
		"8000000000000000-8000000000001000 r-xp [f]\n"
		"8000000000001000-8000000000002000 r-xp [<unknown>]\n"
		"8000000000002000-8000000000003000 r-xp [<unknown>]\n");
	model_free(m);
}

static void test_heap(void **state)
{
	struct model *m = NEW_TYPES("alloc_objects/count", "alloc_space/bytes",
				    "inuse_objects/count", "inuse_space/bytes");

	(void)state;
	ADD_VALUES(m, add_code(m, "f", 0x1010), 3, 300, 1, INT64_C(1) << 60);
	assert_written(text_write, m, 0, "heap profile: 1: 1152921504606846976 [3: 300] @ heap/2\n"
		       "1: 1152921504606846976 [3: 300] @ 0x1011\n#\t0x1010\tf\ta.c:7\n\n" MAP);
	model_free(m);
}

static void test_contentions(void **state)
{
	struct model *m = NEW_TYPES("contentions/count", "delay/nanoseconds");

	(void)state;
	ADD_VALUES(m, add_code(m, "f", 0x1010), 3, 300);
	assert_written(text_write, m, 0, "--- contention:\ncycles/second=1000000000\n"
		"300 3 @ 0x1011\n#\t0x1010\tf\ta.c:7\n\n" MAP);
	ADD_VALUES(m, 0, 1, -1);
	assert_refused(text_write, m, 0, "negative");
	model_free(m);
}

static void test_sums_fit(void **state)
{
	struct model *m = NEW_TYPES("a/count");

	(void)state;
	ADD_VALUES(m, add_code(m, "f", 0x1010), INT64_MAX - 2);
	assert_written(text_write, m, 0, "a profile: total 9223372036854775805\n"
		       "9223372036854775805 @ 0x1011\n#\t0x1010\tf\ta.c:7\n\n" MAP);
	ADD_VALUES(m, 0, 2);
	assert_refused(text_write, m, 0, "2^63");
	model_free(m);
}

static void test_growth(void **state)
{
	struct model *m = NEW_TYPES("objects/count", "space/bytes");

	(void)state;
	ADD_VALUES(m, add_code(m, "f", 0x1010), 3, 300);
	assert_written(text_write, m, 0, "heap profile: 3: 300 [3: 300] @ growth\n"
		"3: 300 [3: 300] @ 0x1011\n#\t0x1010\tf\ta.c:7\n\n" MAP);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_empty_profile),
		cmocka_unit_test(test_no_code),
		cmocka_unit_test(test_heap),
		cmocka_unit_test(test_contentions),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_sums_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
