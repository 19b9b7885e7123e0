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
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>

#include "kmod/base/user_quota.h"

#define MIB		(1UL << 20)
#define OF_A_USER	(64 * MIB)
#define NR_USERS	8	/* have all there is */
#define OF_A_USER_CLIENTS	1024
#define OF_A_USER_THREADS	2048	/* and 3 of these */
#define TURNS_AT_ONCE	12
#define TURN_NS		333333333ULL
#define JIFFY_NS	1000000ULL

int shim_nr_held;
struct task_struct *current;
struct user_namespace init_user_ns;
static struct user_namespace *user_ns = &init_user_ns;
static kuid_t uid;
static u64 now = 1000000000;
static bool is_killed;
static bool privileged;
static bool no_memory;

void *__real_calloc(size_t nr, size_t size);
void *__wrap_calloc(size_t nr, size_t size);

/* An allocation may take long: no mutex may be held for which another user waits. */
void *__wrap_calloc(size_t nr, size_t size)
{
	assert_int_equal(shim_nr_held, 0);
	return no_memory ? NULL : __real_calloc(nr, size);
}

kuid_t current_uid(void)
{
	return uid;
}

struct user_namespace *current_user_ns(void)
{
	return user_ns;
}

u64 ktime_get_ns(void)
{
	return now;
}

bool fatal_signal_pending(const struct task_struct *task)
{
	(void)task;
	return is_killed;
}

/* A task that is killed does not sleep. */
long schedule_timeout_killable(long timeout)
{
	if (!is_killed)
		now += timeout * JIFFY_NS;
	return 0;
}

long schedule_timeout_uninterruptible(long timeout)
{
	return schedule_timeout_killable(timeout);
}

bool ns_capable_noaudit(struct user_namespace *ns, int cap)
{
	(void)ns;
	(void)cap;
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

/* Any id in a namespace counts for the user who made the outermost one. */
static void test_namespaces(void **state)
{
	struct user_namespace outer = { .parent = &init_user_ns, .owner = { 7 } };
	struct user_namespace inner = { .parent = &outer, .owner = { 100000 } };
	struct pprof_quota *quota = quota_of(7), *quotas[3];

	(void)state;
	user_ns = &outer;
	quotas[0] = quota_of(7);
	quotas[1] = quota_of(100000);
	user_ns = &inner;
	quotas[2] = quota_of(100001);
	user_ns = &init_user_ns;
	for (int i = 0; i < 3; i++) {
		assert_ptr_equal(quotas[i], quota);
		pprof_quota_put(quotas[i]);
	}
	pprof_quota_put(quota);
}

static void test_pages_of_rings(void **state)
{
	struct pprof_quota *quota = quota_of(1), *other = quota_of(2);

	(void)state;
	assert_int_equal(pprof_quota_add_pages(quota, 130), 130);
	assert_int_equal(pprof_quota_add_pages(quota, 10), 140);
	assert_int_equal(pprof_quota_add_pages(other, 1), 1);
	pprof_quota_sub_pages(quota, 130);
	assert_int_equal(pprof_quota_add_pages(quota, 5), 15);
	pprof_quota_sub_pages(quota, 15);
	pprof_quota_sub_pages(other, 1);
	pprof_quota_put(quota);
	pprof_quota_put(other);
}

static u64 take_turns(struct pprof_quota *quota, int nr)
{
	u64 begin = now;

	while (nr--)
		assert_int_equal(pprof_quota_take_turn(quota), 0);
	return now - begin;
}

static void assert_waits(struct pprof_quota *quota, int nr, u64 want)
{
	u64 ns = take_turns(quota, nr);

	assert_in_range(ns, want ? want - JIFFY_NS : 0, want + JIFFY_NS);
}

static void test_turns(void **state)
{
	struct pprof_quota *quota = quota_of(1), *other = quota_of(2);

	(void)state;
	assert_waits(quota, TURNS_AT_ONCE, 0);
	assert_waits(quota, 1, TURN_NS);
	assert_waits(quota, 5, 5 * TURN_NS);
	assert_waits(other, TURNS_AT_ONCE, 0);	/* a quota of its own */
	privileged = true;
	assert_waits(quota, 100, 0);
	privileged = false;
	now += 3 * TURN_NS;
	assert_waits(quota, 3, 0);
	now += 100 * TURN_NS;	/* the burst does not grow */
	assert_waits(quota, TURNS_AT_ONCE, 0);
	assert_waits(quota, 1, TURN_NS);
	pprof_quota_put(quota);
	pprof_quota_put(other);
	pprof_quota_exit();
}

/* It would have to wait, is killed, and takes nothing from its user. */
static void test_a_killed_caller_takes_no_turn(void **state)
{
	struct pprof_quota *quota = quota_of(1);

	(void)state;
	assert_waits(quota, TURNS_AT_ONCE, 0);
	is_killed = true;
	for (int i = 0; i < 100; i++)
		assert_int_equal(pprof_quota_take_turn(quota), -EINTR);
	is_killed = false;
	assert_waits(quota, 1, TURN_NS);
	pprof_quota_put(quota);
	pprof_quota_exit();
}

/* To close all files and open them again gives no new burst. */
static void test_turns_outlive_the_files(void **state)
{
	struct pprof_quota *quota = quota_of(1);

	(void)state;
	assert_waits(quota, TURNS_AT_ONCE, 0);
	pprof_quota_put(quota);
	quota = quota_of(1);
	assert_waits(quota, 1, TURN_NS);
	pprof_quota_put(quota);
	now += TURNS_AT_ONCE * TURN_NS;
	pprof_quota_put(quota_of(2));	/* frees the first one, or the leak checker sees it */
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
		cmocka_unit_test(test_namespaces),
		cmocka_unit_test(test_pages_of_rings),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_a_killed_caller_takes_no_turn),
		cmocka_unit_test(test_turns_outlive_the_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
