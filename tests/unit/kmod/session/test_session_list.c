// SPDX-License-Identifier: GPL-2.0
// sources: kmod/session/session_list.c
// include: -Itests/unit/shim -include kmod/base/compat.h -Wno-unused-parameter
/* The state of the list is reset for each test, and set to ids that take hours to come to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/capability.h>

#include "kmod/session/session_list.h"

#define NR	(PPROF_MAX_SESSIONS + 1)

int shim_nr_held;
struct user_namespace init_user_ns;
static struct pprof_session all[NR];
static bool privileged;

bool ns_capable_noaudit(struct user_namespace *ns, int cap)
{
	(void)ns;
	(void)cap;
	return privileged;
}

/* Only its address matters. */
static struct pprof_quota *quota_of(uintptr_t user)
{
	return (struct pprof_quota *)user;
}

static int begin(void **state)
{
	(void)state;
	INIT_LIST_HEAD(&pprof_sessions.sessions);
	pprof_sessions.nr = 0;
	pprof_sessions.last_id = 0;
	privileged = true;
	for (int i = 0; i < NR; i++)
		all[i] = (struct pprof_session){ .quota = quota_of(1000 + i) };
	return 0;
}

/* From 0 on, all that are there, in the order in which they came. */
static void assert_walk(const int *want, int nr)
{
	struct pprof_session *session = NULL;

	for (int i = 0; i < nr; i++) {
		session = pprof_sessions_next(session ? session->id : 0);
		assert_ptr_equal(session, &all[want[i]]);
	}
	assert_null(pprof_sessions_next(session ? session->id : 0));
}

static void test_they_come_and_go(void **state)
{
	(void)state;
	assert_walk(NULL, 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pprof_sessions_add(&all[i]), 0);
	assert_walk((int[]){ 0, 1, 2, 3 }, 4);
	pprof_sessions_remove(&all[1]);
	assert_int_equal(pprof_sessions_add(&all[1]), 0);
	assert_walk((int[]){ 0, 2, 3, 1 }, 4);
	assert_int_equal(shim_nr_held, 0);
}

/* An open and a close take microseconds, so a user can do 2^32 of them. */
static void test_ids_go_on_beyond_32_bits(void **state)
{
	(void)state;
	pprof_sessions.last_id = UINT32_MAX - 2;
	for (int i = 0; i < 5; i++)
		assert_int_equal(pprof_sessions_add(&all[i]), 0);
	assert_walk((int[]){ 0, 1, 2, 3, 4 }, 5);
}

/* Fails if two sessions have the same low 32 bits, which netlink reports. */
static void test_ids_differ_in_their_low_32_bits(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(pprof_sessions_add(&all[i]), 0);
	pprof_sessions.last_id = 1ULL << 32;
	assert_int_equal(pprof_sessions_add(&all[3]), 0);
	assert_true(all[3].id > 1ULL << 32);
	for (int i = 0; i < 3; i++)
		assert_int_not_equal((u32)all[3].id, (u32)all[i].id);
	assert_walk((int[]){ 0, 1, 2, 3 }, 4);
}

static void test_there_is_a_bound(void **state)
{
	(void)state;
	for (int i = 0; i < PPROF_MAX_SESSIONS; i++)
		assert_int_equal(pprof_sessions_add(&all[i]), 0);
	assert_int_equal(pprof_sessions_add(&all[PPROF_MAX_SESSIONS]), -EMFILE);
}

static void test_others_leave_some(void **state)
{
	(void)state;
	privileged = false;
	for (int i = 0; i < PPROF_MAX_UNPRIVILEGED_SESSIONS; i++)
		assert_int_equal(pprof_sessions_add(&all[i]), 0);
	assert_int_equal(pprof_sessions_add(&all[PPROF_MAX_UNPRIVILEGED_SESSIONS]), -EMFILE);
	privileged = true;
	assert_int_equal(pprof_sessions_add(&all[PPROF_MAX_UNPRIVILEGED_SESSIONS]), 0);
}

static void test_a_user_has_few(void **state)
{
	(void)state;
	privileged = false;
	for (int i = 0; i <= PPROF_MAX_USER_SESSIONS; i++) {
		all[i].quota = quota_of(7);
		assert_int_equal(pprof_sessions_add(&all[i]),
				 i < PPROF_MAX_USER_SESSIONS ? 0 : -EMFILE);
	}
	assert_int_equal(pprof_sessions_add(&all[PPROF_MAX_USER_SESSIONS + 1]), 0);
}

/* As one ends it still has hooks, and holds memory. */
static void test_who_ends_has_its_place(void **state)
{
	(void)state;
	privileged = false;
	for (int i = 0; i < PPROF_MAX_USER_SESSIONS; i++) {
		all[i].quota = quota_of(7);
		atomic64_set(&all[i].session_tables.cost, 1 << i);
		assert_int_equal(pprof_sessions_add(&all[i]), 0);
	}
	all[PPROF_MAX_USER_SESSIONS].quota = quota_of(7);
	pprof_sessions_hide(&all[1]);
	assert_walk((int[]){ 0, 2, 3 }, 3);
	assert_int_equal(pprof_sessions_cost(quota_of(7)), 15);
	assert_int_equal(pprof_sessions_add(&all[PPROF_MAX_USER_SESSIONS]), -EMFILE);
	pprof_sessions_remove(&all[1]);
	assert_int_equal(pprof_sessions_cost(quota_of(7)), 13);
	assert_int_equal(pprof_sessions_add(&all[PPROF_MAX_USER_SESSIONS]), 0);
	assert_int_equal(pprof_sessions_cost(quota_of(8)), 0);
	assert_int_equal(shim_nr_held, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_they_come_and_go, begin),
		cmocka_unit_test_setup(test_ids_go_on_beyond_32_bits, begin),
		cmocka_unit_test_setup(test_there_is_a_bound, begin),
		cmocka_unit_test_setup(test_others_leave_some, begin),
		cmocka_unit_test_setup(test_a_user_has_few, begin),
		cmocka_unit_test_setup(test_who_ends_has_its_place, begin),
		cmocka_unit_test_setup(test_ids_differ_in_their_low_32_bits, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
