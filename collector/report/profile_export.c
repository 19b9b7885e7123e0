// SPDX-License-Identifier: GPL-2.0
/*
 * Copies counted stacks into a struct profile, and writes it.
 *
 * A location, its mapping and its functions are added to the profile with the first stack that
 * has it (get_location()). So the profile has only what its stacks need, and the mapping of the
 * main program, which must be the first one.
 *
 * Two synthetic samples keep the totals right: samples that the module lost (add_lost()), and
 * those over --max-stacks (add_over_max()). The flags of a mapping are set last: a flag must be
 * true for all its locations.
 */
#include "report/profile_export.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "pprof/gzip_file.h"
#include "aggregate/profile_types.h"
#include "pprof/profile.h"
#include "pprof/legacy_text.h"
#include "aggregate/stack_values.h"

/* Readers of Go's profiles know the first name. Go has no equivalent of the second one. */
#define LOST_NAME	"lostProfileEvent"
#define OVER_MAX_NAME	"[lost: more stacks than --max-stacks]"
#define MAX_DEPTH	512
#define ALL_FLAGS	(PROFILE_HAS_FUNCTIONS | PROFILE_HAS_FILENAMES |	\
			 PROFILE_HAS_LINE_NUMBERS | PROFILE_HAS_INLINE_FRAMES)

_Static_assert(PROFILE_NO_OFFSET == FRAME_NO_OFFSET, "add_lines() copies the offset");

struct export {
	const struct profile_export_input *in;
	struct profile *profile;
	uint64_t *locations;	/* id in the profile by location id; 0 if it is not there yet */
	uint64_t *mappings;	/* the same by mapping id */
	unsigned int *lacks;	/* by mapping id: PROFILE_HAS_* that some location lacks */
};

static int64_t add_mapping(struct export *e, uint32_t id)
{
	const struct locations_mapping *m = locations_mapping_at(e->in->locations, id);
	struct profile_mapping mapping;

	if (e->mappings[id])
		return e->mappings[id];
	mapping = (struct profile_mapping){
		.start = m->start,
		.limit = m->end,
		.offset = mapped_files_is_memory(e->in->files, m->file) ? 0 : m->offset,
		.file = mapped_files_path(e->in->files, m->file),
		.build_id = mapped_files_build_id(e->in->files, m->file),
	};
	e->mappings[id] = profile_mapping(e->profile, &mapping);
	return e->mappings[id];
}

/*
 * Returns what is known of a line. A location without a symbol has the name of its file, which is
 * no function.
 */
static unsigned int line_flags(const struct location *location, const struct frame *line)
{
	unsigned int flags = location->named ? PROFILE_HAS_FUNCTIONS : 0;

	if (line->file && line->file[0])
		flags |= PROFILE_HAS_FILENAMES;
	if (line->line)
		flags |= PROFILE_HAS_LINE_NUMBERS | PROFILE_HAS_INLINE_FRAMES;
	return flags;
}

static int64_t add_function(struct export *e, const struct frame *line)
{
	return profile_function(e->profile, line->name, line->system_name, line->file,
				line->start_line);
}

static int64_t add_lines(struct export *e, const struct location *location, uint64_t mapping)
{
	struct profile_line lines[LOCATIONS_MAX_LINES];
	int64_t id;

	for (uint32_t i = 0; i < location->nr_lines; i++) {
		const struct frame *line = &location->lines[i];

		id = add_function(e, line);
		if (id < 0)
			return id;
		lines[i] = (struct profile_line){ id, line->line, line->column, line->offset };
		if (mapping)
			e->lacks[location->mapping] |= ALL_FLAGS & ~line_flags(location, line);
	}
	return profile_location(e->profile, mapping, location->address, lines,
				location->nr_lines);
}

static int64_t add_location(struct export *e, size_t id)
{
	const struct location *location = locations_at(e->in->locations, id);
	int64_t mapping = 0;

	if (location->mapping != LOCATIONS_NO_MAPPING)
		mapping = add_mapping(e, location->mapping);
	if (mapping < 0)
		return mapping;
	return add_lines(e, location, mapping);
}

static int64_t get_location(struct export *e, size_t id)
{
	int64_t added;

	if (e->locations[id])
		return e->locations[id];
	added = add_location(e, id);
	if (added > 0)
		e->locations[id] = added;
	return added;
}

static int add_sample(struct export *e, const uint64_t *ids, size_t nr, uint64_t labels,
		      const int64_t *values)
{
	struct profile_label set[LABELS_MAX];
	uint64_t locations[MAX_DEPTH];
	int64_t id;

	for (size_t i = 0; i < nr; i++) {
		id = get_location(e, ids[i]);
		if (id < 0)
			return id;
		locations[i] = id;
	}
	return profile_sample(e->profile, locations, nr, values, set,
			      labels_get(e->in->labels, labels, set));
}

/* Sets the values that follow from the count alone, and the others to 0. */
static void values_of_count(const struct export *e, uint64_t count, int64_t *values)
{
	values[0] = count;
	values[1] = e->in->profile_type->has_time ? count * e->in->period_ns : 0;
	for (size_t i = 2; i < VALUES_MAX; i++)
		values[i] = 0;
}

/* known has the values of the profile type. It is not read if nr_values is 0. */
static void set_values(const struct export *e, uint64_t count, const double *known,
		       int64_t *values)
{
	values_of_count(e, count, values);
	for (unsigned int i = 0; i < e->in->profile_type->nr_values; i++)
		values[i] = llround(known[i]);
}

static bool is_zero(const int64_t *values, size_t nr)
{
	while (nr && !values[nr - 1])
		nr--;
	return !nr;
}

