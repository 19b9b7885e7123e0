// SPDX-License-Identifier: GPL-2.0
/*
 * Copies the model into a struct profile, which legacy_text.c writes. Mappings and locations keep
 * their order: the id is the index + 1. Empty stacks get a location of their own, the last one.
 */
#include "formats/text_writer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pprof/frame_name.h"
#include "pprof/legacy_text.h"
#include "pprof/model.h"
#include "pprof/profile.h"
#include "pprof/profile_fault.h"

struct text_copy {
	MODEL_ARRAY(struct profile_line, lines);	/* room for those of a location */
	MODEL_ARRAY(uint64_t, ids);			/* room for those of a stack */
	MODEL_ARRAY(struct profile_label, labels);	/* room for those of a sample */
	const struct model *m;
	enum text_form form;
	uint32_t first_type;
	struct profile *p;
	uint64_t *function_ids;		/* by index in model.functions */
};

static bool is_type(const struct model *m, size_t index, const char *type, const char *unit)
{
	const struct model_value_type *t = &m->sample_types.items[index];

	return (!type || !strcmp(model_string(m, t->type), type)) &&
	       !strcmp(model_string(m, t->unit), unit);
}

static enum text_form choose_form(const struct model *m)
{
	size_t nr = m->sample_types.nr;

	if (nr == 4 && is_type(m, 0, "alloc_objects", "count") &&
	    is_type(m, 1, "alloc_space", "bytes") && is_type(m, 2, "inuse_objects", "count") &&
	    is_type(m, 3, "inuse_space", "bytes"))
		return TEXT_HEAP;
	if (nr == 2 && is_type(m, 0, "contentions", "count") &&
	    is_type(m, 1, "delay", "nanoseconds"))
		return TEXT_CONTENTION;
	if (nr == 2 && is_type(m, 0, NULL, "count") && is_type(m, 1, NULL, "bytes"))
		return TEXT_GROWTH;
	return TEXT_COUNT;
}

static struct profile *new_profile(const struct text_copy *c)
{
	const struct model *m = c->m;
	struct profile_sample_types types = {
		.nr_sample_types = c->form == TEXT_COUNT ? 1 : m->sample_types.nr,
		.period_type.type = model_string(m, m->period_type.type),
		/* No comment on the period is written for this unit. */
		.period_type.unit = "count",
	};
	struct profile *p;

	if (m->period)
		types.period_type.unit = model_string(m, m->period_type.unit);
	for (size_t i = 0; i < types.nr_sample_types; i++) {
		const struct model_value_type *t = &m->sample_types.items[c->first_type + i];

		types.sample_types[i].type = model_string(m, t->type);
		types.sample_types[i].unit = model_string(m, t->unit);
	}
	p = profile_new(&types);
	if (p)
		profile_set_period(p, m->period);
	return p;
}

static int copy_mappings(struct text_copy *c)
{
	const struct model *m = c->m;

	for (size_t i = 0; i < m->mappings.nr; i++) {
		const struct model_mapping *mapping = &m->mappings.items[i];
		int64_t id = profile_mapping(c->p, &(struct profile_mapping){
			.start = mapping->start, .limit = mapping->limit,
			.offset = mapping->offset,
			.file = model_string(m, mapping->file),
			.build_id = model_string(m, mapping->build_id),
			.flags = mapping->flags,
		});

		if (id < 0)
			return id;
	}
	return 0;
}

static int copy_functions(struct text_copy *c)
{
	const struct model *m = c->m;

	c->function_ids = calloc(m->functions.nr + 1, sizeof(*c->function_ids));
	if (!c->function_ids)
		return -ENOMEM;
	for (size_t i = 0; i < m->functions.nr; i++) {
		const struct model_function *f = &m->functions.items[i];
		int64_t id = profile_function(c->p, model_string(m, f->name),
					      model_string(m, f->system_name),
					      model_string(m, f->file), f->start_line);

		if (id < 0)
			return id;
		c->function_ids[i] = id;
	}
	return 0;
}

/* Adds a line to the room for lines. */
static int add_line(struct text_copy *c, uint64_t function_id, int64_t line)
{
	const struct profile_line l = {
		.function_id = function_id, .line = line, .offset = PROFILE_NO_OFFSET,
	};

	return ARRAY_APPEND(c->lines, &l, 1);
}

/* Adds a line with the name of a function that is not known, in a mapping or in none. */
static int add_unknown_line(struct text_copy *c, uint32_t mapping)
{
	const char *path = "";
	char *name;
	int64_t id;

	if (mapping != MODEL_NONE)
		path = model_string(c->m, c->m->mappings.items[mapping].file);
	name = frame_name_unknown(basename(path));
	id = name ? profile_function(c->p, name, NULL, NULL, 0) : -ENOMEM;
	free(name);
	return id < 0 ? id : add_line(c, id, 0);
}

/* A location without an address gets a name, but no mapping: legacy_text.c makes a mapping. */
static int copy_location(struct text_copy *c, const struct model_location *l)
{
	bool is_code = l->address;
	int64_t id = 0;

	c->lines.nr = 0;
	for (uint32_t i = 0; !id && i < l->nr_lines; i++) {
		const struct model_line *line = &model_lines(c->m, l)[i];

		id = add_line(c, c->function_ids[line->function], line->line);
	}
	if (!id && !l->nr_lines && !is_code)
		id = add_unknown_line(c, l->mapping);
	if (!id)
		id = profile_location(c->p, is_code && l->mapping != MODEL_NONE ?
				      (uint64_t)l->mapping + 1 : 0, l->address,
				      c->lines.items, c->lines.nr);
	return id < 0 ? id : 0;
}

