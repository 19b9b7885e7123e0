// SPDX-License-Identifier: GPL-2.0
// sources: kmod/ring/ring.c collector/device/ring.c
// include: -Itests/unit/shim
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "collector/device/ring.h"
#include "kmod/ring/ring.h"

#define BYTES	1024U
#define NR(array)	(sizeof(array) / sizeof(*(array)))

/* A ring with both of its ends. */
struct pair {
	struct pprof_ring_head head;
	struct pprof_ring_tail tail;
	uint64_t data[BYTES / 8];
	struct pprof_ring in;
	struct ring out;
	uint64_t pos;
};

static int setup(void **state)
{
	struct pair *p = calloc(1, sizeof(*p));

	if (!p)
		return -1;
	pprof_ring_init(&p->in, &p->head, &p->tail, p->data, BYTES, 0);
	p->out = (struct ring){ &p->head, &p->tail, (void *)p->data, BYTES };
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

/* As if `bytes` had gone through the ring already. */
static void move_to(struct pair *p, uint64_t bytes)
{
	p->in.head = bytes;
	p->head.head = bytes;
	p->tail.tail = bytes;
	p->pos = bytes;
}

/* The record's place; filled with a mark that the reader can check. */
static struct pprof_record *put(struct pair *p, uint32_t reserve, uint32_t size, uint8_t mark)
{
	struct pprof_record *record = pprof_ring_reserve(&p->in, reserve);

	if (!record)
		return NULL;
	memset(record, mark, size);
	record->type = PPROF_REC_SAMPLE;
	record->size = size;
	pprof_ring_commit(&p->in, record);
	return record;
}

static const struct pprof_record *get(struct pair *p)
{
	return ring_next(&p->out, &p->pos, ring_head(&p->out));
}

static void assert_next(struct pair *p, uint32_t size, uint8_t mark)
{
	const struct pprof_record *record = get(p);
	const uint8_t *content = (const uint8_t *)(record + 1);

	assert_non_null(record);
	assert_int_equal((uintptr_t)record % 8, 0);
	assert_int_equal(record->type, PPROF_REC_SAMPLE);
	assert_int_equal(record->size, (size + 7) / 8 * 8);
	for (uint32_t i = 0; i < size - sizeof(*record); i++)
		assert_int_equal(content[i], mark);
}

static void test_empty(void **state)
{
	struct pair *p = *state;

	assert_int_equal(p->head.ring_bytes, BYTES);
	assert_null(get(p));
	assert_int_equal(p->pos, 0);
	assert_int_equal(pprof_ring_pending(&p->in), 0);
	/* what is reserved is not there until it is committed */
	assert_ptr_equal(pprof_ring_reserve(&p->in, 16), p->data);
	assert_null(get(p));
	assert_ptr_equal(pprof_ring_reserve(&p->in, 16), p->data);
}

static void test_records_come_out_in_order(void **state)
{
	struct pair *p = *state;

	put(p, 40, 40, 1);
	put(p, 8, 8, 2);
	put(p, 24, 24, 3);
	assert_int_equal(pprof_ring_pending(&p->in), 72);
	assert_next(p, 40, 1);
	assert_next(p, 8, 2);
	assert_next(p, 24, 3);
	assert_null(get(p));
	assert_int_equal(ring_tail(&p->out), 0);
	ring_release(&p->out, p->pos);
	assert_int_equal(ring_tail(&p->out), 72);
	assert_int_equal(pprof_ring_pending(&p->in), 0);
}

static void test_sizes_are_aligned(void **state)
{
	struct pair *p = *state;

	for (uint32_t size = 9; size <= 17; size++)
		put(p, size, size, size);
	for (uint32_t size = 9; size <= 17; size++)
		assert_next(p, size, size);
	assert_int_equal(p->pos, 8 * 16 + 24);
}

static void test_only_what_was_used_is_handed_over(void **state)
{
	struct pair *p = *state;

	for (int i = 0; i < 3; i++)
		assert_non_null(put(p, BYTES - 2 * 16, 16, i));
	assert_int_equal(pprof_ring_pending(&p->in), 48);
	for (int i = 0; i < 3; i++)
		assert_next(p, 16, i);
}

/* Full is full to the last byte, and one byte more is too many. */
static void test_full(void **state)
{
	struct pair *p = *state;

	assert_null(put(p, BYTES + 8, 16, 1));
	assert_non_null(put(p, BYTES - 16, BYTES - 16, 1));
	assert_null(put(p, 17, 17, 2));
	assert_non_null(put(p, 16, 16, 2));
	assert_null(put(p, 8, 8, 3));
	assert_int_equal(pprof_ring_pending(&p->in), BYTES);
	assert_next(p, BYTES - 16, 1);
	assert_null(put(p, 8, 8, 3));
	ring_release(&p->out, p->pos);
	assert_next(p, 16, 2);
	assert_non_null(put(p, BYTES - 16, BYTES - 16, 3));
	assert_null(put(p, 8, 8, 4));
	assert_next(p, BYTES - 16, 3);
}

/* A record that would be split goes to the start, wherever the end is. */
static void test_pads_at_every_offset(void **state)
{
	struct pair *p = *state;
	struct pprof_record *record;

	for (uint32_t left = 8; left < BYTES; left += 8) {
		uint32_t size = left + 8 < BYTES - left ? left + 8 : 0;

		move_to(p, 5 * (uint64_t)BYTES - left);
		record = put(p, left, left, 7);
		assert_ptr_equal(record, p->data + (BYTES - left) / 8);
		assert_next(p, left, 7);
		move_to(p, 5 * (uint64_t)BYTES - left);
		if (!size)
			continue;
		assert_ptr_equal(put(p, size, size, 8), p->data);
		assert_int_equal(pprof_ring_pending(&p->in), left + size);
		assert_next(p, size, 8);
		assert_null(get(p));
		assert_int_equal(p->pos, 5 * (uint64_t)BYTES + size);
	}
}

static void test_a_pad_takes_room_too(void **state)
{
	struct pair *p = *state;

	move_to(p, BYTES - 64);
	assert_null(put(p, BYTES - 56, 8, 1));
	assert_non_null(put(p, BYTES - 64, BYTES - 64, 1));
	assert_null(put(p, 8, 8, 2));
	assert_next(p, BYTES - 64, 1);
}

/* The ring's size again as position: 32 bits are not enough. */
static void test_positions_beyond_32_bits(void **state)
{
	struct pair *p = *state;

	move_to(p, (1ULL << 32) - 16);
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 5; i++)
			assert_non_null(put(p, 48, 48, i));
		for (int i = 0; i < 5; i++)
			assert_next(p, 48, i);
		ring_release(&p->out, p->pos);
	}
	assert_true(p->pos > 1ULL << 32);
}

