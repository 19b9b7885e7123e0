// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/link_map.c
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "procfs/link_map.h"

/* Compares with the list of the dynamic linker of this process. */
static void test_own(void **state)
{
	static uint64_t addresses[LINK_MAP_MAX];
	const struct link_map *map = _r_debug.r_map;
	size_t nr = link_map_read(getpid(), addresses);

	(void)state;
	assert_true(nr >= 3);
	for (size_t i = 0; i < nr; i++, map = map->l_next)
		assert_int_equal(addresses[i], (uintptr_t)map->l_ld);
	assert_null(map);
	assert_int_equal(addresses[0], (uintptr_t)_DYNAMIC);
}

static void test_nobody(void **state)
{
	static uint64_t addresses[LINK_MAP_MAX];

	(void)state;
	assert_int_equal(link_map_read(0x7fffffff, addresses), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
