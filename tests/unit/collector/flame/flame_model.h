/* SPDX-License-Identifier: GPL-2.0 */
/* Makes models for tests of flame graphs. Include it after cmocka.h. */
#ifndef TESTS_FLAME_MODEL_H
#define TESTS_FLAME_MODEL_H

#include <string.h>

#include "pprof/model.h"

static uint32_t add_text(struct model *m, const char *s)
{
	int64_t id = model_add_string(m, s, strlen(s));

	assert_true(id >= 0);
	return id;
}

/* Adds the types samples/count and cpu/nanoseconds. */
static void add_types(struct model *m)
{
	struct model_value_type samples = { add_text(m, "samples"), add_text(m, "count") };
	struct model_value_type cpu = { add_text(m, "cpu"), add_text(m, "nanoseconds") };

	assert_int_equal(model_add_sample_type(m, &samples), 0);
	assert_int_equal(model_add_sample_type(m, &cpu), 0);
}

/*
 * Adds a location of the functions in names, innermost first, divided by "<-". The mapping has this
 * file; NULL: none.
 */
static uint32_t add_location(struct model *m, const char *names, const char *file)
{
	struct model_location location = { .mapping = MODEL_NONE };
	struct model_line lines[8] = { 0 };
	size_t nr = 0;
	int64_t id;

	if (file) {
		struct model_mapping mapping = { .file = add_text(m, file) };

		location.mapping = model_add_mapping(m, &mapping);
	}
	for (const char *at = names, *next; at; at = next ? next + 2 : NULL) {
		struct model_function f = { .file = add_text(m, "a.c") };

		next = strstr(at, "<-");
		f.name = model_add_string(m, at, next ? (size_t)(next - at) : strlen(at));
		lines[nr++].function = model_add_function(m, &f);
	}
	id = model_add_location(m, &location, lines, nr);
	assert_true(id >= 0);
	return id;
}

/* Adds a sample with values count and 1000 * count, and at most one label. */
static void add_sample(struct model *m, const uint32_t *stack, size_t nr, int64_t count,
		       const char *key, const char *value)
{
	int64_t values[] = { count, 1000 * count };
	struct model_label label = { 0 };
	struct model_sample s = { .stack = model_add_stack(m, stack, nr) };

	if (key) {
		label.key = add_text(m, key);
		label.str = add_text(m, value);
		s.label_set = model_add_label_set(m, &label, 1);
	}
	assert_int_equal(model_add_sample(m, &s, values), 0);
}

#endif /* TESTS_FLAME_MODEL_H */
