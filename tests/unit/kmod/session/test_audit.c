// SPDX-License-Identifier: GPL-2.0
// sources: kmod/session/audit.c kmod/ring/ring.c
// include: -Itests/unit/shim -include kmod/base/compat.h -Wno-unused-parameter
// libs: -Wl,--wrap=calloc
/* The module's half of the audit. The test plays the walk, the clock and the creating threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <linux/cred.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "kmod/base/tracepoints.h"
#include "kmod/record/record.h"
#include "kmod/session/audit.h"

#define RING_BYTES	(1UL << 20)
#define NR_DEEP		60	/* frames of a deep stack */
#define NR_OVER		2000	/* the ring holds fewer of such reports */

typedef void probe_t(void *data, struct task_struct *task, clone_flags_t clone_flags);

struct pid_namespace init_pid_ns;
int shim_nr_held;
struct work_struct *shim_queued;
bool shim_irqs_are_off;

static probe_t *probe;
static void *probe_data;
static int hook_error;
static bool no_memory, no_ring;
static u64 now_ns;
static u32 nr_frames;

/* Another CPU creates this thread during a walk. It must not wait for the walk. */
static u32 create_meanwhile;

static struct {
	u32 nr;
	u64 seq;
	u64 time_ns;
	u32 tids[4];
	u32 nr_frames;
	bool has_stack;
} reported;

void *__real_calloc(size_t nr, size_t size);
void *__wrap_calloc(size_t nr, size_t size);

void *__wrap_calloc(size_t nr, size_t size)
{
	return no_memory ? NULL : __real_calloc(nr, size);
}

