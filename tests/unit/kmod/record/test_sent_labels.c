// SPDX-License-Identifier: GPL-2.0
// include: -Itests/unit/shim
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "kmod/record/sent_labels.h"
#include "uapi/pprof.h"

#define NR_PROCESSES	8
#define NR_SETS		4

static u64 id_of(u32 process, u32 set)
{
	return (PPROF_MAX_LABEL_SETS + 1) * (7ULL + process) + 1 + set;
}

static void test_one(void **state)
{
	static struct pprof_sent_labels sent_labels;

	(void)state;
	assert_false(pprof_sent_labels_has(&sent_labels, id_of(0, 0)));
	pprof_sent_labels_add(&sent_labels, id_of(0, 0));
	assert_true(pprof_sent_labels_has(&sent_labels, id_of(0, 0)));
	for (u32 i = 1; i < 100000; i++)
		assert_false(pprof_sent_labels_has(&sent_labels, id_of(0, i)));
}

/* Not for each of its samples does a process need the text again. */
static void test_processes_side_by_side(void **state)
{
	static struct pprof_sent_labels sent_labels;
	int nr = 0;

	(void)state;
	for (u32 i = 0; i < NR_PROCESSES * NR_SETS; i++)
		pprof_sent_labels_add(&sent_labels, id_of(i % NR_PROCESSES, i / NR_PROCESSES));
	for (u32 i = 0; i < NR_PROCESSES * NR_SETS; i++)
		nr += pprof_sent_labels_has(&sent_labels,
					    id_of(i % NR_PROCESSES, i / NR_PROCESSES));
	assert_in_range(nr, NR_PROCESSES * NR_SETS * 9 / 10, NR_PROCESSES * NR_SETS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_processes_side_by_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
