// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/folded_writer.c collector/formats/frame_stacks.c
// sources: collector/formats/named_frames.c collector/pprof/frame_name.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/base/span_set.c
// sources: collector/base/string_table.c collector/base/tuple_map.c collector/base/utf8.c
// libs: -lxxhash
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "formats/folded_writer.h"
#include "written.h"

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

static void test_stacks(void **state)
{
	struct model *m = *state;
	uint32_t main_ = add_location(m, "main", "/bin/p");
	uint32_t in = add_location(m, "leaf<-inlined<-outer", "/bin/p");

	add_sample(m, (uint32_t[]){ in, main_ }, 2, 2, NULL, NULL);
	add_sample(m, (uint32_t[]){ main_ }, 1, 1, NULL, NULL);
	assert_written(folded_write, m, 0, "main;outer;inlined;leaf 2\nmain 1\n");
	assert_written(folded_write, m, 1, "main;outer;inlined;leaf 2000\nmain 1000\n");
}

/* Labels, addresses and modules do not divide stacks; names do. */
static void test_equal_stacks_are_added(void **state)
{
	struct model *m = *state;
	uint32_t a = add_location(m, "f", "/bin/p"), b = add_location(m, "f", "/lib/l");

	add_sample(m, &a, 1, 1, "thread", "x");
	add_sample(m, &a, 1, 2, "thread", "y");
	add_sample(m, &b, 1, 4, NULL, NULL);
	assert_written(folded_write, m, 0, "f 7\n");
}

static void test_unknown_functions(void **state)
{
	struct model *m = *state;
	uint32_t a = add_location(m, "", "/lib/l.so");
	uint32_t b = model_add_location(m, &(struct model_location){ .mapping = MODEL_NONE },
					NULL, 0);
	uint32_t c = model_add_location(m, &(struct model_location){
		.mapping = m->locations.items[add_location(m, "x", "[vdso]")].mapping,
	}, NULL, 0);

	add_sample(m, (uint32_t[]){ a, b, c }, 3, 1, NULL, NULL);
	add_sample(m, NULL, 0, 5, NULL, NULL);
	assert_written(folded_write, m, 0, "<unknown> 5\n[vdso];<unknown>;[l.so] 1\n");
}

static void test_hostile_names(void **state)
{
	struct model *m = *state;
	uint32_t a = add_location(m, "a;b\nc\td\x1B[0m\xFF", NULL);
	uint32_t b = add_location(m, "x 12", NULL), c = add_location(m, "x 1.5;", NULL);
	struct model_function f = { .name = model_add_string(m, "nul\0nul", 7) };
	uint32_t d = model_add_location(m, &(struct model_location){ .mapping = MODEL_NONE },
		&(struct model_line){ .function = model_add_function(m, &f) }, 1);

	add_sample(m, (uint32_t[]){ b, a }, 2, 1, NULL, NULL);
	add_sample(m, (uint32_t[]){ c }, 1, 2, NULL, NULL);
	add_sample(m, (uint32_t[]){ d }, 1, 3, NULL, NULL);
	assert_written(folded_write, m, 0,
		       "a:b c d [0m?;x_12 1\nx 1.5: 2\nnul nul 3\n");
}

static void test_values(void **state)
{
	struct model *m = *state;
	uint32_t a = add_location(m, "a", NULL), b = add_location(m, "b", NULL);
	struct model_sample s = { .stack = model_add_stack(m, &a, 1) };

	assert_written(folded_write, m, 0, "");
	assert_int_equal(model_add_sample(m, &s, (int64_t[]){ INT64_MAX, 0 }), 0);
	add_sample(m, &b, 1, 0, NULL, NULL);
	assert_written(folded_write, m, 0, "a 9223372036854775807\n");
	assert_written(folded_write, m, 1, "");
	assert_int_equal(model_add_sample(m, &s, (int64_t[]){ 1, -1 }), 0);
	assert_refused(folded_write, m, 0, "2^63");
	assert_refused(folded_write, m, 1, "negative");
}

/* A part of a sum may be negative. */
static void test_negative_parts(void **state)
{
	struct model *m = *state;
	uint32_t a = add_location(m, "a", NULL);

	add_sample(m, &a, 1, -2, "thread", "x");
	add_sample(m, &a, 1, 5, "thread", "y");
	assert_written(folded_write, m, 0, "a 3\n");
}

static void test_comparison(void **state)
{
	struct model *m = *state;
	uint32_t a = add_location(m, "a", NULL), b = add_location(m, "b", NULL);
	uint32_t c = add_location(m, "c", NULL);

	add_sample(m, &a, 1, 3, NULL, NULL);
	add_sample(m, &a, 1, -1, "pprof::base", "true");
	add_sample(m, &b, 1, -2, "pprof::base", "true");
	add_sample(m, &c, 1, 4, NULL, NULL);
	assert_written(folded_write, m, 0, "a 1 3\nb 2 0\nc 0 4\n");
	add_sample(m, &c, 1, 4, "pprof::base", "true");
	assert_refused(folded_write, m, 0, "negative");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_stacks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_equal_stacks_are_added, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown_functions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hostile_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_values, setup, teardown),
		cmocka_unit_test_setup_teardown(test_negative_parts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_comparison, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
