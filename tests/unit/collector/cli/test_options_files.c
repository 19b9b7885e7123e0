// SPDX-License-Identifier: GPL-2.0
// sources: collector/cli/command_line.c collector/cli/options.c collector/cli/option_values.c
// sources: collector/cli/options_profile.c collector/cli/options_subcommands.c
// sources: collector/cli/options_files.c
// sources: collector/cli/options_serve.c collector/http/listen_address.c
// sources: collector/cli/keywords.c collector/pprof/frame_filter.c collector/base/utf8.c
// sources: collector/session/settings.c
// sources: collector/analysis/regex.c collector/analysis/re2_syntax.c
// sources: collector/analysis/re2_class.c collector/analysis/re2_escape.c
// sources: collector/analysis/filter.c collector/analysis/label_filter.c
// sources: collector/analysis/label_units.c collector/analysis/matcher.c
// sources: collector/analysis/name_filter.c collector/analysis/prune.c
// sources: collector/analysis/stack_edit.c collector/analysis/tag_filter.c
// sources: collector/analysis/tag_frames.c collector/analysis/unit.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/value_unit.c
// sources: collector/base/span_set.c collector/base/string_table.c
// sources: collector/push/backend.c collector/push/push_labels.c collector/push/push_settings.c
// sources: collector/push/libcurl.c
// sources: collector/base/library.c collector/base/libgnutls.c
// sources: collector/push/auth_file.c collector/push/url_template.c
// sources: collector/cli/options_push.c
// libs: -lm -lxxhash -lpcre2-8
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
	parse(&c, &l, "convert a --to folded --type cpu");
	assert_int_equal(c.command, OPTIONS_CONVERT);
	assert_string_equal(c.read.format, "folded");
	assert_string_equal(c.read.type, "cpu");
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

static void test_report(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "top a");
	assert_int_equal(c.command, OPTIONS_TOP);
	assert_false(c.read.graph.is_by_cum || c.read.is_mean || c.read.is_relative);
	assert_int_equal(c.read.graph.max_nodes, 0);
	assert_true(c.read.graph.node_fraction == 0.005);
	assert_int_equal(c.read.frames.level, GRANULARITY_FUNCTIONS);
	options_fini(&c);
	parse(&c, &l, "tree a -cum -n 5 -nodefraction=0 -edgefraction 1 -lines -noinlines -unit ms");
	assert_true(c.read.graph.is_by_cum);
	assert_int_equal(c.read.graph.max_nodes, 5);
	assert_true(c.read.graph.node_fraction == 0 && c.read.graph.edge_fraction == 1);
	assert_int_equal(c.read.frames.level, GRANULARITY_LINES);
	assert_true(c.read.frames.omits_inlined);
	assert_string_equal(c.read.unit, "ms");
	options_fini(&c);
	parse(&c, &l, "tree a");
	assert_int_equal(c.read.graph.max_nodes, 80);
	options_fini(&c);
	parse(&c, &l, "peek main a b --base c --base d --mean");
	assert_non_null(c.read.peek);
	assert_int_equal(c.read.files.nr, 2);
	assert_int_equal(c.read.bases.nr, 2);
	assert_int_equal(c.read.base_sign, MERGE_BASE);
	assert_true(c.read.is_mean && c.read.graph.node_fraction == 0);
	options_fini(&c);
}

/* More of go tool pprof, which it names with underscores. */
static void test_report_as_in_go(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "tree a -trim=false -n 5 -divide_by=2.5 -compact_labels -trim_path=/x:/y -cum -flat");
	assert_int_equal(c.read.graph.max_nodes, 0);
	assert_true(c.read.graph.node_fraction == 0 && c.read.graph.edge_fraction == 0);
	assert_true(c.read.divisor == 2.5);
	assert_true(c.read.graph.is_compact && !c.read.graph.is_by_cum);
	assert_string_equal(c.read.graph.trim_path, "/x:/y");
	options_fini(&c);
	parse(&c, &l, "top a --trim true -alloc_objects");
	assert_true(c.read.graph.node_fraction == 0.005);
	assert_string_equal(c.read.type, "alloc_objects");
	assert_false(c.read.is_mean);
	options_fini(&c);
	parse(&c, &l, "tags a -total_delay");
	assert_string_equal(c.read.type, "delay");
	assert_false(c.read.is_mean);
	options_fini(&c);
	parse(&c, &l, "tags a -mean_delay");
	assert_string_equal(c.read.type, "delay");
	assert_true(c.read.is_mean);
	options_fini(&c);
}

/* Names are those of pprof, and those with dashes. */
static void test_filters(void **state)
{
	static const char *const lines[] = {
		"filter a --show_from=x --tagfocus k=1:2 --all_frames",
		"filter a --show-from x -tagfocus=k=1:2 --all-frames",
	};
	struct options c;
	struct line l;

	(void)state;
	for (size_t i = 0; i < NR(lines); i++) {
		parse(&c, &l, lines[i]);
		assert_int_equal(c.command, OPTIONS_FILTER);
		assert_string_equal(c.read.filters.expressions[FILTER_SHOW_FROM], "x");
		assert_string_equal(c.read.filters.expressions[FILTER_TAGFOCUS], "k=1:2");
		assert_true(c.read.filters.all_frames);
		assert_int_equal(filter_ranges(c.read.filter), 1U << FILTER_TAGFOCUS);
		options_fini(&c);
	}
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
		{ "diff a b comments", "'comments': takes two profiles" },
		{ "diff a b top --base c", "'c': diff has a base" },
		{ "top a --normalize", "--normalize needs a base" },
		{ "top a --base b --diff-base c", "either --base or --diff-base" },
		{ "top a --nodefraction 2", "--nodefraction '2': must be a number from 0 to 1" },
		{ "top a --nodecount -1", "--nodecount '-1'" },
		{ "top a --edgefraction 1", "--edgefraction" },
		{ "top a --trim no", "--trim 'no': must be true or false" },
		{ "top a --divide-by 0", "--divide-by '0': must be a number above 0" },
		{ "top a --divide-by 1e-320", "must be a number above 0" },
		{ "top a --focus (", "--focus: the regular expression has a (" },
		{ "peek", "give an expression" }, { "peek a", "name a profile" },
		{ "peek ( b", "peek '('" },
		{ "comments a --focus b", "--focus" },
		{ "convert a -o x", "give --to FORMAT" },
		{ "convert a --to perf", "'perf': must be folded, " },
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
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_report_as_in_go),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_wrong_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
