// SPDX-License-Identifier: GPL-2.0
// sources: collector/cli/command_line.c collector/cli/options.c collector/cli/option_values.c
// sources: collector/cli/options_profile.c collector/cli/options_subcommands.c
// sources: collector/cli/options_files.c
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
// sources: collector/cli/options_serve.c collector/http/listen_address.c
// libs: -lm -lxxhash -lpcre2-8
#include "line.h"

static void test_run(void **state)
{
	const struct push_backend *b;
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "--pid 1 --push pyroscope=http://a --push-auth x --push-tenant t --push-ca y "
	      "--push s3=https://b/c/d --push-cert v --push-key w --push-region r");
	assert_int_equal(c.push.nr, 2);
	b = c.push.backends;
	assert_int_equal(b[0].kind, PUSH_PYROSCOPE);
	assert_string_equal(b[0].auth_file, "x");
	assert_string_equal(b[0].tenant, "t");
	assert_string_equal(b[0].ca_file, "y");
	assert_null(b[0].cert_file);
	assert_null(b[0].region);
	assert_int_equal(b[1].kind, PUSH_S3);
	assert_null(b[1].auth_file);
	assert_null(b[1].tenant);
	assert_null(b[1].ca_file);
	assert_string_equal(b[1].cert_file, "v");
	assert_string_equal(b[1].key_file, "w");
	assert_string_equal(b[1].region, "r");
	options_fini(&c);
	parse(&c, &l, "--pid 1 --push http=http://a/ --label a=b --label team=c --push-spool dir");
	assert_int_equal(c.push.labels.nr, 2);
	assert_string_equal(push_labels_get(&c.push.labels, "team"), "c");
	assert_string_equal(c.push.spool, "dir");
	options_fini(&c);
}

static void test_files(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "push a --to http=http://a/ b --push-auth x --label k=v -");
	assert_int_equal(c.command, OPTIONS_PUSH);
	assert_int_equal(c.read.files.nr, 3);
	assert_string_equal(c.read.files.items[1], "b");
	assert_int_equal(c.push.nr, 1);
	assert_string_equal(c.push.backends[0].auth_file, "x");
	assert_int_equal(c.push.labels.nr, 1);
	options_fini(&c);
}

static const char *const bad_lines[][2] = {
	{ "push a", "give --to KIND=URL" },
	{ "push --to http=http://a/", "name a profile" },
	{ "push a --to http://a", "is no backend" },
	{ "push a --push-auth x --to http=http://a/", "--push-auth 'x': is for the backend before" },
	{ "push a --to http=http://a/ --push-tenant \xc3\xa9", "a word of ASCII" },
	{ "push a --to http=http://a/ --label x", "--label 'x'" },
	{ "--pid 1 --push-region x --push http=http://a/", "name that first" },
	{ "--pid 1 --label a=b", "give --push KIND=URL" },
	{ "--pid 1 --push-spool x", "give --push KIND=URL" },
	{ "--pid 1 --push http=http://a/ --debug 1", "leave --debug out" },
	{ "--pid 1 --push http=http://a/ -o -", "leave '--output -' out" },
};

static void test_bad_values(void **state)
{
	(void)state;
	assert_refused(bad_lines, NR(bad_lines));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run), cmocka_unit_test(test_files),
		cmocka_unit_test(test_bad_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