/* Lies about the tail fill the ring, and never let it be overrun. */
static void test_hostile_tails(void **state)
{
	static const uint64_t lies[] = {
		1ULL << 20, (1ULL << 20) + 8, UINT64_MAX, 1ULL << 63, 0,
		(1ULL << 20) - 2 * BYTES,
	};
	struct pair *p = *state;

	for (size_t i = 1; i < NR(lies); i++) {
		move_to(p, lies[0]);
		p->tail.tail = lies[i];
		assert_int_equal(pprof_ring_pending(&p->in), BYTES);
		assert_null(put(p, 8, 8, 1));
	}
	move_to(p, lies[0]);
	p->tail.tail = lies[0] - 3;
	assert_int_equal(pprof_ring_pending(&p->in), 3);
	assert_null(put(p, BYTES, BYTES, 1));
	assert_ptr_equal(put(p, BYTES - 8, BYTES - 8, 1), p->data);
}

/* The head that is published is a copy: user space cannot move ours. */
static void test_the_kernel_keeps_its_own_head(void **state)
{
	struct pair *p = *state;

	put(p, 16, 16, 1);
	p->head.head = 999;
	p->head.ring_bytes = 1 << 30;
	assert_ptr_equal(put(p, 16, 16, 2), p->data + 2);
	assert_int_equal(p->head.head, 32);
	assert_null(put(p, BYTES, 16, 3));
}

static bool commit(struct pair *p, uint32_t size)
{
	struct pprof_record *record = pprof_ring_reserve(&p->in, size);

	assert_non_null(record);
	*record = (struct pprof_record){ PPROF_REC_SAMPLE, size };
	return pprof_ring_commit(&p->in, record);
}

