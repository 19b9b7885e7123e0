// SPDX-License-Identifier: GPL-2.0
#include "session/settings.h"

#include "aggregate/label_sets.h"
#include "aggregate/profile_types.h"
#include "pprof.h"

unsigned int settings_labels(const struct settings *s)
{
	unsigned int labels = s->labels;

	if (s->by == SETTINGS_BY_CGROUP)
		return labels | LABELS_WANT_CGROUP;
	if (s->by)
		labels |= LABELS_WANT_COMM;
	if (s->by == SETTINGS_BY_PROCESS)
		labels |= LABELS_WANT_PID;
	return labels;
}

bool settings_at_once(const struct settings *s)
{
	return (s->custom || s->profile_types == 1U << PROFILE_TYPE_THREAD) && !s->duration_ns &&
	       !s->every_ns;
}

bool settings_dump(const struct settings *s)
{
	return s->debug == 2 && (s->profile_types & 1U << PROFILE_TYPE_THREAD);
}

uint64_t settings_period(const struct settings *s, uint32_t source)
{
	switch (source) {
	case PPROF_SOURCE_CPU:
	case PPROF_SOURCE_WALL:
		return 1000000000 / s->hz;
	case PPROF_SOURCE_BLOCK:
		return s->block_rate_ns;
	case PPROF_SOURCE_MUTEX:
		return s->mutex_fraction;
	case PPROF_SOURCE_GROWTH:
		return s->growth_rate;
	case PPROF_SOURCE_HEAP:
		return s->heap_rate;
	}
	return 0;
}
