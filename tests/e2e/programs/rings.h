/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the rings of a session, and checks the sums: produced == taken + lost, for each
 * class of each ring.
 *
 * The reader may be killed at any moment, and another process go on where it was. So its
 * sums are in shared memory, twice, each with the tail for which it is valid.
 */
#ifndef RINGS_H
#define RINGS_H

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device.h"

#define MAX_CPUS 64

struct ring_sums {
	uint64_t tail;
	uint64_t taken[PPROF_NR_CLASSES];
};

struct ring {
	struct pprof_ring_tail *tail;	/* NULL: no such CPU */
	const struct pprof_ring_head *head;
	const char *data;
	struct ring_sums *sums;		/* two; the one with the published tail is valid */
};

/*
 * The sources that PPROF_IOC_START alone starts, with their periods: each event is sampled. The
 * period of ticks is an argument of start_all().
 */
static const struct started {
	const char *name;
	unsigned int source;
	uint64_t period;
	int ticks;
} all_started[] = {
	{ "cpu", PPROF_SOURCE_CPU, .ticks = 1 }, { "threadcreate", PPROF_SOURCE_THREADCREATE, 0 },
	{ "wall", PPROF_SOURCE_WALL, .ticks = 1 }, { "block", PPROF_SOURCE_BLOCK, 1 },
	{ "mutex", PPROF_SOURCE_MUTEX, 1 }, { "growth", PPROF_SOURCE_GROWTH, PAGE_BYTES },
};

#define NR_STARTED	(sizeof(all_started) / sizeof(*all_started))

/* Called for each record but PAD. */
typedef void see_t(const struct pprof_record *record, void *context);

struct rings {
	struct ring rings[MAX_CPUS];
	see_t *see;			/* may be NULL */
	void *context;
};

static inline unsigned int nr_cpus_of(int fd)
{
	struct pprof_info info = { .size = sizeof(info) };

	if (ioctl(fd, PPROF_IOC_INFO, &info))
		give_up("info");
	return info.nr_cpus < MAX_CPUS ? info.nr_cpus : MAX_CPUS;
}

static inline void map_ring(struct ring *ring, int fd, unsigned int cpu, unsigned int ring_bytes)
{
	const char *data;

	ring->tail = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			  PPROF_MMAP_TAIL(cpu));
	data = mmap(NULL, PAGE_BYTES + ring_bytes, PROT_READ, MAP_SHARED, fd,
		    PPROF_MMAP_DATA(cpu));
	if (ring->tail == MAP_FAILED || data == MAP_FAILED)
		give_up("mmap");
	ring->head = (const struct pprof_ring_head *)data;
	ring->data = data + PAGE_BYTES;
}

/* Zeroed sums, for rings_map() in this process and in its children. */
static inline struct ring_sums *sums_new(void)
{
	void *sums = mmap(NULL, 2 * MAX_CPUS * sizeof(struct ring_sums), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (sums == MAP_FAILED)
		give_up("sums");
	return sums;
}

static inline void sums_free(struct ring_sums *sums)
{
	munmap(sums, 2 * MAX_CPUS * sizeof(*sums));
}

static inline void rings_map(struct rings *rings, int fd, unsigned int ring_bytes,
			     struct ring_sums *sums)
{
	unsigned int nr = nr_cpus_of(fd);

	for (unsigned int cpu = 0; cpu < nr; cpu++) {
		map_ring(&rings->rings[cpu], fd, cpu, ring_bytes);
		rings->rings[cpu].sums = &sums[2 * cpu];
	}
}

static inline void rings_unmap(struct rings *rings, unsigned int ring_bytes)
{
	for (struct ring *ring = rings->rings; ring < rings->rings + MAX_CPUS; ring++) {
		if (!ring->tail)
			continue;
		munmap(ring->tail, PAGE_BYTES);
		munmap((void *)ring->head, PAGE_BYTES + ring_bytes);
		ring->tail = NULL;
	}
}

/* The sums that hold for the ring's tail. */
static inline const struct ring_sums *sums_now(const struct ring *ring)
{
	uint64_t tail = ring->tail->tail;

	for (int i = 0; i < 2; i++)
		if (ring->sums[i].tail == tail)
			return &ring->sums[i];
	printf("no sums for the tail %#llx\n", (unsigned long long)tail);
	exit(1);
}

/* Adds a record to the sum of its class, and checks it by the rules of uapi/pprof.h. */
static inline void reckon(struct ring_sums *sums, const struct pprof_record *record)
{
	const struct pprof_sample *sample = (const struct pprof_sample *)record;

	if (record->type == PPROF_REC_PAD)
		return;
	if (record->type == PPROF_REC_FREE) {
		sums->taken[PPROF_CLASS_FREE]++;
		check_that("a free's size", record->size == sizeof(struct pprof_free));
		return;
	}
	if (record->type != PPROF_REC_SAMPLE) {
		sums->taken[PPROF_CLASS_EVENT]++;
		check_that("a record's type", record->type <= PPROF_REC_THREAD_END);
		return;
	}
	if (sample->source >= PPROF_NR_SOURCES || sample->end_reason >= PPROF_NR_END_REASONS ||
	    record->size != sizeof(*sample) + sample->nr_frames * 8ULL || !sample->weight)
		check_that("a sample", 0);
	else
		sums->taken[sample->source] += sample->weight;
}

static inline void ring_drain(struct rings *rings, struct ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->head->head, __ATOMIC_ACQUIRE);	/* C */
	const struct ring_sums *old = sums_now(ring);
	struct ring_sums *sums = &ring->sums[old == ring->sums];
	const struct pprof_record *record;
	struct ring_sums next = *old;

	if (old->tail == head)
		return;		/* two sums must not have the same tail */
	while (next.tail != head) {
		record = (const void *)(ring->data + (next.tail & (ring->head->ring_bytes - 1)));
		if (record->size < sizeof(*record) || record->size % 8 ||
		    record->size > head - next.tail) {
			check_that("a record's size", 0);
			exit(1);
		}
		reckon(&next, record);
		if (rings->see && record->type != PPROF_REC_PAD)
			rings->see(record, rings->context);
		next.tail += record->size;
	}
	*sums = next;
	__atomic_store_n(&ring->tail->tail, next.tail, __ATOMIC_RELEASE);	/* D */
}

