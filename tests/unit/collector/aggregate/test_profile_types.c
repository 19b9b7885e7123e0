// SPDX-License-Identifier: GPL-2.0
// sources: collector/aggregate/profile_types.c
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "aggregate/profile_types.h"

/* As in pprof, the expression must match the whole name. */
static bool is_dropped(uint32_t profile_type, const char *name)
{
	char whole[1024];
	regex_t regex;
	int result;

	snprintf(whole, sizeof(whole), "^(%s)$",
		 profile_types_get(profile_type, false)->drop_frames);
	assert_int_equal(regcomp(&regex, whole, REG_EXTENDED | REG_NOSUB), 0);
	result = regexec(&regex, name, 0, NULL, 0);
	regfree(&regex);
	return !result;
}

static void test_the_allocators_functions_are_dropped(void **state)
{
	static const char *const dropped[] = {
		"malloc", "operator new(unsigned long)", "operator new[]", "je_malloc",
		"_rjem_malloc", "tc_malloc", "tc_calloc", "tc_new", "tc_newarray_nothrow",
		"tc_memalign", "tc_posix_memalign", "tcmalloc::allocate_full",
		"std::allocator_traits<std::allocator<int> >::allocate",
	};
	static const char *const kept[] = {
		"main", "xmalloc", "malloc_all", "tc_core_init", "tc_print_rate", "tc_class",
		"new_session",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(dropped) / sizeof(*dropped); i++)
		assert_true(is_dropped(PROFILE_TYPE_HEAP, dropped[i]) &&
			    is_dropped(PROFILE_TYPE_ALLOCS, dropped[i]));
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		assert_false(is_dropped(PROFILE_TYPE_HEAP, kept[i]) ||
			     is_dropped(PROFILE_TYPE_ALLOCS, kept[i]));
}

static void test_the_locks_functions_are_dropped(void **state)
{
	(void)state;
	assert_true(is_dropped(PROFILE_TYPE_MUTEX, "___pthread_mutex_unlock"));
	assert_true(is_dropped(PROFILE_TYPE_MUTEX, "__lll_lock_wake_private"));
	assert_false(is_dropped(PROFILE_TYPE_MUTEX, "unlock"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_allocators_functions_are_dropped),
		cmocka_unit_test(test_the_locks_functions_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
