// SPDX-License-Identifier: GPL-2.0
// sources: kmod/ring/ring.c collector/device/ring.c
// include: -Itests/unit/shim
// flags: -O1 -g -fsanitize=thread
// libs: -pthread
/*
 * Producer and reader at the same time. ThreadSanitizer sees each access to
 * the data that the barriers A to D don't order.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "collector/device/ring.h"
#include "kmod/ring/ring.h"

#define BYTES		4096U
#define NR_RECORDS	1000000U
#define MAX_WORDS	40

struct shared {
	struct pprof_ring_head head;
	struct pprof_ring_tail tail;
	uint64_t data[BYTES / 8];
};

struct message {
	struct pprof_record rec;
	uint64_t number;
	uint64_t sum;
	uint64_t words[];
};

static uint64_t mix(uint64_t n)
{
	n *= 0x9e3779b97f4a7c15;
	return n ^ n >> 29;
}

static void fill(struct message *m, uint64_t number)
{
	uint32_t nr = mix(number) % MAX_WORDS;

	m->rec.type = PPROF_REC_SAMPLE;
	m->rec.size = sizeof(*m) + nr * sizeof(*m->words);
	m->number = number;
	m->sum = number;
	for (uint32_t i = 0; i < nr; i++) {
		m->words[i] = mix(number + i);
		m->sum += m->words[i];
	}
}

static void *produce(void *arg)
{
	struct shared *s = arg;
	struct message *m;
	struct pprof_ring ring;

	pprof_ring_init(&ring, &s->head, &s->tail, s->data, BYTES, 0);
	for (uint64_t number = 0; number < NR_RECORDS; number++) {
		while (!(m = pprof_ring_reserve(&ring, sizeof(*m) + MAX_WORDS * 8)))
			sched_yield();
		fill(m, number);
		pprof_ring_commit(&ring, &m->rec);
	}
	return NULL;
}

static uint64_t sum_of(const struct message *m)
{
	uint64_t sum = m->number;

	for (size_t i = 0; i < (m->rec.size - sizeof(*m)) / 8; i++)
		sum += m->words[i];
	return sum;
}

static void consume(struct shared *s)
{
	struct ring r = { &s->head, &s->tail, (void *)s->data, BYTES };
	const struct message *m;
	uint64_t number = 0, pos = 0;

	while (number < NR_RECORDS) {
		uint64_t head = ring_head(&r);

		while ((m = (const struct message *)ring_next(&r, &pos, head))) {
			assert_int_equal(m->number, number);
			assert_int_equal(m->sum, sum_of(m));
			number++;
		}
		ring_release(&r, pos);
		if (pos == ring_head(&r))
			sched_yield();
	}
	assert_int_equal(pos, ring_head(&r));
}

static void test_both_ends_at_once(void **state)
{
	struct shared *s = calloc(1, sizeof(*s));
	pthread_t producer;

	(void)state;
	assert_non_null(s);
	assert_int_equal(pthread_create(&producer, NULL, produce, s), 0);
	consume(s);
	pthread_join(producer, NULL);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_ends_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
