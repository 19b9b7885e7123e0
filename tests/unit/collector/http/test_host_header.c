// SPDX-License-Identifier: GPL-2.0
// sources: collector/http/host_header.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "http/host_header.h"

static void assert_allowed(const char *host, const char *names, bool want)
{
	if (host_header_is_allowed(host, names) != want)
		fail_msg("'%s' with names '%s'", host, names ? names : "");
}

static void test_addresses(void **state)
{
	(void)state;
	assert_allowed("127.0.0.1", NULL, true);
	assert_allowed("127.0.0.1:6060", NULL, true);
	assert_allowed("[::1]", NULL, true);
	assert_allowed("[::1]:6060", NULL, true);
	assert_allowed("localhost", NULL, true);
	assert_allowed("LocalHost:6060", NULL, true);
	assert_allowed("10.1.2.3", NULL, true);
}

static void test_names(void **state)
{
	(void)state;
	assert_allowed("a.example", NULL, false);
	assert_allowed("a.example:80", "b.example,A.example", true);
	assert_allowed("b.example", "b.example,a.example", true);
	assert_allowed("a.exampl", "a.example", false);
	assert_allowed("a.example.evil", "a.example", false);
	assert_allowed("b.example,a.example", "b.example,a.example", false);
}

/* DNS could resolve each of these. */
static void test_tricks(void **state)
{
	(void)state;
	assert_allowed("", NULL, false);
	assert_allowed(":6060", NULL, false);
	assert_allowed("", ",", false);
	assert_allowed("127.0.0.1.evil", NULL, false);
	assert_allowed("localhost.evil:6060", NULL, false);
	assert_allowed("127.1", NULL, false);
	assert_allowed("::1", NULL, false);
	assert_allowed("[::1", NULL, false);
	assert_allowed("[]", NULL, false);
	assert_allowed("[127.0.0.1]", NULL, false);
	assert_allowed("localhost:x", NULL, false);
	assert_allowed("user@127.0.0.1", NULL, false);
}

static void test_long(void **state)
{
	char host[1000];

	(void)state;
	memset(host, 'a', sizeof(host));
	host[sizeof(host) - 1] = 0;
	assert_allowed(host, host, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_tricks),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
