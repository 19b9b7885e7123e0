// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/cgroup.c collector/procfs/cgroup_names.c
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "procfs/cgroup.h"

#define ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct cgroup *parse(const char *text)
{
	FILE *lines = fmemopen((char *)text, strlen(text), "r");
	struct cgroup *cgroup;

	assert_non_null(lines);
	cgroup = cgroup_parse(lines);
	fclose(lines);
	return cgroup;
}

static void check(const char *text, const char *path)
{
	struct cgroup *cgroup = parse(text);

	assert_non_null(cgroup);
	assert_string_equal(cgroup->path, path);
	free(cgroup);
}

static void test_cgroup2(void **state)
{
	struct cgroup *cgroup = parse("0::/system.slice/docker-" ID ".scope\n");

	(void)state;
	assert_string_equal(cgroup->path, "/system.slice/docker-" ID ".scope");
	assert_string_equal(cgroup->names.container, ID);
	free(cgroup);
	check("0::/\n", "/");
	check("0::/a:b\n", "/a:b");
	check("0::/last line", "/last line");
}

static void test_removed(void **state)
{
	(void)state;
	check("0::/a (deleted)\n", "/a");
	check("0::/a (deleted)/b\n", "/a (deleted)/b");
	check("0::/a (deleted) (deleted)\n", "/a (deleted)");
}

/* A machine with cgroup v1, with and without the hierarchy of cgroup2. */
static void test_v1(void **state)
{
	(void)state;
	check("12:memory:/x\n1:name=systemd:/system.slice/a.service\n0::/b\n", "/b");
	check("12:memory:/x\n1:name=systemd:/system.slice/a.service\n0::/\n",
	      "/system.slice/a.service");
	check("1:name=systemd:/docker/" ID "\n0::/system.slice/containerd.service\n",
	      "/docker/" ID);
	check("2:cpu,cpuacct:/x\n1:name=systemd:/a\n", "/a");
	check("1:name=systemd:/docker/" ID "\n0::/docker-" ID ".scope\n", "/docker-" ID ".scope");
}

static void test_none(void **state)
{
	static const char *const texts[] = {
		"\n", "0:\n", "0\n", ":\n", "::/x\n", "00::/x\n", "12:memory:/x\n", "1:name=other:/x\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_null(parse(texts[i]));
		assert_int_equal(errno, ENOENT);
	}
}

static void test_process(void **state)
{
	(void)state;
	assert_null(cgroup_read(0));
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cgroup2),
		cmocka_unit_test(test_removed),
		cmocka_unit_test(test_v1),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
