// SPDX-License-Identifier: GPL-2.0
#include "session/time_span.h"

#include "base/clock.h"
#include "procfs/time_namespace.h"

/* A larger difference of two clocks is no delay between the calls that read them. */
#define MAX_DELAY_NS	100000000

uint64_t time_span_begin(struct time_span *d, uint64_t begin_ns)
{
	int64_t time_ns = clock_ns(CLOCK_REALTIME);
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	d->begin_ns = begin_ns ? begin_ns + time_namespace_offset_ns() : now;
	d->time_ns = time_ns - (now - d->begin_ns);
	return d->begin_ns - time_namespace_offset_ns();
}

uint64_t time_span_end(struct time_span *d, uint64_t end_ns)
{
	int64_t offset_ns = time_namespace_offset_ns();

	if (!end_ns)
		end_ns = clock_ns(CLOCK_MONOTONIC) - offset_ns;
	d->ns = end_ns + offset_ns - d->begin_ns;
	return end_ns;
}

uint64_t time_span_cut(struct time_span *d, uint64_t end_ns)
{
	d->ns = end_ns - d->begin_ns;
	return end_ns - time_namespace_offset_ns();
}

/* Both clocks run at the same speed, also while NTP adjusts it: see clock_gettime(2). */
void time_span_next(struct time_span *d)
{
	int64_t time_ns = clock_ns(CLOCK_REALTIME), by_clock;

	d->begin_ns += d->ns;
	d->time_ns += d->ns;
	by_clock = time_ns - (int64_t)(clock_ns(CLOCK_MONOTONIC) - d->begin_ns);
	if (by_clock - d->time_ns > MAX_DELAY_NS || d->time_ns - by_clock > MAX_DELAY_NS)
		d->time_ns = by_clock;
	d->ns = 0;
}
