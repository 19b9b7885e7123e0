// SPDX-License-Identifier: GPL-2.0
// sources: collector/cli/command_line.c collector/cli/options.c collector/cli/option_values.c
// sources: collector/cli/options_profile.c collector/cli/options_subcommands.c
// sources: collector/cli/options_files.c
// sources: collector/cli/keywords.c collector/pprof/frame_filter.c collector/base/utf8.c
// sources: collector/session/settings.c
// libs: -lm
#include "line.h"

static void test_files(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "merge a -o x - b");
	assert_int_equal(c.command, OPTIONS_MERGE);
	assert_int_equal(c.read.files.nr, 3);
	assert_string_equal(c.read.files.items[0], "a");
	assert_string_equal(c.read.files.items[1], "-");
	assert_string_equal(c.read.files.items[2], "b");
	assert_int_equal(c.read.bases.nr, 0);
	assert_string_equal(c.read.output, "x");
	options_fini(&c);
	parse(&c, &l, "check a");
	assert_int_equal(c.command, OPTIONS_CHECK);
	assert_int_equal(c.read.reader, READER_NONE);
	options_fini(&c);
	parse(&c, &l, "check a --for speedscope");
	assert_int_equal(c.read.reader, READER_SPEEDSCOPE);
	options_fini(&c);
}

/* One dash is as good as two, as for go tool pprof. */
static void test_one_dash(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "flame a -type=cpu -output x");
	assert_int_equal(c.command, OPTIONS_FLAME);
	assert_string_equal(c.read.type, "cpu");
	assert_string_equal(c.read.output, "x");
	assert_int_equal(c.read.files.nr, 1);
	options_fini(&c);
}

static void test_diff(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "diff old --normalize new -o x");
	assert_int_equal(c.command, OPTIONS_DIFF);
	assert_int_equal(c.read.bases.nr, 1);
	assert_string_equal(c.read.bases.items[0], "old");
	assert_int_equal(c.read.base_sign, MERGE_DIFF_BASE);
	assert_int_equal(c.read.files.nr, 1);
	assert_string_equal(c.read.files.items[0], "new");
	assert_true(c.read.normalize);
	options_fini(&c);
	parse(&c, &l, "diff old new flame -o x --type cpu");
	assert_int_equal(c.command, OPTIONS_FLAME);
	assert_string_equal(c.read.bases.items[0], "old");
	assert_string_equal(c.read.files.items[0], "new");
	assert_string_equal(c.read.type, "cpu");
	assert_string_equal(c.read.output, "x");
	assert_false(c.read.normalize);
	options_fini(&c);
}

static void test_wrong_lines(void **state)
{
	static const char *const lines[][2] = {
		{ "merge -o x", "name a profile" },
		{ "diff -o x", "name two profiles" }, { "diff a -o x", "name two profiles" },
		{ "diff a b c -o x", "'c': takes two profiles" },
		{ "diff a b audit", "'audit': takes two profiles" },
		{ "diff a b flame c -o x", "'c': takes two profiles" },
		{ "diff a b flame --normalize", "--normalize" },
		{ "merge a --type cpu", "--type" },
		{ "check a -o x", "'-o'" },
		{ "check --for go a", "must be parca, pyroscope or speedscope" },
	};
	struct capture out;

	(void)state;
	for (size_t i = 0; i < NR(lines); i++) {
		assert_int_equal(try(&out, STDERR_FILENO, lines[i][0]), 2);
		assert_non_null(strstr(out.text, lines[i][1]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_one_dash),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_wrong_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