static bool has_empty_stack(const struct model *m)
{
	for (size_t i = 0; i < m->samples.nr; i++)
		if (!m->samples.items[i].stack)
			return true;
	return false;
}

static int copy_locations(struct text_copy *c)
{
	const struct model_location none = { .mapping = MODEL_NONE };
	int err = 0;

	for (size_t i = 0; !err && i < c->m->locations.nr; i++)
		err = copy_location(c, &c->m->locations.items[i]);
	if (!err && has_empty_stack(c->m))
		err = copy_location(c, &none);
	return err;
}

static int copy_labels(struct text_copy *c, uint32_t set)
{
	uint32_t nr;
	const struct model_label *labels = model_labels(c->m, set, &nr);
	int err = 0;

	c->labels.nr = 0;
	for (uint32_t i = 0; !err && i < nr; i++) {
		const struct profile_label label = {
			.key = model_string(c->m, labels[i].key),
			.str = labels[i].is_number ? NULL : model_string(c->m, labels[i].str),
			.num = labels[i].num,
		};

		err = ARRAY_APPEND(c->labels, &label, 1);
	}
	return err;
}

static int copy_stack(struct text_copy *c, uint32_t stack)
{
	const uint64_t empty = c->m->locations.nr + 1;
	uint32_t nr;
	const uint32_t *locations = model_stack(c->m, stack, &nr);
	int err = 0;

	c->ids.nr = 0;
	for (uint32_t i = 0; !err && i < nr; i++)
		err = ARRAY_APPEND(c->ids, &(uint64_t){ locations[i] + UINT64_C(1) }, 1);
	if (!nr)
		err = ARRAY_APPEND(c->ids, &empty, 1);
	return err;
}

static bool is_zero(const int64_t *values, size_t nr)
{
	while (nr--)
		if (values[nr])
			return false;
	return true;
}

static int copy_samples(struct text_copy *c)
{
	const struct model *m = c->m;
	size_t nr_types = c->form == TEXT_COUNT ? 1 : m->sample_types.nr;
	int err = 0;

	for (size_t i = 0; !err && i < m->samples.nr; i++) {
		const int64_t *values = model_values(m, i) + c->first_type;

		if (is_zero(values, nr_types))
			continue;
		err = copy_stack(c, m->samples.items[i].stack);
		if (!err)
			err = copy_labels(c, m->samples.items[i].label_set);
		if (!err)
			err = profile_sample(c->p, c->ids.items, c->ids.nr, values,
					     c->labels.items, c->labels.nr);
	}
	return err;
}

static int copy_comments(struct text_copy *c)
{
	int err = 0;

	for (size_t i = 0; !err && i < c->m->comments.nr; i++)
		err = profile_comment(c->p, "%s", model_string(c->m, c->m->comments.items[i]));
	return err;
}

static int copy(struct text_copy *c)
{
	int err;

	c->p = new_profile(c);
	if (!c->p)
		return -ENOMEM;
	err = copy_mappings(c);
	if (!err)
		err = copy_functions(c);
	if (!err)
		err = copy_locations(c);
	if (!err)
		err = copy_samples(c);
	return err ? err : copy_comments(c);
}

static int refuse(struct profile_fault *fault, const char *text)
{
	return profile_fault_set(fault, PROFILE_FAULT_NO_OFFSET, "%s", text);
}

/* legacy_text.c adds the values up. It may count a value of 0 as 1. */
static int check_values(const struct text_copy *c, struct profile_fault *fault)
{
	size_t nr_types = c->form == TEXT_COUNT ? 1 : c->m->sample_types.nr;
	int64_t sums[PROFILE_MAX_VALUES] = { 0 };

	for (size_t i = 0; i < c->m->samples.nr; i++)
		for (size_t n = 0; n < nr_types; n++) {
			int64_t value = model_values(c->m, i)[c->first_type + n];

			if (value < 0)
				return refuse(fault, "text profiles cannot have negative values, "
					      "and these have some: convert to pprof");
			if (__builtin_add_overflow(sums[n], value, &sums[n]) ||
			    __builtin_add_overflow(sums[n], 1, &sums[n]))
				return refuse(fault, "the values add up to more than 2^63: "
					      "filter the profile");
		}
	return 0;
}

static const char *type_name(const struct text_copy *c)
{
	uint32_t type = c->m->sample_types.items[c->first_type].type;

	return type ? model_string(c->m, type) : "unknown";
}

int text_write(const struct model *m, uint32_t type, FILE *out, struct profile_fault *fault)
{
	struct text_copy c = { .m = m, .form = choose_form(m) };
	int err;

	c.first_type = c.form == TEXT_COUNT ? type : 0;
	err = check_values(&c, fault);
	if (err)
		return err;
	err = copy(&c);
	if (!err)
		err = legacy_text_print(c.p, type_name(&c), c.form, 0, out);
	profile_free(c.p);
	free(c.function_ids);
	free(c.lines.items);
	free(c.ids.items);
	free(c.labels.items);
	return err ? profile_fault_errno(fault, err) : 0;
}
