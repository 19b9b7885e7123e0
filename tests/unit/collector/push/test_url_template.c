// SPDX-License-Identifier: GPL-2.0
// sources: collector/push/url_template.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "push/url_template.h"

static void fills(const char *url, const struct url_template_values *v, const char *expected)
{
	char *filled = url_template_fill(url, v);

	assert_non_null(filled);
	assert_string_equal(filled, expected);
	free(filled);
}

static void values(void **state)
{
	const struct url_template_values v = {
		.host = "web-1.example", .service = "shop", .type = "cpu", .pid = "42",
		.time_ns = INT64_C(1795742400999999999),
	};

	(void)state;
	fills("http://a/%H/%s-%p.%k.%t", &v, "http://a/web-1.example/shop-42.cpu.20261127T012000Z");
	fills("http://a/%25%2f%aB", &v, "http://a/%25%2f%aB");
	fills("http://a/", &v, "http://a/");
}

/* A name cannot add a folder, a query or another byte. */
static void hostile(void **state)
{
	const struct url_template_values v = {
		.host = "../../x", .service = "a/b?c#d%41 e\n\xc3\xa9", .type = "", .pid = NULL,
	};

	(void)state;
	fills("%H", &v, "_._.._x");
	fills("%s", &v, "a_b_c_d_41_e___");
	fills("%k%p", &v, "unknownunknown");
}

static void validity(void **state)
{
	(void)state;
	assert_true(url_template_is_valid("http://a/%H%s%k%p%t%00"));
	assert_false(url_template_is_valid("http://a/%"));
	assert_false(url_template_is_valid("http://a/%h"));
	assert_false(url_template_is_valid("http://a/%4"));
	assert_false(url_template_is_valid("http://a/%4x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values), cmocka_unit_test(hostile), cmocka_unit_test(validity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