/* A stack of the heap may be kept for later windows, and have nothing in this one. */
static int add_stack(struct export *e, size_t id)
{
	const struct tuple *stack = tuple_map_at(e->in->stacks, id);
	bool has_values = e->in->profile_type->nr_values;
	int64_t values[VALUES_MAX];

	if (e->in->series_of && e->in->series_of[stack->tag] != e->in->series)
		return 0;
	set_values(e, stack->count, has_values ? stack_values_at(e->in->values, id) : NULL, values);
	if (is_zero(values, e->in->profile_type->profile.nr_sample_types))
		return 0;
	return add_sample(e, stack->frames, stack->nr_frames, stack->tag, values);
}

static int add_stacks(struct export *e)
{
	int err = 0;

	for (size_t i = 0; !err && i < tuple_map_nr(e->in->stacks); i++)
		err = add_stack(e, i);
	return err;
}

/*
 * Adds the lost samples. Their values are known only as far as profile_type->lost() says. Without
 * it a sample counts as 1, or as a period in a profile type with time, and other values are 0.
 */
static int add_lost(struct export *e, uint64_t location)
{
	uint64_t early = e->in->lost_early;
	double known[VALUES_MAX] = { e->in->lost };
	int64_t values[VALUES_MAX];

	if (e->in->profile_type->lost) {
		known[0] = 0;
		e->in->profile_type->lost(e->in->rate, known);
		for (unsigned int i = 0; i < VALUES_MAX; i++)
			known[i] *= e->in->lost - early;
		known[0] += early;
	}
	set_values(e, e->in->lost, known, values);
	return e->in->lost ? add_sample(e, &location, 1, 0, values) : 0;
}

static int add_over_max(struct export *e, uint64_t location)
{
	int64_t values[VALUES_MAX];

	if (!e->in->over_max)
		return 0;
	set_values(e, e->in->over_max, e->in->over_values, values);
	return add_sample(e, &location, 1, 0, values);
}

/*
 * Readers name the functions of a mapping that lacks them by the file at its path. For a file that
 * was changed those would be names of other code. So its names count as complete.
 */
static unsigned int mapping_flags(const struct export *e, size_t id)
{
	uint32_t file = locations_mapping_at(e->in->locations, id)->file;
	unsigned int flags = ALL_FLAGS & ~e->lacks[id];

	return mapped_files_is_outdated(e->in->files, file) ? flags | PROFILE_HAS_FUNCTIONS : flags;
}

static int set_flags(struct export *e, size_t nr_mappings)
{
	int err = 0;

	for (size_t id = 0; !err && id < nr_mappings; id++)
		if (e->mappings[id])
			err = profile_mapping_flags(e->profile, e->mappings[id],
						    mapping_flags(e, id));
	return err;
}

static int add_comments(struct export *e)
{
	int err = 0;

	for (const char *const *comment = e->in->comments; !err && *comment; comment++)
		err = profile_comment(e->profile, "%s", *comment);
	return err;
}

/*
 * Returns the period of the profile. A text has counts only, so its period is the time of a count
 * of 1. A pprof profile has values of time, too: its period is the longest between two samples.
 */
static int64_t period_of(const struct export *e)
{
	if (e->in->profile_type->has_time)
		return e->in->text ? e->in->period_ns : e->in->slowest_ns;
	return e->in->profile_type->has_rate ? e->in->rate : 1;
}

static int fill(struct export *e, int64_t lost, int64_t over_max, size_t nr_mappings)
{
	const char *drop = e->in->drop_frames;
	int err;

	profile_set_period(e->profile, period_of(e));
	profile_set_time(e->profile, e->in->time_ns);
	profile_set_duration(e->profile, e->in->duration_ns);
	err = profile_set_frames(e->profile, drop ? drop : e->in->profile_type->drop_frames,
				 e->in->keep_frames);
	if (err)
		return err;
	if (e->in->exe_mapping >= 0 && add_mapping(e, e->in->exe_mapping) < 0)
		return -ENOMEM;
	err = add_stacks(e);
	if (!err)
		err = add_lost(e, lost);
	if (!err)
		err = add_over_max(e, over_max);
	if (!err)
		err = set_flags(e, nr_mappings);
	return err ? err : add_comments(e);
}

/* Adds the synthetic locations first: the tables have one entry for each location. */
int profile_export_build(const struct profile_export_input *in, struct profile **out)
{
	int64_t lost = locations_synthetic(in->locations, LOST_NAME);
	int64_t over_max = locations_synthetic(in->locations, OVER_MAX_NAME);
	size_t nr_mappings = locations_nr_mappings(in->locations);
	struct export e = { .in = in, .profile = profile_new(&in->profile_type->profile) };
	int err = -ENOMEM;

	e.locations = calloc(locations_nr(in->locations), sizeof(*e.locations));
	e.mappings = calloc(nr_mappings + 1, sizeof(*e.mappings));
	e.lacks = calloc(nr_mappings + 1, sizeof(*e.lacks));
	if (e.profile && e.locations && e.mappings && e.lacks && lost >= 0 && over_max >= 0)
		err = fill(&e, lost, over_max, nr_mappings);
	if (err)
		profile_free(e.profile);
	else
		*out = e.profile;
	free(e.locations);
	free(e.mappings);
	free(e.lacks);
	return err;
}

int profile_export_put(const struct profile_export_input *in, struct profile *p,
		       struct gzip_file *gz)
{
	return in->text ? legacy_text_write(p, in->profile_type->name, in->profile_type->form,
					    in->pid, gz) : profile_write(p, gz);
}

int profile_export_write(const struct profile_export_input *in, struct gzip_file *gz)
{
	struct profile *p;
	int err = profile_export_build(in, &p);

	if (err)
		return err;
	err = profile_export_put(in, p, gz);
	profile_free(p);
	return err;
}