static void test_wakes_where_the_watermark_is_passed(void **state)
{
	struct pair *p = *state;

	pprof_ring_init(&p->in, &p->head, &p->tail, p->data, BYTES, 100);
	for (int round = 0; round < 3; round++) {
		assert_false(commit(p, 48));
		assert_false(pprof_ring_is_due(&p->in));
		assert_false(commit(p, 48));
		assert_true(commit(p, 8));
		assert_true(pprof_ring_is_due(&p->in));
		assert_false(commit(p, 8));
		ring_release(&p->out, p->head.head);
		assert_false(pprof_ring_is_due(&p->in));
	}
}

/* Fails if a reader sleeps on that took all records between a reserve and its commit. */
static void test_wakes_a_reader_that_reads_meanwhile(void **state)
{
	struct pair *p = *state;
	struct pprof_record *record;

	pprof_ring_init(&p->in, &p->head, &p->tail, p->data, BYTES, 1);
	assert_true(commit(p, 48));
	record = pprof_ring_reserve(&p->in, 48);
	*record = (struct pprof_record){ PPROF_REC_SAMPLE, 48 };
	ring_release(&p->out, p->head.head);
	assert_false(pprof_ring_is_due(&p->in));
	assert_true(pprof_ring_commit(&p->in, record));
	assert_true(pprof_ring_is_due(&p->in));
}

static void test_what_is_urgent_is_due_at_once(void **state)
{
	struct pair *p = *state;

	move_to(p, 1ULL << 40);
	pprof_ring_set_urgent(&p->in);
	assert_false(pprof_ring_is_due(&p->in));
	put(p, 16, 16, 1);
	assert_false(pprof_ring_is_due(&p->in));
	pprof_ring_set_urgent(&p->in);
	assert_true(pprof_ring_is_due(&p->in));
	p->tail.tail += 8;
	assert_true(pprof_ring_is_due(&p->in));
	p->tail.tail += 8;
	assert_false(pprof_ring_is_due(&p->in));
	put(p, 16, 16, 2);
	assert_false(pprof_ring_is_due(&p->in));
	p->tail.tail += 16;
	assert_false(pprof_ring_is_due(&p->in));
}

static void test_the_default_watermark_is_half(void **state)
{
	struct pair *p = *state;

	assert_false(commit(p, BYTES / 2 - 8));
	assert_false(pprof_ring_is_due(&p->in));
	assert_true(commit(p, 8));
	assert_true(pprof_ring_is_due(&p->in));
	assert_false(commit(p, BYTES / 2 - 8));
	ring_release(&p->out, BYTES / 2);
	/* a pad counts as well */
	assert_true(commit(p, 16));
}

static void test_counters(void **state)
{
	struct pair *p = *state;

	pprof_ring_produced(&p->in, PPROF_SOURCE_CPU, 3);
	pprof_ring_produced(&p->in, PPROF_SOURCE_CPU, 4);
	pprof_ring_produced(&p->in, PPROF_CLASS_EVENT, 1);
	pprof_ring_lost(&p->in, PPROF_SOURCE_CPU, PPROF_LOST_FULL, 2);
	pprof_ring_lost(&p->in, PPROF_CLASS_EVENT, PPROF_LOST_QUEUE, 1);
	assert_int_equal(p->head.produced[PPROF_SOURCE_CPU], 7);
	assert_int_equal(p->head.produced[PPROF_SOURCE_THREADCREATE], 0);
	assert_int_equal(p->head.produced[PPROF_CLASS_EVENT], 1);
	assert_int_equal(p->head.lost[PPROF_SOURCE_CPU][PPROF_LOST_FULL], 2);
	assert_int_equal(p->head.lost[PPROF_SOURCE_CPU][PPROF_LOST_QUEUE], 0);
	assert_int_equal(p->head.lost[PPROF_CLASS_EVENT][PPROF_LOST_QUEUE], 1);
}

