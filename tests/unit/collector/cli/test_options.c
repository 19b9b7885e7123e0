// SPDX-License-Identifier: GPL-2.0
// sources: collector/cli/options.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cli/options.h"

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
	struct options c;

	(void)state;
	options_init(&c, OPTIONS_PROFILE);
	c.run.pids = malloc(sizeof(*c.run.pids));
	c.elf_files.items = malloc(sizeof(*c.elf_files.items));
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
