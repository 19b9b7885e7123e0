// SPDX-License-Identifier: GPL-2.0
// sources: kmod/base/user_quota.c
// include: -Itests/unit/shim
// libs: -Wl,--wrap=calloc
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/mutex.h>

#include "kmod/base/user_quota.h"

#define MIB		(1UL << 20)
#define OF_A_USER	(64 * MIB)
#define NR_USERS	8	/* have all there is */
#define OF_A_USER_CLIENTS	1024
#define OF_A_USER_THREADS	2048	/* and 3 of these */

int shim_nr_held;
static kuid_t uid;
static bool privileged;
static bool no_memory;

void *__real_calloc(size_t nr, size_t size);
void *__wrap_calloc(size_t nr, size_t size);

/* It may take long: whoever waits for a mutex meanwhile is another user. */
void *__wrap_calloc(size_t nr, size_t size)
{
	assert_int_equal(shim_nr_held, 0);
	return no_memory ? NULL : __real_calloc(nr, size);
}

kuid_t current_uid(void)
{
	return uid;
}

bool perfmon_capable(void)
{
	return privileged;
}

static struct pprof_quota *quota_of(u32 id)
{
	struct pprof_quota *quota;

	uid.val = id;
	quota = pprof_quota_get();
	assert_non_null(quota);
	return quota;
}

static void test_one_for_a_user(void **state)
{
	struct pprof_quota *one = quota_of(1), *two = quota_of(2), *again = quota_of(1);

	(void)state;
	assert_ptr_equal(one, again);
	assert_ptr_not_equal(one, two);
	assert_ptr_equal(pprof_quota_share(one), one);
	pprof_quota_put(one);
	pprof_quota_put(one);
	assert_true(pprof_quota_charge(again, 1));
	pprof_quota_uncharge(again, 1);
	pprof_quota_put(again);
	pprof_quota_put(two);
	no_memory = true;
	assert_null(pprof_quota_get());
	no_memory = false;
}

static void test_bound_of_a_user(void **state)
{
	struct pprof_quota *quota = quota_of(1);

	(void)state;
	assert_true(pprof_quota_charge(quota, OF_A_USER - 10));
	assert_false(pprof_quota_charge(quota, 11));
	assert_true(pprof_quota_charge(quota, 10));	/* what was refused is not held */
	assert_false(pprof_quota_charge(quota, 1));
	pprof_quota_uncharge(quota, 1);
	assert_true(pprof_quota_charge(quota, 1));
	privileged = true;
	assert_true(pprof_quota_charge(quota, MIB));
	privileged = false;
	assert_false(pprof_quota_charge(quota, 1));
	pprof_quota_uncharge(quota, OF_A_USER + MIB);
	pprof_quota_put(quota);
}

static void test_bound_of_all(void **state)
{
	struct pprof_quota *quotas[NR_USERS], *late = quota_of(NR_USERS);

	(void)state;
	for (u32 i = 0; i < NR_USERS; i++) {
		quotas[i] = quota_of(i);
		assert_true(pprof_quota_charge(quotas[i], OF_A_USER));
	}
	assert_false(pprof_quota_charge(late, 1));
	pprof_quota_uncharge(quotas[0], 1);
	assert_true(pprof_quota_charge(late, 1));
	pprof_quota_uncharge(late, 1);
	pprof_quota_uncharge(quotas[0], OF_A_USER - 1);
	for (u32 i = 1; i < NR_USERS; i++)
		pprof_quota_uncharge(quotas[i], OF_A_USER);
	assert_true(pprof_quota_charge(late, OF_A_USER));	/* all is back */
	pprof_quota_uncharge(late, OF_A_USER);
	for (u32 i = 0; i < NR_USERS; i++)
		pprof_quota_put(quotas[i]);
	pprof_quota_put(late);
}

/* What programs with CAP_PERFMON hold is nothing to the others, their own user's included. */
static void test_privileged_apart(void **state)
{
	struct pprof_quota *quotas[NR_USERS], *rich;

	(void)state;
	privileged = true;
	rich = quota_of(1);
	assert_true(pprof_quota_charge(rich, NR_USERS * OF_A_USER));
	privileged = false;
	assert_false(pprof_quota_charge(rich, 1));	/* it gave CAP_PERFMON up */
	for (u32 i = 0; i < NR_USERS; i++) {
		quotas[i] = quota_of(i);
		assert_ptr_not_equal(quotas[i], rich);
		assert_true(pprof_quota_charge(quotas[i], OF_A_USER));
	}
	pprof_quota_uncharge(rich, NR_USERS * OF_A_USER);
	assert_true(pprof_quota_charge(rich, 1)); /* the bound of all is not its own */
	pprof_quota_uncharge(rich, 1);
	for (u32 i = 0; i < NR_USERS; i++) {
		pprof_quota_uncharge(quotas[i], OF_A_USER);
		pprof_quota_put(quotas[i]);
	}
	pprof_quota_put(rich);
}

static void test_clients(void **state)
{
	struct pprof_quota *quota = quota_of(1), *other = quota_of(2);

	(void)state;
	for (int i = 0; i < OF_A_USER_CLIENTS; i++)
		assert_true(pprof_quota_charge_client(quota));
	assert_false(pprof_quota_charge_client(quota));
	assert_true(pprof_quota_charge_client(other));
	privileged = true;
	assert_true(pprof_quota_charge_client(quota));
	privileged = false;
	pprof_quota_uncharge_client(quota);
	assert_false(pprof_quota_charge_client(quota));
	pprof_quota_uncharge_client(quota);
	assert_true(pprof_quota_charge_client(quota));
	pprof_quota_put(quota);
	pprof_quota_put(other);
}

static bool take_threads(struct pprof_quota *quota, int nr)
{
	bool all = true;

	while (nr--)
		all = pprof_quota_charge_thread(quota) && all;
	return all;
}

static void give_threads(struct pprof_quota *quota, int nr)
{
	while (nr--)
		pprof_quota_uncharge_thread(quota);
}

static void test_threads(void **state)
{
	struct pprof_quota *quotas[4];

	(void)state;
	for (u32 i = 0; i < 4; i++)
		quotas[i] = quota_of(i);
	privileged = true;	/* that is not asked for here */
	for (u32 i = 0; i < 3; i++) {
		assert_true(take_threads(quotas[i], OF_A_USER_THREADS));
		assert_false(take_threads(quotas[i], 1));
	}
	assert_false(take_threads(quotas[3], 1));
	privileged = false;
	give_threads(quotas[0], 1);
	assert_true(take_threads(quotas[3], 1));
	assert_false(take_threads(quotas[0], 1));
	give_threads(quotas[3], 1);
	for (u32 i = 0; i < 3; i++)
		give_threads(quotas[i], OF_A_USER_THREADS - !i);
	for (u32 i = 1; i < 4; i++)	/* all is back */
		assert_true(take_threads(quotas[i], OF_A_USER_THREADS));
	for (u32 i = 1; i < 4; i++)
		give_threads(quotas[i], OF_A_USER_THREADS);
	for (u32 i = 0; i < 4; i++)
		pprof_quota_put(quotas[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_for_a_user),
		cmocka_unit_test(test_bound_of_a_user),
		cmocka_unit_test(test_bound_of_all),
		cmocka_unit_test(test_privileged_apart),
		cmocka_unit_test(test_clients),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
