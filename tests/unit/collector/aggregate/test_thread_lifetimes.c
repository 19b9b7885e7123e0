// SPDX-License-Identifier: GPL-2.0
// sources: collector/aggregate/thread_lifetimes.c collector/aggregate/stack_values.c
// libs: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "fail_alloc.h"
#include "life.h"
#include "aggregate/thread_lifetimes.h"

#define PID	1000
#define NR_MANY	100000

static const struct process process = { PID, 5 }, other = { PID + 1, 6 };

struct parts {
	struct thread_lifetimes lifetimes;
	struct stack_values raw;
	struct stack_values moved;
};

static int setup(void **state)
{
	struct parts *p = calloc(1, sizeof(*p));

	*state = p;
	p->raw.nr = LIFETIMES_NR;
	p->moved.nr = LIFETIMES_NR;
	return lifetimes_init(&p->lifetimes, &p->raw, &p->moved);
}

static int teardown(void **state)
{
	struct parts *p = *state;

	lifetimes_fini(&p->lifetimes);
	stack_values_fini(&p->raw);
	stack_values_fini(&p->moved);
	free(p);
	return 0;
}

static int try_begin(struct parts *p, uint64_t time_ns, uint32_t tid, size_t stack)
{
	const double one[LIFETIMES_NR] = { 1, 1, 0 };
	struct pprof_sample sample;
	int err = stack_values_add(&p->raw, stack, one);

	life_sample(&sample, time_ns, process, NULL, 0);
	sample.arg = tid;
	return err ? err : lifetimes_begin(&p->lifetimes, &sample, stack);
}

static void begin(struct parts *p, uint64_t time_ns, uint32_t tid, size_t stack)
{
	assert_int_equal(try_begin(p, time_ns, tid, stack), 0);
}

static int try_note(struct parts *p, uint32_t type, uint64_t time_ns, struct process who,
		    uint32_t tid)
{
	struct pprof_event ev;
	int err;

	life_end(&ev, type, time_ns, who);
	ev.tid = tid;
	err = lifetimes_note(&p->lifetimes, &ev);
	return err ? err : lifetimes_settle(&p->lifetimes);
}

static void end(struct parts *p, uint64_t time_ns, uint32_t tid)
{
	assert_int_equal(try_note(p, PPROF_REC_THREAD_END, time_ns, process, tid), 0);
}

static void end_process(struct parts *p, uint32_t type, uint64_t time_ns, struct process who)
{
	assert_int_equal(try_note(p, type, time_ns, who, who.pid), 0);
}

static void assert_values(const struct stack_values *values, size_t stack, double nr, double live,
			  double ns)
{
	const double *at = stack_values_at(values, stack);

	assert_true(at[LIFETIMES_THREADS] == nr);
	assert_true(at[LIFETIMES_LIVE] == live);
	assert_true(at[LIFETIMES_NS] == ns);
}

static void test_each_has_its_own_stack(void **state)
{
	struct parts *p = *state;

	begin(p, 10, 1, 0);
	begin(p, 20, 2, 1);
	begin(p, 30, 3, 1);
	end(p, 35, 1);
	end(p, 36, 3);
	assert_values(&p->raw, 0, 1, 0, 25);
	assert_values(&p->raw, 1, 2, 1, 6);
}

/* An end is kept for a creation that is read later, unless it is older than the creation. */
static void test_end_comes_first(void **state)
{
	struct parts *p = *state;

	end(p, 5, 1);
	begin(p, 10, 1, 0);
	assert_values(&p->raw, 0, 1, 1, 0);
	end(p, 30, 2);
	begin(p, 20, 2, 0);
	assert_values(&p->raw, 0, 2, 1, 10);
	end(p, 40, 1);
	assert_values(&p->raw, 0, 2, 0, 10 + 30);
}

static void test_tid_is_used_again(void **state)
{
	struct parts *p = *state;

	begin(p, 10, 1, 0);
	end(p, 20, 1);
	begin(p, 30, 1, 1);
	end(p, 25, 1);	/* older than the thread */
	assert_values(&p->raw, 0, 1, 0, 10);
	assert_values(&p->raw, 1, 1, 1, 0);
	/* The record of its end was lost. */
	begin(p, 50, 1, 0);
	assert_values(&p->raw, 1, 1, 0, 0);
	assert_values(&p->raw, 0, 2, 1, 10);
}

