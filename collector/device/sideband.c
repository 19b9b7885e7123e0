// SPDX-License-Identifier: GPL-2.0
/*
 * How a drain reads the rings. Each CPU writes its own ring, and the records of two rings are in no
 * order. But a sample needs the mappings that its process had at that time. So a drain passes over
 * the rings twice:
 *
 *   1. The caller reads the tail and the head of all rings, into a struct ring_reading each. Both
 *      passes read this part. The kernel goes on writing; these records wait for the next drain.
 *   2. First pass: sideband_find() lists the process events of all rings and sorts them by time.
 *      Even in one ring a later record may have an earlier time, as PPROF_REC_MMAP often has.
 *   3. The caller applies the events. Then, in the second pass, it reads the samples and frees.
 *      aggregate/aggregator.h says what it does with them.
 *
 * A single pass would count samples of the first ring before it has read the events of the last
 * ring. Samples stay unsorted: they are many, and need no order among themselves.
 *
 * The list points into the rings. So the caller must apply the whole list before it releases any
 * ring: the kernel may overwrite released records at once.
 *
 * The heads are not read at one instant. An event may be written to the first ring after its head
 * was read. A sample that is younger may then be in this drain, and the event in the next one.
 */
#include "device/sideband.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"

void sideband_fini(struct sideband *l)
{
	free(l->list);
	*l = (struct sideband){ 0 };
}

static bool is_event(const struct pprof_record *record)
{
	return record->type != PPROF_REC_SAMPLE && record->type != PPROF_REC_FREE &&
	       record->size >= sizeof(struct pprof_event);
}

static int add_event(struct sideband *l, const struct pprof_record *record)
{
	const struct pprof_event **list = array_grow(l->list, &l->room, l->nr + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	l->list = list;
	list[l->nr++] = (const struct pprof_event *)record;
	return 0;
}

static int find_in_ring(struct sideband *l, const struct ring *ring, struct ring_reading reading)
{
	const struct pprof_record *record;

	while ((record = ring_next(ring, &reading.pos, reading.head)))
		if (is_event(record) && add_event(l, record))
			return -ENOMEM;
	return 0;
}

static int by_time(const void *left, const void *right)
{
	const struct pprof_event *a = *(const struct pprof_event *const *)left;
	const struct pprof_event *b = *(const struct pprof_event *const *)right;

	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

int sideband_find(struct sideband *l, struct ring *const *rings,
		  const struct ring_reading *readings, uint32_t nr_rings)
{
	int err = 0;

	l->nr = 0;
	for (uint32_t cpu = 0; !err && cpu < nr_rings; cpu++)
		if (rings[cpu])
			err = find_in_ring(l, rings[cpu], readings[cpu]);
	if (l->nr)
		qsort(l->list, l->nr, sizeof(*l->list), by_time);
	return err;
}
