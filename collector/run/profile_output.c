// SPDX-License-Identifier: GPL-2.0
#include "run/profile_output.h"

#include <stdbool.h>
#include <string.h>

#include "aggregate/aggregator.h"
#include "aggregate/locations.h"
#include "aggregate/profile_types.h"
#include "process/mapped_files.h"
#include "report/warnings.h"
#include "report/window_series.h"
#include "run/profile_run.h"

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

/* The counters of a source cannot be split by series: only the rest has them. */
static void fill_comments(struct profile_comments *comments, const struct profile_run *r,
			  const struct profile_type *type, bool is_part, size_t nr_rest)
{
	static const struct aggregator_counts none;
	const uint64_t *lost = r->counters.lost;
	const struct profile_comments_input about = {
		.counts = is_part ? &none : aggregator_counts(r->aggregator, type->source),
		.lost = is_part ? 0 : lost[type->source],
		.lost_events = lost[PPROF_CLASS_EVENT],
		.lost_frees = type->source == PPROF_SOURCE_HEAP ? lost[PPROF_CLASS_FREE] : 0,
		.nr_rest = nr_rest,
		.refused_tables = r->counters.refused,
		.unopened_files = mapped_files_nr_unopened(r->files),
		.period_ns = type->has_time ? asked_ns(r) : 0,
		.slowest_ns = type->has_time ? slowest_ns(r, type->source) : 0,
	};

	profile_comments_fill(comments, &about);
}

/* Is a location in a file that is no library? */
static bool is_in_program(const struct profile_export_input *in, const struct location *location)
{
	const char *path;

	if (location->mapping == LOCATIONS_NO_MAPPING)
		return false;
	path = mapped_files_path(in->files,
				 locations_mapping_at(in->locations, location->mapping)->file);
	return path[0] == '/' && path[1] != '/' && !strstr(strrchr(path, '/'), ".so");
}

/* Returns the first mapping in the stacks of a series that is of no library, or -1. */
static int64_t find_program(const struct profile_output *o)
{
	const struct profile_export_input *in = &o->in;

	for (size_t i = 0; i < tuple_map_nr(in->stacks); i++) {
		const struct tuple *stack = tuple_map_at(in->stacks, i);

		if (in->series_of[stack->tag] != in->series)
			continue;
		for (uint32_t n = 0; n < stack->nr_frames; n++) {
			const struct location *location =
				locations_at(in->locations, stack->frames[n]);

			if (is_in_program(in, location))
				return location->mapping;
		}
	}
	return -1;
}

/*
 * Returns the mapping of the file with the name of a process, or -1. The process may have ended, so
 * the file that it executed is not known any more.
 */
static int64_t find_exe(const struct profile_run *r, const char *comm)
{
	for (size_t id = 0; id < locations_nr_mappings(r->locations); id++) {
		const char *path = mapped_files_path(r->files,
						     locations_mapping_at(r->locations, id)->file);
		const char *slash = strrchr(path, '/');

		if (slash && !strncmp(slash + 1, comm, PPROF_COMM_LEN - 1))
			return id;
	}
	return -1;
}

static void narrow(struct profile_output *o, const struct profile_run *r,
		   const struct window_series *s, uint32_t series)
{
	o->in.series_of = s->by_labels;
	o->in.series = series;
	if (series == WINDOW_SERIES_REST)
		return;
	o->in.exe_mapping = find_exe(r, s->list.items[series].name);
	if (o->in.exe_mapping < 0)
		o->in.exe_mapping = find_program(o);
	o->in.lost = 0;
	o->in.lost_early = 0;
	o->in.over_max = 0;
}

void profile_output_fill(struct profile_output *o, const struct profile_run *r,
			 uint32_t profile_type, const struct window_series *s, uint32_t series)
{
	const struct profile_type *type = profile_output_type(r, profile_type);
	uint32_t source = type->source;

	fill_comments(&o->comments, r, type, s && series != WINDOW_SERIES_REST,
		      s && series == WINDOW_SERIES_REST ? s->nr_rest : 0);
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
	if (s)
		narrow(o, r, s, series);
}

void profile_output_warn(const struct profile_run *r)
{
	const struct warnings in = {
		.aggregator = r->aggregator, .dev = r->dev, .files = r->files,
		.tables = r->tables, .ranges = r->ranges,
		.hz = r->settings->hz, .asked_ns = asked_ns(r),
		.may_leave = r->settings->cgroup,
	};

	warnings_print(&in);
}
