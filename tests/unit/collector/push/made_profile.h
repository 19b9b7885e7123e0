/* SPDX-License-Identifier: GPL-2.0 */
/* Profiles for tests: sample types by name, and two samples, without stacks. */
#ifndef TESTS_UNIT_PUSH_MADE_PROFILE_H
#define TESTS_UNIT_PUSH_MADE_PROFILE_H

#include <string.h>

#include "pprof/model.h"

static inline uint32_t made_string(struct model *m, const char *text)
{
	int64_t string = model_add_string(m, text, strlen(text));

	assert_true(string >= 0);
	return string;
}

/*
 * types is a list of name and unit for each type, ended by NULL. The values of the first sample are
 * 1, 2, ..., those of the second one 101, 102, ...
 */
static inline struct model *made_profile(const char *const *types, const char *period_type,
					 int64_t period)
{
	struct model *m = model_new();
	int64_t values[2][8];

	assert_non_null(m);
	for (int i = 0; i < 8; i++) {
		values[0][i] = 1 + i;
		values[1][i] = 101 + i;
	}
	for (; *types; types += 2)
		assert_int_equal(model_add_sample_type(m, &(struct model_value_type){
			made_string(m, types[0]), made_string(m, types[1]) }), 0);
	m->period_type = (struct model_value_type){ made_string(m, period_type),
						    made_string(m, "nanoseconds") };
	m->period = period;
	for (int i = 0; i < 2; i++)
		assert_int_equal(model_add_sample(m, &(struct model_sample){ 0 }, values[i]), 0);
	return m;
}

static inline void assert_type(const struct model *m, size_t i, const char *name, const char *unit)
{
	assert_in_range(i, 0, m->sample_types.nr - 1);
	assert_string_equal(model_string(m, m->sample_types.items[i].type), name);
	assert_string_equal(model_string(m, m->sample_types.items[i].unit), unit);
}

#endif /* TESTS_UNIT_PUSH_MADE_PROFILE_H */
