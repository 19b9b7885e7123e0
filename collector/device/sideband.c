// SPDX-License-Identifier: GPL-2.0
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

static int note(struct sideband *l, const struct pprof_record *record)
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
		if (is_event(record) && note(l, record))
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
