// SPDX-License-Identifier: GPL-2.0
#include "duration.h"

#include "clock.h"
#include "timens.h"

static uint64_t moment(uint64_t record_ns)
{
	return record_ns ? record_ns + timens_offset_ns() : clock_ns(CLOCK_MONOTONIC);
}

void duration_begin(struct duration *d, uint64_t begin_ns)
{
	uint64_t ago;

	d->begin_ns = moment(begin_ns);
	ago = clock_ns(CLOCK_MONOTONIC) - d->begin_ns;
	d->time_ns = clock_ns(CLOCK_REALTIME) - ago;
}

uint64_t duration_end(struct duration *d, uint64_t end_ns)
{
	uint64_t end = moment(end_ns);

	d->ns = end - d->begin_ns;
	return end - timens_offset_ns();
}
