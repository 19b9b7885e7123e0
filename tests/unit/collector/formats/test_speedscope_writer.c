// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/speedscope_writer.c collector/formats/frame_stacks.c
// sources: collector/formats/named_frames.c collector/pprof/frame_name.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/base/span_set.c
// sources: collector/base/string_table.c collector/base/tuple_map.c collector/base/utf8.c
// sources: collector/base/json.c collector/pprof/value_unit.c
// libs: -lxxhash -lm
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "formats/speedscope_writer.h"
#include "written.h"

#define HEAD(type)	"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n" \
	"\"exporter\":\"pprof-collect@" VERSION "\",\"activeProfileIndex\":" #type ",\n"

static int setup(void **state)
{
	*state = new_model();
	return 0;
}

static int teardown(void **state)
{
	model_free(*state);
	return 0;
}

static void test_file(void **state)
{
	struct model *m = *state;
	uint32_t a = add_location(m, "main", "/bin/p"), b = add_location(m, "in<-out", "/bin/p");

	m->functions.items[0].start_line = 7;
	add_sample(m, (uint32_t[]){ b, a }, 2, 2, "thread", "x");
	add_sample(m, (uint32_t[]){ b, a }, 2, 3, "thread", "y");
	add_sample(m, &a, 1, 0, NULL, NULL);
	assert_written(speedscope_write, m, 1, HEAD(1)
		       "\"shared\":{\"frames\":[\n"
		       "{\"name\":\"main\",\"file\":\"a.c\",\"line\":7},\n"
		       "{\"name\":\"in\",\"file\":\"a.c\"},\n"
		       "{\"name\":\"out\",\"file\":\"a.c\"}]},\n"
		       "\"profiles\":[\n"
		       "{\"type\":\"sampled\",\"name\":\"samples\",\"unit\":\"none\",\"startValue\":0,"
		       "\"endValue\":5,\"samples\":[\n[0,2,1]],\"weights\":[5]},\n"
		       "{\"type\":\"sampled\",\"name\":\"cpu\",\"unit\":\"nanoseconds\","
		       "\"startValue\":0,\"endValue\":5000,\"samples\":[\n[0,2,1]],"
		       "\"weights\":[5000]}]}\n");
}

static void test_empty_profile(void **state)
{
	assert_written(speedscope_write, *state, 0, HEAD(0)
		       "\"shared\":{\"frames\":[]},\n\"profiles\":[\n"
		       "{\"type\":\"sampled\",\"name\":\"samples\",\"unit\":\"none\",\"startValue\":0,"
		       "\"endValue\":0,\"samples\":[],\"weights\":[]},\n"
		       "{\"type\":\"sampled\",\"name\":\"cpu\",\"unit\":\"nanoseconds\","
		       "\"startValue\":0,\"endValue\":0,\"samples\":[],\"weights\":[]}]}\n");
}

static void test_hostile_names(void **state)
{
	struct model *m = *state;
	struct model_function f = {
		.name = model_add_string(m, "a\0\"\xFF", 4), .file = add_text(m, "\\\n"),
	};
	uint32_t a = model_add_location(m, &(struct model_location){ .mapping = MODEL_NONE },
		&(struct model_line){ .function = model_add_function(m, &f) }, 1);

	m->sample_types.nr = 1;
	m->sample_types.items[0].type = add_text(m, "a\"b");
	m->sample_types.items[0].unit = add_text(m, "Bytes");
	model_add_sample(m, &(struct model_sample){ .stack = model_add_stack(m, &a, 1) },
			 (int64_t[]){ 1 });
	assert_written(speedscope_write, m, 0, HEAD(0)
		       "\"shared\":{\"frames\":[\n"
		       "{\"name\":\"a\\u0000\\\"" BAD "\",\"file\":\"\\\\\\u000a\"}]},\n"
		       "\"profiles\":[\n{\"type\":\"sampled\",\"name\":\"a\\\"b\",\"unit\":\"bytes\","
		       "\"startValue\":0,\"endValue\":1,\"samples\":[\n[0]],\"weights\":[1]}]}\n");
}

/* Without the last digits the values would be those that a double holds. */
static void test_large_values(void **state)
{
	struct model *m = *state;
	uint32_t a = add_location(m, "a", NULL), b = add_location(m, "b", NULL);
	size_t len;
	int err;
	char *text;

	m->sample_types.nr = 1;
	for (int i = 0; i < 2; i++) {
		struct model_sample s = { .stack = model_add_stack(m, i ? &a : &b, 1) };

		model_add_sample(m, &s, (int64_t[]){ INT64_MAX });
	}
	text = write_model(speedscope_write, m, 0, &len, &err);
	assert_int_equal(err, 0);
	assert_non_null(strstr(text, "\"weights\":[9223372036854775807,9223372036854775807]"));
	assert_non_null(strstr(text, "\"endValue\":18446744073709551614,"));
	free(text);
}

static void test_negative_values(void **state)
{
	struct model *m = *state;
	uint32_t a = add_location(m, "a", NULL);
	struct model_sample s = { .stack = model_add_stack(m, &a, 1) };

	assert_int_equal(model_add_sample(m, &s, (int64_t[]){ 1, -1 }), 0);
	assert_refused(speedscope_write, m, 0, "negative");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_empty_profile, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hostile_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_large_values, setup, teardown),
		cmocka_unit_test_setup_teardown(test_negative_values, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
