// SPDX-License-Identifier: GPL-2.0
/*
 * Measures how fast the collector finds equal stacks: 10,000 distinct stacks of depth 32, in
 * random order. The peer is a plain chained map, which hashes with FNV-1a and compares
 * stacks byte by byte. Both run several times, in turns, so that a busy machine disturbs
 * both. The best run counts.
 *
 * Prints `name  Mstacks/s  bytes/stack` for each, and the ratio of the speeds.
 */
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/tuple_map.h"

#define DEPTH		32
#define NR_STACKS	10000
#define NR_ADDS		2000000
#define REPETITIONS	7

struct input {
	uint64_t frames[NR_STACKS][DEPTH];
	uint32_t order[NR_ADDS];
};

struct chained_stack {
	struct chained_stack *next;
	uint64_t count;
	uint32_t nr_frames;
	uint64_t frames[];
};

struct chained {
	struct chained_stack *buckets[16384];
};

/* A map that is measured: it is made, filled and freed. */
struct contender {
	const char *name;
	void *(*make)(void);
	void (*add)(void *map, const uint64_t *frames, uint32_t nr);
	void (*drop)(void *map);
	double best_ns;
	double bytes;
};

static void *or_die(void *mem)
{
	if (!mem) {
		perror("bench/stacks");
		exit(1);
	}
	return mem;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/*
 * Makes stacks as real programs have them: many stacks share their outer frames, and the leaves
 * are some thousand addresses in a text of some MiB.
 */
static struct input *make_input(void)
{
	struct input *in = or_die(malloc(sizeof(*in)));
	uint64_t state = 88172645463325252ULL;
	size_t i, j;

	for (i = 0; i < NR_STACKS; i++)
		for (j = 0; j < DEPTH; j++)
			in->frames[i][j] = j < DEPTH / 2 || !i ?
				0x555500000000 + next_random(&state) % (4 << 20) :
				in->frames[i - 1 - next_random(&state) % (i < 50 ? i : 50)][j];
	for (i = 0; i < NR_ADDS; i++)
		in->order[i] = next_random(&state) % NR_STACKS;
	return in;
}

static uint64_t fnv1a(const uint8_t *bytes, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325;

	while (len--)
		hash = (hash ^ *bytes++) * 0x100000001b3;
	return hash;
}

static bool same_bytes(const uint8_t *a, const uint8_t *b, size_t len)
{
	while (len--)
		if (*a++ != *b++)
			return false;
	return true;
}

static void *chained_make(void)
{
	return or_die(calloc(1, sizeof(struct chained)));
}

static void chained_add(void *map, const uint64_t *frames, uint32_t nr)
{
	size_t i, bytes = nr * sizeof(*frames);
	struct chained *c = map;
	struct chained_stack *st, **bucket;

	bucket = &c->buckets[fnv1a((const uint8_t *)frames, bytes) % 16384];
	for (st = *bucket; st; st = st->next) {
		if (st->nr_frames == nr &&
		    same_bytes((const uint8_t *)st->frames, (const uint8_t *)frames, bytes)) {
			st->count++;
			return;
		}
	}
	st = or_die(malloc(sizeof(*st) + bytes));
	st->next = *bucket;
	st->count = 1;
	st->nr_frames = nr;
	for (i = 0; i < nr; i++)
		st->frames[i] = frames[i];
	*bucket = st;
}

static void chained_drop(void *map)
{
	struct chained_stack *st, *next;
	struct chained *c = map;
	size_t i;

	for (i = 0; i < 16384; i++) {
		for (st = c->buckets[i]; st; st = next) {
			next = st->next;
			free(st);
		}
	}
	free(c);
}

static void *stacks_make(void)
{
	return or_die(tuple_map_new(SIZE_MAX));
}

static void stacks_add_one(void *map, const uint64_t *frames, uint32_t nr)
{
	if (tuple_map_add(map, 0, frames, nr, 1) < 0)
		or_die(NULL);
}

static void stacks_drop(void *map)
{
	tuple_map_free(map);
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static double heap_bytes(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static void measure(struct contender *c, const struct input *in)
{
	double bytes = heap_bytes(), ns;
	void *map = c->make();
	size_t i;

	ns = now_ns();
	for (i = 0; i < NR_ADDS; i++)
		c->add(map, in->frames[in->order[i]], DEPTH);
	ns = now_ns() - ns;
	if (!c->best_ns || ns < c->best_ns)
		c->best_ns = ns;
	c->bytes = heap_bytes() - bytes;
	c->drop(map);
}

int main(void)
{
	struct contender contenders[] = {
		{ "stacks", stacks_make, stacks_add_one, stacks_drop, 0, 0 },
		{ "chained-fnv1a", chained_make, chained_add, chained_drop, 0, 0 },
	};
	struct input *in = make_input();
	size_t i, n;

	for (n = 0; n < REPETITIONS; n++)
		for (i = 0; i < 2; i++)
			measure(&contenders[i], in);
	for (i = 0; i < 2; i++)
		printf("%-14s %7.2f Mstacks/s %6.0f bytes/stack\n", contenders[i].name,
		       NR_ADDS * 1e3 / contenders[i].best_ns, contenders[i].bytes / NR_STACKS);
	printf("%-14s %7.2f\n", "ratio", contenders[1].best_ns / contenders[0].best_ns);
	free(in);
	return 0;
}
