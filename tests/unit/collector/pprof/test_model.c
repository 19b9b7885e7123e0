// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/model.c collector/base/span_set.c collector/base/string_table.c
// libs: -lxxhash
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pprof/model.h"

static int setup(void **state)
{
	*state = model_new();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	model_free(*state);
	return 0;
}

static uint32_t string(struct model *m, const char *s)
{
	int64_t index = model_add_string(m, s, strlen(s));

	assert_true(index >= 0);
	return index;
}

static void add_type(struct model *m, const char *name)
{
	struct model_value_type type = { string(m, name), string(m, "count") };

	assert_int_equal(model_add_sample_type(m, &type), 0);
}

static void test_lines_of_locations(void **state)
{
	struct model_line lines[] = { { .line = 1 }, { .line = 2 }, { .line = 3 } };
	struct model_location l = { .address = 0x10, .mapping = MODEL_NONE };
	struct model *m = *state;

	assert_int_equal(model_add_location(m, &l, lines, 2), 0);
	assert_int_equal(model_add_location(m, &l, NULL, 0), 1);
	assert_int_equal(model_add_location(m, &l, lines + 2, 1), 2);
	assert_int_equal(m->locations.items[1].nr_lines, 0);
	assert_int_equal(model_lines(m, &m->locations.items[0])[1].line, 2);
	assert_int_equal(model_lines(m, &m->locations.items[2])[0].line, 3);
}

/* Texts before numbers, each sorted by key; values of a key stay in order. */
static void test_labels_are_sorted(void **state)
{
	struct model *m = *state;
	struct model_label z = { .key = string(m, "z"), .str = string(m, "1") };
	struct model_label z2 = { .key = z.key, .str = string(m, "0") };
	struct model_label a = { .key = string(m, "a"), .str = z.str };
	struct model_label n = { .key = a.key, .num = 5, .is_number = 1 };
	struct model_label in[] = { n, z, z2, a }, again[] = { z, z2, a, n }, other[] = { z2, z };
	const struct model_label *out;
	uint32_t nr;

	assert_int_equal(model_add_label_set(m, in, 4), 1);
	assert_int_equal(model_add_label_set(m, again, 4), 1);
	assert_int_equal(model_add_label_set(m, other, 2), 2);
	assert_int_equal(model_add_label_set(m, NULL, 0), 0);
	out = model_labels(m, 1, &nr);
	assert_int_equal(nr, 4);
	assert_memory_equal(&out[0], &a, sizeof(a));
	assert_memory_equal(&out[1], &z, sizeof(z));
	assert_memory_equal(&out[2], &z2, sizeof(z2));
	assert_memory_equal(&out[3], &n, sizeof(n));
}

static bool is_odd(const struct model *m, size_t sample, void *ctx)
{
	(void)ctx;
	return model_values(m, sample)[0] % 2;
}

static void test_some_samples_are_kept(void **state)
{
	struct model *m = *state;

	add_type(m, "a");
	add_type(m, "b");
	for (uint32_t i = 0; i < 100; i++) {
		int64_t stack = model_add_stack(m, &i, 1), values[] = { i, -(int64_t)i };
		struct model_sample s = { .stack = stack };

		assert_int_equal(model_add_sample(m, &s, values), 0);
	}
	assert_int_equal(model_keep_samples(m, is_odd, NULL), 50);
	assert_int_equal(m->samples.nr, 50);
	assert_int_equal(m->samples.items[49].stack, 100);
	assert_int_equal(model_values(m, 49)[0], 99);
	assert_int_equal(model_values(m, 49)[1], -99);
}

static void test_sample_types_by_name(void **state)
{
	struct model *m = *state;

	assert_int_equal(model_default_sample_type(m), -ENOENT);
	add_type(m, "objects");
	add_type(m, "space");
	assert_int_equal(model_find_sample_type(m, "objects"), 0);
	assert_int_equal(model_find_sample_type(m, "inuse_space"), 1);
	assert_int_equal(model_find_sample_type(m, "inuse"), -ENOENT);
	assert_int_equal(model_find_sample_type(m, "0"), 0);
	assert_int_equal(model_find_sample_type(m, "+01"), 1);
	assert_int_equal(model_find_sample_type(m, "2"), -ENOENT);
	assert_int_equal(model_find_sample_type(m, "-1"), -ENOENT);
	assert_int_equal(model_find_sample_type(m, "1x"), -ENOENT);
	assert_int_equal(model_find_sample_type(m, ""), -ENOENT);
	assert_int_equal(model_default_sample_type(m), 1);
	m->default_sample_type = string(m, "objects");
	assert_int_equal(model_default_sample_type(m), 0);
	m->default_sample_type = string(m, "missing");
	assert_int_equal(model_default_sample_type(m), 1);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

/* A number with the key is no text, and a value is compared with all labels of the key. */
static void test_texts_of_a_label_set(void **state)
{
	struct model *m = *state;
	struct model_label labels[] = {
		{ .key = string(m, "base"), .str = string(m, "no") },
		{ .key = string(m, "base"), .str = string(m, "true") },
		{ .key = string(m, "tid"), .num = 7, .is_number = 1 },
	};
	int64_t set = model_add_label_set(m, labels, 3);

	assert_true(set > 0);
	assert_true(model_has_text(m, set, "base", NULL));
	assert_true(model_has_text(m, set, "base", "true"));
	assert_false(model_has_text(m, set, "base", "yes"));
	assert_false(model_has_text(m, set, "tid", NULL));
	assert_false(model_has_text(m, 0, "base", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_lines_of_locations),
		WITH_SETUP(test_labels_are_sorted),
		WITH_SETUP(test_texts_of_a_label_set),
		WITH_SETUP(test_some_samples_are_kept),
		WITH_SETUP(test_sample_types_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