void *__vmalloc(unsigned long size, unsigned int gfp)
{
	assert_int_equal(size, RING_BYTES);
	assert_int_equal(gfp, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	return no_ring ? NULL : __real_calloc(1, size);
}

u64 ktime_get_mono_fast_ns(void)
{
	return ++now_ns;
}

kuid_t current_uid(void)
{
	return (kuid_t) { 1000 };
}

int pprof_tracepoint_add(enum pprof_tracepoint hook, void *fn, void *data)
{
	assert_int_equal(hook, PPROF_TRACEPOINT_NEWTASK);
	if (hook_error)
		return hook_error;
	probe = (probe_t *)fn;
	probe_data = data;
	return 0;
}

void pprof_tracepoint_del(enum pprof_tracepoint hook, void *fn, void *data)
{
	(void)hook;
	assert_ptr_equal(probe, fn);
	assert_ptr_equal(probe_data, data);
	probe = NULL;
}

static void create(u32 tid)
{
	struct task_struct task = { .pid = tid };

	probe(probe_data, &task, CLONE_THREAD);
}

void pprof_record_fill_sample(struct pprof_sample *sample, struct pid_namespace *ns,
			      const struct pprof_session_tables *session_tables, u32 max_frames,
			      const struct pprof_sample_info *what)
{
	u32 tid = create_meanwhile;

	assert_true(shim_irqs_are_off);
	assert_ptr_equal(ns, &init_pid_ns);
	assert_null(session_tables);
	create_meanwhile = 0;
	if (tid)
		create(tid);
	*sample = (struct pprof_sample) {
		.weight = what->weight, .arg = what->arg, .source = what->source,
		.nr_frames = nr_frames < max_frames ? nr_frames : max_frames,
	};
	sample->ev.rec.size = sizeof(*sample) + sample->nr_frames * sizeof(u64);
	for (u32 i = 0; i < sample->nr_frames; i++)
		sample->frames[i] = what->arg + i;
}

static void report(const struct pprof_audit_record *record)
{
	const struct pprof_sample *sample = &record->sample;

	assert_true(record->seq > reported.seq);
	assert_true(sample->ev.time_ns > reported.time_ns);
	assert_int_equal(record->uid, 1000);
	assert_int_equal(sample->source, PPROF_SOURCE_THREADCREATE);
	for (u32 i = 0; i < sample->nr_frames; i++)
		assert_int_equal(sample->frames[i], sample->arg + i);
	reported.tids[reported.nr++ % 4] = sample->arg;
	reported.seq = record->seq;
	reported.time_ns = sample->ev.time_ns;
	reported.nr_frames = sample->nr_frames;
	reported.has_stack = record->has_stack;
}

static int setup(void **state)
{
	(void)state;
	memset(&reported, 0, sizeof(reported));
	nr_frames = NR_DEEP;
	pprof_audit_init(report);
	reported.seq = pprof_audit_flush();
	return 0;
}

static void test_numbers_and_times_rise(void **state)
{
	u64 first = reported.seq;

	(void)state;
	assert_int_equal(pprof_audit_get(false), 0);
	create(100);
	create(101);
	assert_int_equal(pprof_audit_flush(), first + 2);
	assert_int_equal(reported.nr, 2);
	assert_int_equal(reported.tids[0], 100);
	assert_int_equal(reported.tids[1], 101);
	assert_false(reported.has_stack);
	assert_int_equal(reported.nr_frames, 1);
	assert_false(shim_irqs_are_off);
	pprof_audit_put(false);
	assert_null(probe);
}

/* The shim's lock cannot be taken twice. */
static void test_no_one_waits_for_a_walk(void **state)
{
	u64 first = reported.seq;

	(void)state;
	assert_int_equal(pprof_audit_get(true), 0);
	create_meanwhile = 200;
	create(201);
	assert_int_equal(pprof_audit_flush(), first + 2);
	assert_int_equal(reported.tids[0], 200);
	pprof_audit_put(true);
}

static void test_stacks_while_somebody_wants_them(void **state)
{
	(void)state;
	assert_int_equal(pprof_audit_get(false), 0);
	assert_int_equal(pprof_audit_get(true), 0);
	create(300);
	pprof_audit_flush();
	assert_true(reported.has_stack);
	assert_int_equal(reported.nr_frames, NR_DEEP);
	pprof_audit_put(true);
	create(301);
	pprof_audit_flush();
	assert_false(reported.has_stack);
	pprof_audit_put(false);
}

/* The numbers of those that did not fit are gone. */
static void test_a_full_ring_is_a_gap(void **state)
{
	u64 first = reported.seq, nr_fit;

	(void)state;
	assert_int_equal(pprof_audit_get(true), 0);
	for (u32 i = 0; i < NR_OVER; i++)
		create(400 + i);
	assert_int_equal(pprof_audit_flush(), first + NR_OVER);
	nr_fit = reported.nr;
	assert_in_range(nr_fit, RING_BYTES / 1024, NR_OVER - 1);
	assert_int_equal(reported.seq, first + nr_fit);
	create(1);
	pprof_audit_flush();
	assert_int_equal(reported.seq, first + NR_OVER + 1);
	assert_int_equal(reported.nr, nr_fit + 1);
	pprof_audit_put(true);
}

static void test_what_fails_leaves_nothing(void **state)
{
	(void)state;
	no_memory = true;
	assert_int_equal(pprof_audit_get(true), -ENOMEM);
	no_memory = false;
	no_ring = true;
	assert_int_equal(pprof_audit_get(true), -ENOMEM);
	no_ring = false;
	hook_error = -EEXIST;
	assert_int_equal(pprof_audit_get(true), -EEXIST);
	hook_error = 0;
	assert_null(probe);
	assert_int_equal(pprof_audit_get(false), 0);
	create(500);
	pprof_audit_flush();
	assert_false(reported.has_stack);	/* a get that failed adds no listener */
	pprof_audit_put(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_numbers_and_times_rise, setup),
		cmocka_unit_test_setup(test_no_one_waits_for_a_walk, setup),
		cmocka_unit_test_setup(test_stacks_while_somebody_wants_them, setup),
		cmocka_unit_test_setup(test_a_full_ring_is_a_gap, setup),
		cmocka_unit_test_setup(test_what_fails_leaves_nothing, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
