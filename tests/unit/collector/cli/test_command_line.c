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
#include "aggregate/profile_types.h"
#include "line.h"

static void test_defaults(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "--pid 1234");
	assert_int_equal(c.command, OPTIONS_PROFILE);
	assert_int_equal(c.run.nr_pids, 1);
	assert_int_equal(c.run.pids[0], 1234);
	assert_int_equal(c.run.duration_ns, 0);
	assert_int_equal(c.run.profile_types, 1U << PROFILE_TYPE_CPU);
	assert_int_equal(c.run.hz, 100);
	assert_int_equal(c.run.labels, 0);
	assert_int_equal(c.run.buffer_pages, 128);
	assert_int_equal(c.run.max_stacks, 1000000);
	assert_int_equal(c.run.max_frames, 127);
	assert_true(c.run.tables);
	assert_null(c.run.output);
	assert_null(c.run.program);
	assert_false(c.run.all || c.run.children || c.run.quiet);
	assert_int_equal(c.run.debug, 0);
	assert_null(c.run.drop_frames);
	assert_null(c.run.keep_frames);
	options_fini(&c);
}

/* argp says those, and how to get help in a second line. */
static void test_bad_options(void **state)
{
	static const char *const lines[][2] = {
		{ "-a --nonsense", "--nonsense" },
		{ "-a -X", "'X'" },
		{ "-p", "'p'" },
		{ "-a --quiet=yes", "--quiet" },
		{ "audit --hz 5", "--hz" },
		{ "status --json", "--json" }, { "cfi --json f", "--json" },
	};
	struct capture out;

	(void)state;
	for (size_t i = 0; i < NR(lines); i++) {
		assert_int_equal(try(&out, STDERR_FILENO, lines[i][0]), 2);
		assert_non_null(strstr(out.text, lines[i][1]));
	}
}

static void test_help(void **state)
{
	static const char *const lines[][2] = {
		{ "--help", "--buffer-pages" }, { "--help", "COMMAND" }, { "--usage", "--pid" },
		{ "audit --help", "--stacks" }, { "status --help", "List the sessions" },
		{ "cfi --help", "--check" }, { "doctor --help", "--pid" },
		{ "merge --help", "--output" },
		{ "--version", "pprof-collect" },
	};
	struct capture out;

	(void)state;
	for (size_t i = 0; i < NR(lines); i++) {
		assert_int_equal(try(&out, STDOUT_FILENO, lines[i][0]), 0);
		assert_non_null(strstr(out.text, lines[i][1]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_bad_options),
		cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
