// SPDX-License-Identifier: GPL-2.0
// sources: collector/http/route.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "http/route.h"

static void assert_route(const char *path, enum route_kind kind, pid_t pid, const char *name)
{
	struct route route;

	route_find(&route, path);
	if (route.kind != kind || (kind != ROUTE_NONE && route.pid != pid) ||
	    !route.name != !name || (name && strcmp(route.name, name)))
		fail_msg("%s: kind %d, pid %d, name %s", path, route.kind, route.pid, route.name);
}

static void test_go(void **state)
{
	(void)state;
	assert_route("/debug/pprof/", ROUTE_INDEX, 0, NULL);
	assert_route("/debug/pprof", ROUTE_REDIRECT, 0, NULL);
	assert_route("/debug/pprof/cmdline", ROUTE_CMDLINE, 0, NULL);
	assert_route("/debug/pprof/symbol", ROUTE_SYMBOL, 0, NULL);
	assert_route("/debug/pprof/profile", ROUTE_PROFILE, 0, "profile");
	assert_route("/debug/pprof/my/pkg.conns", ROUTE_PROFILE, 0, "my/pkg.conns");
	assert_route("/debug/pprof/heap/", ROUTE_PROFILE, 0, "heap/");
	assert_route("/debug/pprofx", ROUTE_NONE, 0, NULL);
	assert_route("/debug/", ROUTE_NONE, 0, NULL);
	assert_route("/", ROUTE_NONE, 0, NULL);
	assert_route("", ROUTE_NONE, 0, NULL);
	assert_route("debug/pprof/", ROUTE_NONE, 0, NULL);
}

static void test_gperftools(void **state)
{
	struct route route;

	(void)state;
	assert_route("/pprof/profile", ROUTE_PROFILE, 0, "profile");
	assert_route("/pprof/heap", ROUTE_PROFILE, 0, "heap");
	assert_route("/pprof/growth", ROUTE_PROFILE, 0, "growth");
	assert_route("/pprof/contention", ROUTE_PROFILE, 0, "mutex");
	assert_route("/pprof/symbol", ROUTE_SYMBOL, 0, NULL);
	assert_route("/pprof/block", ROUTE_NONE, 0, NULL);
	assert_route("/pprof/", ROUTE_NONE, 0, NULL);
	route_find(&route, "/pprof/cmdline");
	assert_int_equal(route.kind, ROUTE_CMDLINE);
	assert_true(route.is_gperftools);
	route_find(&route, "/debug/pprof/cmdline");
	assert_false(route.is_gperftools);
}

static void test_pid(void **state)
{
	(void)state;
	assert_route("/pid/12/debug/pprof/heap", ROUTE_PROFILE, 12, "heap");
	assert_route("/pid/2147483647/pprof/heap", ROUTE_PROFILE, 2147483647, "heap");
	assert_route("/pid/12/debug/pprof", ROUTE_REDIRECT, 12, NULL);
	assert_route("/pid/12", ROUTE_NONE, 0, NULL);
	assert_route("/pid/0/debug/pprof/", ROUTE_NONE, 0, NULL);
	assert_route("/pid/-1/debug/pprof/", ROUTE_NONE, 0, NULL);
	assert_route("/pid/+1/debug/pprof/", ROUTE_NONE, 0, NULL);
	assert_route("/pid/1x/debug/pprof/", ROUTE_NONE, 0, NULL);
	assert_route("/pid/2147483648/debug/pprof/", ROUTE_NONE, 0, NULL);
	assert_route("/pid/99999999999999999999/debug/pprof/", ROUTE_NONE, 0, NULL);
	assert_route("/pid/1/pid/2/debug/pprof/", ROUTE_NONE, 0, NULL);
	assert_route("/pid/1/healthz", ROUTE_NONE, 0, NULL);
}

static void test_server(void **state)
{
	(void)state;
	assert_route("/healthz", ROUTE_HEALTH, 0, NULL);
	assert_route("/healthz/", ROUTE_NONE, 0, NULL);
	assert_route("/metrics", ROUTE_METRICS, 0, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_go),
		cmocka_unit_test(test_gperftools),
		cmocka_unit_test(test_pid),
		cmocka_unit_test(test_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
