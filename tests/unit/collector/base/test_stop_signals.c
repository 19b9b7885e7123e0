// SPDX-License-Identifier: GPL-2.0
// sources: collector/base/stop_signals.c
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/stop_signals.h"

static void test_the_second_one_is_urgent(void **state)
{
	struct stop s = { .fd = stop_open() };

	(void)state;
	assert_true(s.fd >= 0);
	assert_false(stop_is_asked(&s));
	assert_false(stop_is_urgent(&s));
	raise(SIGINT);
	assert_true(stop_is_asked(&s));
	assert_int_equal(stop_take(&s), 0);
	assert_false(stop_is_asked(&s));
	assert_false(stop_is_urgent(&s));
	raise(SIGTERM);
	assert_true(stop_is_urgent(&s));
	assert_true(stop_is_urgent(&s));
	close(s.fd);
}

/* A signal during the symbolization: sampling has ended without one. */
static void test_the_first_one_is_not(void **state)
{
	struct stop s = { .fd = stop_open() };

	(void)state;
	raise(SIGINT);
	assert_false(stop_is_urgent(&s));
	assert_false(stop_is_asked(&s));
	raise(SIGINT);
	assert_true(stop_is_urgent(&s));
	close(s.fd);
}

/* A terminal that closes may cause several SIGHUPs. */
static void test_a_hangup_is_not_urgent(void **state)
{
	struct stop s;

	(void)state;
	signal(SIGHUP, SIG_DFL);	/* the caller of the test may ignore it */
	s = (struct stop){ .fd = stop_open() };
	raise(SIGHUP);
	assert_true(stop_is_asked(&s));
	assert_int_equal(stop_take(&s), 0);
	raise(SIGHUP);
	assert_false(stop_is_urgent(&s));
	assert_false(stop_is_asked(&s));
	raise(SIGTERM);
	assert_true(stop_is_urgent(&s));
	close(s.fd);
}

static void test_an_ignored_hangup_is_none(void **state)
{
	struct stop s;
	sigset_t hangup;

	(void)state;
	sigemptyset(&hangup);
	sigaddset(&hangup, SIGHUP);
	sigprocmask(SIG_UNBLOCK, &hangup, NULL);
	signal(SIGHUP, SIG_IGN);
	s = (struct stop){ .fd = stop_open() };
	raise(SIGHUP);
	assert_false(stop_is_asked(&s));
	signal(SIGHUP, SIG_DFL);
	close(s.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_second_one_is_urgent),
		cmocka_unit_test(test_the_first_one_is_not),
		cmocka_unit_test(test_a_hangup_is_not_urgent),
		cmocka_unit_test(test_an_ignored_hangup_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
