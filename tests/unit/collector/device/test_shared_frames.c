// SPDX-License-Identifier: GPL-2.0
// sources: collector/device/shared_frames.c collector/device/sample_record.c
// sources: collector/device/wait_class.c collector/device/thread_state.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "device/sample_record.h"
#include "device/shared_frames.h"
#include "life.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))

static struct shared_frames shared;
static uint64_t room[128];

static int begin(void **state)
{
	(void)state;
	shared = (struct shared_frames){ 0 };
	return 0;
}

static int end(void **state)
{
	(void)state;
	shared_frames_fini(&shared);
	return 0;
}

struct frames {
	uint32_t nr;
	const uint64_t *at;
};

/* A record of a thread, which leaves out nr_shared frames. */
static struct pprof_sample *make(uint32_t tid, uint32_t nr_shared, struct frames frames)
{
	struct pprof_sample *sample = life_sample(room, 1, (struct process){ tid, 1 }, frames.at,
						  frames.nr);

	sample->nr_shared = nr_shared;
	return sample;
}

static const struct pprof_sample *add(uint32_t ring, const struct pprof_sample *sample)
{
	assert_true(sample_is_sane(sample));
	assert_int_equal(shared_frames_add(&shared, ring, &sample), 0);
	assert_true(sample_is_sane(sample));
	assert_int_equal(sample->nr_shared, 0);
	return sample;
}

static void check_frames(const struct pprof_sample *sample, struct frames frames)
{
	assert_int_equal(sample->end_reason, PPROF_END_COMPLETE);
	assert_int_equal(sample->nr_frames, frames.nr);
	assert_memory_equal(sample->frames, frames.at, frames.nr * sizeof(*frames.at));
}

#define FRAMES(...) ((struct frames){							\
	NR(((const uint64_t[]){ __VA_ARGS__ })), (const uint64_t[]){ __VA_ARGS__ } })
#define ADD(ring, tid, nr_shared, ...) add(ring, make(tid, nr_shared, FRAMES(__VA_ARGS__)))

static void test_frames_of_the_last_sample(void **state)
{
	(void)state;
	check_frames(ADD(0, 1, 0, 1, 2, 3, 4), FRAMES(1, 2, 3, 4));
	check_frames(ADD(0, 1, 3, 5), FRAMES(5, 2, 3, 4));
	check_frames(ADD(0, 1, 2, 8, 7, 6), FRAMES(8, 7, 6, 3, 4));
	check_frames(ADD(0, 1, 4, 9), FRAMES(9, 7, 6, 3, 4));
	check_frames(ADD(0, 1, 0, 1), FRAMES(1));
	check_frames(ADD(0, 1, 1, 2), FRAMES(2, 1));
}

/* Each ring and each number of a thread has its own stack. Two threads may have the same. */
static void test_whose_frames(void **state)
{
	(void)state;
	ADD(2, 1, 0, 1, 2);
	ADD(0, 1, 0, 3, 4);
	ADD(0, 2, 0, 5, 6);
	check_frames(ADD(2, 1, 1, 9), FRAMES(9, 2));
	check_frames(ADD(0, 1, 1, 9), FRAMES(9, 4));
	check_frames(ADD(0, 2 + PPROF_SHARED_STACKS, 1, 9), FRAMES(9, 6));
	assert_int_equal(ADD(1, 1, 1, 9)->end_reason, PPROF_END_NOT_SHARED);
}

/* Only the user stack is shared. What follows the frames stays as it was. */
static void test_kernel_frames_and_labels(void **state)
{
	static const struct pprof_sample_labels labels = { .set = 7, .bytes = 8 };
	struct pprof_sample *sample = make(1, 0, FRAMES(100, 101, 1, 2, 3));

	(void)state;
	sample->nr_kernel = 2;
	check_frames(add(0, sample), FRAMES(100, 101, 1, 2, 3));
	sample = make(1, 2, FRAMES(102, 4));
	sample->nr_kernel = 1;
	sample->flags = PPROF_SAMPLE_LABELS;
	memcpy(&sample->frames[2], &labels, sizeof(labels));
	memcpy((char *)&sample->frames[2] + sizeof(labels), "k\0v", 4);
	sample->ev.rec.size += sizeof(labels) + 8;
	sample = (struct pprof_sample *)add(0, sample);
	check_frames(sample, FRAMES(102, 4, 2, 3));
	assert_int_equal(sample_labels(sample)->set, 7);
	assert_memory_equal(sample_labels(sample)->text, "k\0v", 4);
	/* A sample without a user stack has none to share. */
	sample = make(1, 0, FRAMES(100));
	sample->nr_kernel = 1;
	add(0, sample);
	assert_int_equal(ADD(0, 1, 1, 5)->end_reason, PPROF_END_NOT_SHARED);
}

/* A sample whose outer frames are not known is no whole stack, nor are those that refer to it. */
static void test_unknown_frames(void **state)
{
	const struct pprof_sample *sample;

	(void)state;
	ADD(0, 1, 0, 1, 2);
	for (int i = 0; i < 2; i++) {
		sample = ADD(0, 1, 3 - i, 4, 3);
		assert_int_equal(sample->end_reason, PPROF_END_NOT_SHARED);
		assert_int_equal(sample->nr_frames, 2);
		assert_int_equal(sample->frames[1], 3);
	}
	ADD(0, 1, 0, 1, 2);
	check_frames(ADD(0, 1, 2, 3), FRAMES(3, 1, 2));
}

/* Fails if a ring that has no frames yet cannot forget them, or if other rings do. */
static void test_forgotten_frames(void **state)
{
	(void)state;
	shared_frames_forget(&shared, 1);
	ADD(1, 1, 0, 1, 2);
	shared_frames_forget(&shared, 0);
	check_frames(ADD(1, 1, 1, 3), FRAMES(3, 2));
	shared_frames_forget(&shared, 1);
	assert_int_equal(ADD(1, 1, 1, 3)->end_reason, PPROF_END_NOT_SHARED);
}

/* Together they are PPROF_MAX_FRAMES at most. */
static void test_too_many_frames(void **state)
{
	static uint64_t many[PPROF_MAX_FRAMES];
	static struct {
		struct pprof_sample sample;
		uint64_t frames[PPROF_MAX_FRAMES];
	} record;
	struct pprof_sample *sample;

	(void)state;
	for (uint32_t i = 0; i < PPROF_MAX_FRAMES; i++)
		many[i] = i;
	add(0, life_sample(&record, 1, (struct process){ 1, 1 }, many, PPROF_MAX_FRAMES));
	many[0] = 1000;
	check_frames(ADD(0, 1, 255, 1000), (struct frames){ PPROF_MAX_FRAMES, many });
	sample = make(1, 255, FRAMES(1, 2));
	assert_false(sample_is_sane(sample));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_frames_of_the_last_sample, begin, end),
		cmocka_unit_test_setup_teardown(test_whose_frames, begin, end),
		cmocka_unit_test_setup_teardown(test_kernel_frames_and_labels, begin, end),
		cmocka_unit_test_setup_teardown(test_unknown_frames, begin, end),
		cmocka_unit_test_setup_teardown(test_forgotten_frames, begin, end),
		cmocka_unit_test_setup_teardown(test_too_many_frames, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
