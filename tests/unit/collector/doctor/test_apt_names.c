// SPDX-License-Identifier: GPL-2.0
// sources: collector/doctor/apt_names.c
// libs:
/* An apt-cache of this file's making answers. */
#include <stdlib.h>
#include <sys/stat.h>

#include "doctor/apt_names.h"
#include "folder.h"

static char names[256];

static void take(void *ctx, const char *name)
{
	assert_ptr_equal(ctx, names);
	snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s;", name);
}

static void make_apt_cache(const char *script)
{
	write_file("apt-cache", script);
	assert_int_equal(chmod("apt-cache", 0755), 0);
}

static int begin(void **state)
{
	(void)state;
	*names = 0;
	return setenv("PATH", folder, 1);
}

static void test_names(void **state)
{
	(void)state;
	make_apt_cache("#!/bin/sh\necho \"$1\"; echo \"$2\"; echo b >&2\n");
	assert_int_equal(apt_names_each("linux-6.1+x", take, names), 0);
	assert_string_equal(names, "pkgnames;linux-6.1+x;");
}

static void test_failure(void **state)
{
	(void)state;
	make_apt_cache("#!/bin/sh\necho a\nexit 100\n");
	assert_int_equal(apt_names_each("a", take, names), -1);
	assert_int_equal(remove("apt-cache"), 0);
	assert_int_equal(apt_names_each("a", take, names), -1);
}

/* A kernel's release is free text: the shell must not read it as a command. */
static void test_prefix_that_is_no_name(void **state)
{
	static const char *const prefixes[] = { "a;b", "a b", "$(a)", "a\nb", "-a", "A`" };

	(void)state;
	make_apt_cache("#!/bin/sh\necho a\n");
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		assert_int_equal(apt_names_each(prefixes[i], take, names), -1);
	assert_string_equal(names, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_names, begin),
		cmocka_unit_test_setup(test_failure, begin),
		cmocka_unit_test_setup(test_prefix_that_is_no_name, begin),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
