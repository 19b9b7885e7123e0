// SPDX-License-Identifier: GPL-2.0
#include "cli/profile_output.h"

#include <stdbool.h>

#include "aggregate/aggregator.h"
#include "aggregate/profile_types.h"
#include "cli/profile_run.h"
#include "process/mapped_files.h"

const struct profile_type *profile_output_type(const struct profile_run *r, uint32_t profile_type)
{
	return profile_type == PROFILE_TYPE_CUSTOM ? &r->custom_type :
		profile_types_get(profile_type, r->settings->live);
}

/* Returns the requested period of ticks: cpu and wall have the same. */
static uint64_t asked_ns(const struct profile_run *r)
{
	return r->periods[PPROF_SOURCE_CPU];
}

/* The module lengthens the period of ticks on a CPU where sampling takes too much time. */
static uint64_t slowest_ns(const struct profile_run *r, uint32_t source)
{
	uint64_t slowest = r->counters.slowest_ns[source];

	return slowest > asked_ns(r) ? slowest : asked_ns(r);
}

static void fill_comments(struct profile_comments *comments, const struct profile_run *r,
			  const struct profile_type *type)
{
	const uint64_t *lost = r->counters.lost;
	const struct profile_comments_input about = {
		.counts = aggregator_counts(r->aggregator, type->source),
		.lost = lost[type->source],
		.lost_events = lost[PPROF_CLASS_EVENT],
		.lost_frees = type->source == PPROF_SOURCE_HEAP ? lost[PPROF_CLASS_FREE] : 0,
		.refused_tables = r->counters.refused,
		.unopened_files = mapped_files_nr_unopened(r->files),
		.period_ns = type->has_time ? asked_ns(r) : 0,
		.slowest_ns = type->has_time ? slowest_ns(r, type->source) : 0,
	};

	profile_comments_fill(comments, &about);
}

void profile_output_fill(struct profile_output *o, const struct profile_run *r,
			 uint32_t profile_type)
{
	const struct profile_type *type = profile_output_type(r, profile_type);
	uint32_t source = type->source;

	fill_comments(&o->comments, r, type);
	o->in = (struct profile_export_input){
		.profile_type = type,
		.files = r->files, .locations = r->locations, .labels = r->labels,
		.stacks = aggregator_stacks(r->aggregator, source),
		.values = aggregator_values(r->aggregator, source),
		.exe_mapping = aggregator_exe_mapping(r->aggregator),
		.period_ns = asked_ns(r),
		.rate = r->periods[source],
		.slowest_ns = slowest_ns(r, source),
		.time_ns = r->span.time_ns, .duration_ns = r->span.ns,
		.lost = r->counters.lost[source],
		.lost_early = source == PPROF_SOURCE_HEAP ? 0 : r->counters.lost_early[source],
		.over_max = aggregator_counts(r->aggregator, source)->over_max,
		.over_values = aggregator_over_values(r->aggregator, source),
		.comments = o->comments.list,
		.drop_frames = r->settings->drop_frames, .keep_frames = r->settings->keep_frames,
		.text = r->settings->debug,
		.pid = profile_run_pid(r),
	};
}
