// SPDX-License-Identifier: GPL-2.0
// sources: collector/cli/options.c
// sources: collector/analysis/regex.c collector/analysis/re2_syntax.c
// sources: collector/analysis/re2_class.c collector/analysis/re2_escape.c
// sources: collector/analysis/filter.c collector/analysis/label_filter.c
// sources: collector/analysis/label_units.c collector/analysis/matcher.c
// sources: collector/analysis/name_filter.c collector/analysis/prune.c
// sources: collector/analysis/stack_edit.c collector/analysis/tag_filter.c
// sources: collector/analysis/tag_frames.c collector/analysis/unit.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/value_unit.c
// sources: collector/base/span_set.c collector/base/string_table.c
// sources: collector/base/utf8.c
// sources: collector/push/backend.c collector/push/push_labels.c collector/push/push_settings.c
// sources: collector/push/libcurl.c
// sources: collector/base/library.c collector/base/libgnutls.c
// sources: collector/push/auth_file.c collector/push/url_template.c
// libs: -lxxhash -lpcre2-8 -lm
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "analysis/regex.h"
#include "cli/options.h"
#include "pprof/profile_fault.h"

static void test_find_command(void **state)
{
	(void)state;
	assert_int_equal(options_find_command("audit"), OPTIONS_AUDIT);
	assert_int_equal(options_find_command("status"), OPTIONS_STATUS);
	assert_int_equal(options_find_command("doctor"), OPTIONS_DOCTOR);
	assert_int_equal(options_find_command("cfi"), OPTIONS_CFI);
	assert_int_equal(options_find_command("list"), OPTIONS_LIST);
	assert_int_equal(options_find_command("stat"), OPTIONS_PROFILE);
	assert_int_equal(options_find_command("statuses"), OPTIONS_PROFILE);
	assert_int_equal(options_find_command(""), OPTIONS_PROFILE);
}

/* Nothing is left of what was there. */
static void test_init(void **state)
{
	struct options c = { .stacks = true, .elf_files.nr = 3, .run.quiet = true };

	(void)state;
	options_init(&c, OPTIONS_CFI);
	assert_int_equal(c.command, OPTIONS_CFI);
	assert_false(c.stacks || c.run.quiet);
	assert_int_equal(c.elf_files.nr, 0);
	assert_int_equal(c.run.hz, 100);
	options_fini(&c);
}

static void test_fini(void **state)
{
	struct profile_fault fault;
	struct options c;

	(void)state;
	options_init(&c, OPTIONS_PROFILE);
	c.run.pids = malloc(sizeof(*c.run.pids));
	c.elf_files.items = malloc(sizeof(*c.elf_files.items));
	assert_int_equal(regex_new(&c.read.peek, "a", 1, &fault), 0);
	options_fini(&c);	/* LeakSanitizer checks the rest */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find_command),
		cmocka_unit_test(test_init),
		cmocka_unit_test(test_fini),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
