// SPDX-License-Identifier: GPL-2.0
// sources: kmod/heap/pending_calls.c
// include: -Itests/unit/shim
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/vmalloc.h>

#include "kmod/heap/pending_calls.h"

bool shim_irqs_are_off = true;	/* its callers are hooks */

static struct pprof_pending_calls calls;

void *__vmalloc(unsigned long size, unsigned int gfp)
{
	assert_true(gfp & __GFP_ZERO);
	return calloc(1, size);
}

static int setup(void **state)
{
	(void)state;
	return pprof_pending_calls_init(&calls);
}

static int teardown(void **state)
{
	(void)state;
	pprof_pending_calls_fini(&calls);
	return 0;
}

/* What was in its place. */
static struct pprof_pending_call enter(u32 tid, u64 sp, u64 size)
{
	const struct pprof_pending_call call = { .tid = tid, .sp = sp, .size = size };
	struct pprof_pending_call left;

	pprof_pending_calls_enter(&calls, &call, &left);
	return left;
}

static void test_a_call(void **state)
{
	struct pprof_pending_call call;

	(void)state;
	assert_int_equal(pprof_pending_calls_sp(&calls, 5), 0);
	assert_int_equal(enter(5, 0x1000, 100).tid, 0);
	assert_int_equal(pprof_pending_calls_sp(&calls, 5), 0x1000);
	assert_int_equal(pprof_pending_calls_sp(&calls, 6), 0);
	/* Another function of its returns, or another thread. */
	assert_false(pprof_pending_calls_leave(&calls, 5, 0x0ff0, &call));
	assert_false(pprof_pending_calls_leave(&calls, 5 + PPROF_PENDING_CALLS_SLOTS, 0x1000,
					       &call));
	assert_true(pprof_pending_calls_leave(&calls, 5, 0x1000, &call));
	assert_int_equal(call.size, 100);
	assert_false(pprof_pending_calls_leave(&calls, 5, 0x1000, &call));
	assert_int_equal(pprof_pending_calls_sp(&calls, 5), 0);
}

/* By longjmp() a thread leaves a call that never returns; or it ends in it. */
static void test_a_call_that_did_not_return(void **state)
{
	struct pprof_pending_call call;

	(void)state;
	enter(5, 0x1000, 100);
	assert_int_equal(enter(5, 0x2000, 200).size, 100);
	assert_int_equal(enter(5 + PPROF_PENDING_CALLS_SLOTS, 0x3000, 300).size, 200);
	assert_int_equal(pprof_pending_calls_sp(&calls, 5), 0);
	assert_false(pprof_pending_calls_leave(&calls, 5, 0x2000, &call));
	assert_true(pprof_pending_calls_leave(&calls, 5 + PPROF_PENDING_CALLS_SLOTS, 0x3000,
					      &call));
	assert_int_equal(call.size, 300);
}

/* Fails if the slot of another thread counts as room. */
static void test_room(void **state)
{
	struct pprof_pending_call call;

	(void)state;
	assert_true(pprof_pending_calls_has_room(&calls, 5));
	enter(5, 0x1000, 100);
	assert_true(pprof_pending_calls_has_room(&calls, 5));
	assert_true(pprof_pending_calls_has_room(&calls, 6));
	assert_false(pprof_pending_calls_has_room(&calls, 5 + PPROF_PENDING_CALLS_SLOTS));
	assert_true(pprof_pending_calls_leave(&calls, 5, 0x1000, &call));
	assert_true(pprof_pending_calls_has_room(&calls, 5 + PPROF_PENDING_CALLS_SLOTS));
}

static void test_all_of_them(void **state)
{
	u32 tids[] = { 5, 4097, PPROF_PENDING_CALLS_SLOTS - 1 }, seen = 0;
	struct pprof_pending_call call;

	(void)state;
	for (int i = 0; i < 3; i++)
		enter(tids[i], 0x1000, 100 << i);
	for (u32 nr = 0; nr < PPROF_PENDING_CALLS_SLOTS; nr++)
		if (pprof_pending_calls_get(&calls, nr, &call))
			seen += call.size;
	assert_int_equal(seen, 700);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_a_call),
		WITH_SETUP(test_a_call_that_did_not_return),
		WITH_SETUP(test_room),
		WITH_SETUP(test_all_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
