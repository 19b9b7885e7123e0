// SPDX-License-Identifier: GPL-2.0
#include "session/time_span.h"

#include "base/clock.h"
#include "procfs/time_namespace.h"

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
