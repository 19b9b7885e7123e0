// SPDX-License-Identifier: GPL-2.0
// sources: collector/report/profile_comments.c collector/device/end_reason.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/profile_comments.h"

static void assert_comments(const struct profile_comments_input *in, const char *const *want)
{
	struct profile_comments c;
	int nr = 0;

	profile_comments_fill(&c, in);
	for (; want[nr]; nr++) {
		assert_non_null(c.list[nr]);
		assert_string_equal(c.list[nr], want[nr]);
	}
	assert_null(c.list[nr]);
}

static void test_nothing_to_say(void **state)
{
	static const struct aggregator_counts counts = { .consumed = 9, .ignored = 2 };
	static const char *const want[] = { "lost: 0", NULL };
	const struct profile_comments_input input = {
		.counts = &counts, .period_ns = 100000, .slowest_ns = 100000,
	};

	(void)state;
	assert_comments(&input, want);
}

static void test_everything(void **state)
{
	static const struct aggregator_counts counts = {
		.truncated = { [PPROF_END_FAULT] = 7, [PPROF_END_NO_RULE] = 8 },
		.over_max = 1, .guessed = 2, .stale = 3, .untracked = 9,
	};
	static const char *const want[] = {
		"lost: 5", "lost to --max-stacks: 1",
		"lost records of mappings and processes: 6: some names may be wrong",
		"lost frees: 7: less memory is in use than shown",
		"allocations whose free is not reported: 9: more memory may be in use than shown",
		"overload: the rate fell from 10000 to 2500 Hz, and samples count more",
		"unwind tables that the module refused: 4",
		"unopened files, whose code has no symbols: 9",
		"callers guessed by frame pointers: 2", "sampled before new mappings were known: 3",
		"[truncated: stack not readable]: 7", "[truncated: no unwind information]: 8", NULL,
	};
	static const struct profile_comments_input in = {
		.counts = &counts,
		.lost = 5,
		.lost_events = 6,
		.lost_frees = 7,
		.refused_tables = 4,
		.unopened_files = 9,
		.period_ns = 100000,
		.slowest_ns = 400000,
	};

	(void)state;
	assert_comments(&in, want);
}

/* Each end reason has a comment, and there is room for all of them. */
static void test_all_reasons(void **state)
{
	struct aggregator_counts counts = { .over_max = 1, .guessed = 1, .stale = 1,
					 .untracked = 1 };
	struct profile_comments_input in = { .counts = &counts, .lost_events = 1, .lost_frees = 1,
					.refused_tables = 1, .unopened_files = 1,
					.period_ns = 1, .slowest_ns = 1024 };
	struct profile_comments c;

	(void)state;
	for (int end = 0; end < PPROF_NR_END_REASONS; end++)
		counts.truncated[end] = 1;
	profile_comments_fill(&c, &in);
	assert_int_equal(c.nr, 10 + PPROF_NR_END_REASONS);
	assert_null(c.list[c.nr]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_to_say),
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_all_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
