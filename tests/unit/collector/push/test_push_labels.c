// SPDX-License-Identifier: GPL-2.0
// sources: collector/push/push_labels.c collector/base/utf8.c
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "push/push_labels.h"

static void sorted_and_replaced(void **state)
{
	struct push_labels l = { 0 };

	(void)state;
	assert_int_equal(push_labels_set(&l, "pid", "1"), 0);
	assert_int_equal(push_labels_set(&l, "comm", "a"), 0);
	assert_int_equal(push_labels_set(&l, "service_name", "b"), 0);
	assert_int_equal(push_labels_set(&l, "service.name", "c"), 0);
	assert_int_equal(push_labels_set(&l, "pi", "d"), 0);
	assert_int_equal(l.nr, 4);
	assert_string_equal(l.items[0].name, "comm");
	assert_string_equal(l.items[1].name, "pi");
	assert_string_equal(l.items[2].name, "pid");
	assert_string_equal(l.items[3].name, "service.name");
	assert_string_equal(push_labels_get(&l, "service_name"), "c");
	assert_null(push_labels_get(&l, "p"));
	push_labels_fini(&l);
}

static void values(void **state)
{
	struct push_labels l = { 0 };
	char *big = malloc(PUSH_LABELS_MAX_VALUE_BYTES + 2);

	(void)state;
	assert_int_equal(push_labels_set(&l, "a", "x\xff\xc3\xa9"), 0);
	assert_string_equal(push_labels_get(&l, "a"), "x\xef\xbf\xbd\xc3\xa9");
	memset(big, 'x', PUSH_LABELS_MAX_VALUE_BYTES + 1);
	big[PUSH_LABELS_MAX_VALUE_BYTES + 1] = '\0';
	assert_int_equal(push_labels_set(&l, "a", big), -E2BIG);
	assert_int_equal(push_labels_set(&l, "a", big + 1), 0);
	push_labels_fini(&l);
	free(big);
}

static void limit(void **state)
{
	struct push_labels l = { 0 }, more = { 0 };
	char name[16];

	(void)state;
	for (int i = 0; i < PUSH_LABELS_MAX; i++) {
		snprintf(name, sizeof(name), "l%02d", i);
		assert_int_equal(push_labels_set(&l, name, "x"), 0);
	}
	assert_int_equal(push_labels_set(&l, "new", "x"), -E2BIG);
	assert_int_equal(push_labels_set(&l, "l07", "y"), 0);
	assert_int_equal(push_labels_set(&more, "l08", "z"), 0);
	assert_int_equal(push_labels_set_all(&l, &more), 0);
	assert_string_equal(push_labels_get(&l, "l08"), "z");
	assert_int_equal(push_labels_set(&more, "new", "z"), 0);
	assert_int_equal(push_labels_set_all(&l, &more), -E2BIG);
	push_labels_fini(&l);
	push_labels_fini(&more);
}

static void parsed(void **state)
{
	struct push_labels l = { 0 };

	(void)state;
	assert_null(push_labels_parse(&l, "team=a=b"));
	assert_string_equal(push_labels_get(&l, "team"), "a=b");
	assert_null(push_labels_parse(&l, "service.name=x"));
	assert_non_null(push_labels_parse(&l, "team"));
	assert_non_null(push_labels_parse(&l, "=x"));
	assert_non_null(push_labels_parse(&l, "te-am=x"));
	assert_non_null(push_labels_parse(&l, "1a=x"));
	assert_non_null(push_labels_parse(&l, ".a=x"));
	assert_non_null(push_labels_parse(&l, "team="));
	assert_int_equal(l.nr, 2);
	push_labels_fini(&l);
}

static void clean_names(void **state)
{
	char name[] = "1my/pkg-x.conns_2\xc3\xa9";

	(void)state;
	push_labels_clean_name(name);
	assert_string_equal(name, "_my_pkg_x_conns_2__");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorted_and_replaced), cmocka_unit_test(values),
		cmocka_unit_test(limit), cmocka_unit_test(parsed), cmocka_unit_test(clean_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