static inline void rings_drain(struct rings *rings)
{
	for (struct ring *ring = rings->rings; ring < rings->rings + MAX_CPUS; ring++)
		if (ring->tail)
			ring_drain(rings, ring);
}

/* As stop(), which fails with EAGAIN while the last samples do not fit into the rings. */
static inline int rings_stop(struct rings *rings, int fd, unsigned int source)
{
	int ret = stop(fd, source);

	while (ret && errno == EAGAIN) {
		rings_drain(rings);
		ret = stop(fd, source);
	}
	return ret;
}

static inline void start_all(int fd, uint64_t tick_ns)
{
	for (size_t i = 0; i < NR_STARTED; i++)
		check(all_started[i].name, start(fd, all_started[i].source,
						 all_started[i].ticks ? tick_ns :
						 all_started[i].period), 0);
}

static inline void stop_all(struct rings *rings, int fd)
{
	for (size_t i = 0; i < NR_STARTED; i++)
		check(all_started[i].name, rings_stop(rings, fd, all_started[i].source), 0);
}

struct reckoning {
	uint64_t produced;
	uint64_t taken;
	uint64_t lost;
	uint64_t ended;		/* samples of all end reasons */
};

/* The sums of a class in a ring. Records not drained yet are neither taken nor lost. */
static inline struct reckoning ring_reckoning(const struct ring *ring, unsigned int class)
{
	const struct pprof_ring_head *head = ring->head;
	struct reckoning sum = { .produced = __atomic_load_n(&head->produced[class],
							     __ATOMIC_RELAXED) };

	sum.taken = sums_now(ring)->taken[class];
	for (int why = 0; why < PPROF_MAX_LOST; why++)
		sum.lost += __atomic_load_n(&head->lost[class][why], __ATOMIC_RELAXED);
	for (int end = 0; end < PPROF_MAX_END_REASONS; end++)
		sum.ended += __atomic_load_n(&head->end_reasons[class][end], __ATOMIC_RELAXED);
	return sum;
}

/*
 * Drains the rings, and checks the sums of a class. The sources must be stopped. Process
 * events may still come: then it waits for a moment without any.
 * Returns: the sums of the class over all rings.
 */
static inline struct reckoning rings_check(struct rings *rings, unsigned int class)
{
	struct reckoning sum, total = { 0 };
	int tries;

	for (struct ring *ring = rings->rings; ring < rings->rings + MAX_CPUS; ring++) {
		if (!ring->tail)
			continue;
		for (tries = 0; tries < (class == PPROF_CLASS_EVENT ? 2000 : 1); tries++) {
			if (tries)
				sleep_us(1000);
			ring_drain(rings, ring);
			sum = ring_reckoning(ring, class);
			if (sum.produced == sum.taken + sum.lost)
				break;
		}
		check_that("produced == taken + lost", sum.produced == sum.taken + sum.lost);
		check_that("sum of end reasons == taken",
			   class >= PPROF_NR_SOURCES || sum.ended == sum.taken);
		total.produced += sum.produced;
		total.taken += sum.taken;
		total.lost += sum.lost;
	}
	return total;
}

static inline void rings_check_all(struct rings *rings)
{
	for (size_t i = 0; i < NR_STARTED; i++)
		rings_check(rings, all_started[i].source);
}

#endif
