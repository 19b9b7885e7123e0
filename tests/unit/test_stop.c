// SPDX-License-Identifier: GPL-2.0
// sources: collector/stop.c
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "stop.h"

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

/* As it comes while names are looked for already: sampling has ended by itself. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_second_one_is_urgent),
		cmocka_unit_test(test_the_first_one_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