/* The record of the process ends a thread that executes, that ends last, or whose end is lost. */
static void test_end_of_a_process(void **state)
{
	static const uint32_t types[] = { PPROF_REC_EXIT, PPROF_REC_EXEC, PPROF_REC_DROP };
	struct parts *p = *state;
	uint64_t time_ns = 0;

	for (size_t i = 0; i < 3; i++, time_ns += 100) {
		begin(p, time_ns + 10, 1, i);
		begin(p, time_ns + 60, 2, i);
		end_process(p, types[i], time_ns + 50, other);
		assert_values(&p->raw, i, 2, 2, 0);
		end_process(p, types[i], time_ns + 50, process);
		assert_values(&p->raw, i, 2, 1, 40);
		end(p, time_ns + 70, 2);
		assert_values(&p->raw, i, 2, 0, 40 + 10);
	}
}

/* The last thread has only the exit of its process, and its creation may be read later. */
static void test_last_thread_comes_late(void **state)
{
	struct parts *p = *state;

	assert_int_equal(try_note(p, PPROF_REC_EXIT, 50, process, 7), 0);
	begin(p, 20, 7, 0);
	assert_values(&p->raw, 0, 1, 0, 30);
}

static void test_other_records_end_nothing(void **state)
{
	struct parts *p = *state;

	begin(p, 10, 1, 0);
	end_process(p, PPROF_REC_FORK, 50, process);
	end_process(p, PPROF_REC_COMM, 50, process);
	end_process(p, PPROF_REC_MMAP, 50, process);
	assert_values(&p->raw, 0, 1, 1, 0);
}

static void test_stacks_move(void **state)
{
	const int64_t first[] = { 3, 5 }, second[] = { 0 };
	const double one[LIFETIMES_NR] = { 1, 1, 0 };
	struct parts *p = *state;

	begin(p, 10, 1, 0);
	begin(p, 11, 2, 1);
	assert_int_equal(stack_values_add(&p->moved, 3, one), 0);
	assert_int_equal(stack_values_add(&p->moved, 5, one), 0);
	lifetimes_move(&p->lifetimes, first);
	stack_values_clear(&p->raw);
	begin(p, 20, 3, 0);
	end(p, 30, 1);
	end(p, 31, 2);
	assert_values(&p->moved, 3, 1, 0, 20);
	assert_values(&p->moved, 5, 1, 0, 20);
	assert_values(&p->raw, 0, 1, 1, 0);
	assert_int_equal(stack_values_add(&p->moved, 0, one), 0);
	lifetimes_move(&p->lifetimes, second);
	end(p, 33, 3);
	assert_values(&p->moved, 0, 1, 0, 13);
	assert_values(&p->moved, 3, 1, 0, 20);
}

/* Memory grows with living threads, and not with all tids. */
static void test_many(void **state)
{
	struct parts *p = *state;

	begin(p, 1, 1, 1);
	for (uint32_t tid = 2; tid < NR_MANY; tid++) {
		begin(p, tid, tid, 0);
		end(p, tid + 2, tid);
	}
	assert_values(&p->raw, 0, NR_MANY - 2, 0, 2 * (NR_MANY - 2));
	assert_true(p->lifetimes.room <= 4096);
	end(p, NR_MANY, 1);
	assert_values(&p->raw, 1, 1, 0, NR_MANY - 1);
	for (uint32_t tid = 0; tid < NR_MANY; tid++)
		begin(p, NR_MANY, tid, 0);
	for (uint32_t tid = 0; tid < NR_MANY; tid++)
		end(p, NR_MANY + 1, tid);
	assert_values(&p->raw, 0, 2 * NR_MANY - 2, 0, 2 * (NR_MANY - 2) + NR_MANY);
}

static void test_out_of_memory(void **state)
{
	struct parts *p = *state;
	int err = -ENOMEM;

	for (long n = 0; err; n++) {
		teardown(state);
		assert_int_equal(setup(state), 0);
		p = *state;
		allocations_left = n;
		err = try_begin(p, 10, 1, 0);
		if (!err)
			err = try_note(p, PPROF_REC_THREAD_END, 20, process, 2);
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
		assert_true(n < 10);
	}
	lifetimes_fini(&(struct thread_lifetimes){ 0 });
}

int main(void)
{
#define WITH_SETUP(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_each_has_its_own_stack),
		WITH_SETUP(test_end_comes_first),
		WITH_SETUP(test_tid_is_used_again),
		WITH_SETUP(test_end_of_a_process),
		WITH_SETUP(test_last_thread_comes_late),
		WITH_SETUP(test_other_records_end_nothing),
		WITH_SETUP(test_stacks_move),
		WITH_SETUP(test_many),
		WITH_SETUP(test_out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
