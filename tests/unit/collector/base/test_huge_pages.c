// SPDX-License-Identifier: GPL-2.0
// flags: -O1 -g
/* Without sanitizers: their malloc() lays out memory in another way. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/array.h"

struct vma {
	uintptr_t start;
	uintptr_t end;
	bool is_huge;		/* MADV_HUGEPAGE was called for it */
};

/* proc_pid_smaps(5): the line VmFlags is the last one of a mapping. */
static struct vma vma_of(const void *memory)
{
	FILE *smaps = fopen("/proc/self/smaps", "r");
	uintptr_t at = (uintptr_t)memory, start, end;
	struct vma v = { 0 };
	char line[4096];

	while (fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &start, &end) == 2)
			v = (struct vma){ start, end, false };
		if (v.start <= at && at < v.end && !strncmp(line, "VmFlags:", 8))
			break;
	}
	v.is_huge = strstr(line, " hg");
	fclose(smaps);
	return v;
}

/* realloc() moves memory of one mapping by mremap(), and copies memory of several mappings. */
static void test_a_large_array_is_in_one_mapping_of_huge_pages(void **state)
{
	char *items = NULL;
	size_t room = 0;
	struct vma v;

	(void)state;
	if (access("/sys/kernel/mm/transparent_hugepage", F_OK))
		skip();
	for (size_t nr = 1000; nr < 2 * HUGE_PAGES_MIN_BYTES; nr *= 2) {
		items = array_grow(items, &room, nr, 1);
		assert_non_null(items);
	}
	v = vma_of(items);
	assert_true(v.is_huge);
	assert_in_range(v.start, 0, (uintptr_t)items - 2 * sizeof(size_t));	/* malloc's head */
	assert_in_range((uintptr_t)items + room, 0, v.end);
	assert_int_equal((v.end - v.start) % HUGE_PAGES_BYTES, 0);
	free(items);
}

static void test_a_small_array_is_left_as_it_is(void **state)
{
	size_t room = 0;
	char *items = array_grow(NULL, &room, HUGE_PAGES_MIN_BYTES / 2, 1);

	(void)state;
	assert_non_null(items);
	assert_false(vma_of(items).is_huge);
	free(items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_small_array_is_left_as_it_is),
		cmocka_unit_test(test_a_large_array_is_in_one_mapping_of_huge_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
