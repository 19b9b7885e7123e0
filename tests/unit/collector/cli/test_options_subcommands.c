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

static void test_list(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "list --pid 12");
	assert_int_equal(c.command, OPTIONS_LIST);
	assert_int_equal(c.run.pids[0], 12);
	options_fini(&c);
}

static void test_audit(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "audit");
	assert_int_equal(c.command, OPTIONS_AUDIT);
	assert_int_equal(c.run.nr_pids, 0);
	assert_false(c.stacks || c.json || c.comm);
	options_fini(&c);
	parse(&c, &l, "audit --pid 5 --comm name --stacks --json --seconds 2 -p 6");
	assert_int_equal(c.command, OPTIONS_AUDIT);
	assert_int_equal(c.run.nr_pids, 1);
	assert_int_equal(c.run.pids[0], 6);
	assert_string_equal(c.comm, "name");
	assert_true(c.stacks && c.json);
	assert_int_equal(c.run.duration_ns, 2000000000);
	options_fini(&c);
}

static void test_status(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "status");
	assert_int_equal(c.command, OPTIONS_STATUS);
	options_fini(&c);
}

static void test_doctor(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "doctor");
	assert_int_equal(c.command, OPTIONS_DOCTOR);
	assert_int_equal(c.run.nr_pids, 0);
	options_fini(&c);
	parse(&c, &l, "doctor --pid 7 -p 8");
	assert_int_equal(c.run.nr_pids, 1);
	assert_int_equal(c.run.pids[0], 8);
	options_fini(&c);
}

static void test_cfi(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "cfi a");
	assert_int_equal(c.command, OPTIONS_CFI);
	assert_int_equal(c.elf_files.nr, 1);
	assert_string_equal(c.elf_files.items[0], "a");
	assert_false(c.check);
	options_fini(&c);
	parse(&c, &l, "cfi a --check b -- --check");
	assert_int_equal(c.elf_files.nr, 3);
	assert_string_equal(c.elf_files.items[1], "b");
	assert_string_equal(c.elf_files.items[2], "--check");
	assert_true(c.check);
	options_fini(&c);
}

static const char *const bad_lines[][2] = {
	{ "audit -p 1,2", "--pid '1,2'" },
	{ "audit -s 0", "--seconds '0'" },
	{ "audit more", "audit 'more'" },
	{ "status more", "status 'more'" },
	{ "doctor more", "doctor 'more'" }, { "doctor --pid 1,2", "--pid '1,2'" },
	{ "list", "give --pid PID" },
	{ "list --pid 12 x", "list 'x': takes only --pid PID" },
	{ "cfi --check", "nothing to compile" },
};

static void test_bad_values(void **state)
{
	(void)state;
	assert_refused(bad_lines, NR(bad_lines));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_audit),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_doctor),
		cmocka_unit_test(test_cfi),
		cmocka_unit_test(test_bad_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