/* Behind such a record nothing can be found: reading goes on at the head. */
static void test_insane_records_end_the_reading(void **state)
{
	static const struct {
		uint64_t pos, head;
		uint32_t size;
	} cases[] = {
		{ 0, 64, 0 }, { 0, 64, 4 }, { 0, 64, 7 }, { 0, 64, 12 }, { 0, 64, 20 },
		{ 0, 64, 72 }, { 0, BYTES, BYTES + 8 }, { 0, 64, UINT32_MAX - 7 },
		{ BYTES - 32, BYTES + 64, 40 }, { BYTES - 8, BYTES + 64, 16 },
	};
	struct pair *p = *state;

	for (size_t i = 0; i < NR(cases); i++) {
		struct pprof_record *record = (void *)(p->data + cases[i].pos % BYTES / 8);

		for (uint32_t type = PPROF_REC_PAD; type <= PPROF_REC_SAMPLE; type++) {
			*record = (struct pprof_record){ type, cases[i].size };
			p->pos = cases[i].pos;
			assert_null(ring_next(&p->out, &p->pos, cases[i].head));
			assert_int_equal(p->pos, cases[i].head);
		}
	}
}

/* The largest record that can be: all of the ring. */
static void test_one_record_may_be_the_whole_ring(void **state)
{
	struct pair *p = *state;

	assert_non_null(put(p, BYTES, BYTES, 9));
	assert_next(p, BYTES, 9);
	assert_null(get(p));
}

struct model {
	struct {
		uint32_t size;
		uint8_t mark;
	} queue[BYTES / 8];
	size_t first, nr;
	uint32_t seed;
	size_t nr_put, nr_refused;
};

static uint32_t draw(struct model *m, uint32_t below)
{
	m->seed = m->seed * 1664525 + 1013904223;
	return (m->seed >> 8) % below;
}

static void model_put(struct model *m, struct pair *p)
{
	uint32_t reserve = 8 + draw(m, draw(m, 4) ? 100 : BYTES);
	uint32_t size = 8 + draw(m, reserve - 7);
	size_t last = (m->first + m->nr) % NR(m->queue);

	if (!put(p, reserve, size, m->nr_put)) {
		m->nr_refused++;
		/* with nothing in it, half of the ring is free on one side */
		assert_true(m->nr || p->pos != ring_tail(&p->out) || reserve > BYTES / 2);
		return;
	}
	m->queue[last].size = size;
	m->queue[last].mark = m->nr_put++;
	m->nr++;
	assert_true(m->nr <= NR(m->queue));
}

static void model_get(struct model *m, struct pair *p)
{
	if (!m->nr) {
		assert_null(get(p));
		return;
	}
	assert_next(p, m->queue[m->first].size, m->queue[m->first].mark);
	m->first = (m->first + 1) % NR(m->queue);
	m->nr--;
}

static void test_against_a_queue(void **state)
{
	struct model m = { .seed = 1 };
	struct pair *p = *state;

	for (int i = 0; i < 300000; i++) {
		switch (draw(&m, 5)) {
		case 0:
		case 1:
			model_put(&m, p);
			break;
		case 2:
		case 3:
			model_get(&m, p);
			break;
		default:
			ring_release(&p->out, p->pos);
		}
		assert_true(p->in.head - p->tail.tail <= BYTES);
	}
	assert_true(m.nr_put > 50000 && m.nr_refused > 10000);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_empty),
		WITH_SETUP(test_records_come_out_in_order),
		WITH_SETUP(test_sizes_are_aligned),
		WITH_SETUP(test_only_what_was_used_is_handed_over),
		WITH_SETUP(test_full),
		WITH_SETUP(test_pads_at_every_offset),
		WITH_SETUP(test_a_pad_takes_room_too),
		WITH_SETUP(test_positions_beyond_32_bits),
		WITH_SETUP(test_hostile_tails),
		WITH_SETUP(test_the_kernel_keeps_its_own_head),
		WITH_SETUP(test_wakes_where_the_watermark_is_passed),
		WITH_SETUP(test_wakes_a_reader_that_reads_meanwhile),
		WITH_SETUP(test_what_is_urgent_is_due_at_once),
		WITH_SETUP(test_the_default_watermark_is_half),
		WITH_SETUP(test_counters),
		WITH_SETUP(test_insane_records_end_the_reading),
		WITH_SETUP(test_one_record_may_be_the_whole_ring),
		WITH_SETUP(test_against_a_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
