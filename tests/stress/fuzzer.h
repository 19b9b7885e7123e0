/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations for boundary.c and badtables.h: a fuzzer's state, random values, victims. */
#ifndef FUZZER_H
#define FUZZER_H

#include <unistd.h>

#include "../e2e/programs/device.h"
#include "random.h"

#define NR_FDS		6	/* at most: a user has fewer sessions */
#define NR_MAPS		8
#define NR_VICTIMS	3
#define NR_COUNTERS	32
#define DATA_BYTES	(33 * PAGE_BYTES)

struct map {
	char *at;	/* NULL: there is no mapping */
	size_t bytes;
};

struct counter {
	unsigned long calls;
	unsigned long successes;
	double seconds;
};

/* The private state of one fuzzing process. */
struct fuzzer {
	uint64_t seed;
	uint64_t random;	/* state of the random numbers of this call */
	unsigned long count;
	struct map maps[NR_MAPS];
	char *arg;	/* one page for the ioctl's argument */
	char *data;	/* DATA_BYTES after arg; the argument points to it; unmapped beyond */
	int fd;		/* descriptor of the next ioctl */
	int client;	/* own descriptor; the sessions in fds are shared */
	uint32_t set;	/* last set of labels that the module returned */
	int words;	/* true: the label slots have been added to the maps */
	int netlink;
	int family;
	struct counter counters[NR_COUNTERS];
};

static int *fds;		/* shared by all fuzzers; each of them may close any */
static int nr_fds;
static pid_t victims[NR_VICTIMS];

static inline uint64_t random64(struct fuzzer *f)
{
	return random_next(&f->random);
}

static inline uint64_t pick(struct fuzzer *f, uint64_t below)
{
	return random_below(&f->random, below);
}

static inline int one_in(struct fuzzer *f, unsigned int n)
{
	return random_one_in(&f->random, n);
}

static inline uint64_t odd_number(struct fuzzer *f)
{
	return random_odd(&f->random);
}

/* Returns a session: the first one, which is valid, more often than others. */
static inline int some_fd(struct fuzzer *f)
{
	return __atomic_load_n(&fds[one_in(f, 4) ? 0 : pick(f, nr_fds)], __ATOMIC_RELAXED);
}

static inline int some_pid(struct fuzzer *f)
{
	switch (pick(f, 8)) {
	case 0:
		return getpid();
	case 1:
		return pick(f, 1000);
	case 2:
		return odd_number(f);
	default:
		return victims[pick(f, NR_VICTIMS)];
	}
}

#endif
