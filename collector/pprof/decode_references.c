// SPDX-License-Identifier: GPL-2.0
#include "pprof/decode_references.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"

#define NO_OFFSET	PROFILE_FAULT_NO_OFFSET

void decode_references_fini(struct decode_references *r)
{
	id_space_fini(&r->mappings);
	id_space_fini(&r->locations);
	id_space_fini(&r->functions);
	free(r->strings);
}

int decode_references_add_string(struct decode_references *r, uint32_t index)
{
	uint32_t *strings = array_grow(r->strings, &r->room_strings, r->nr_strings + 1,
				       sizeof(*strings));

	if (!strings)
		return -ENOMEM;
	r->strings = strings;
	strings[r->nr_strings++] = index;
	return 0;
}

static int check_strings(const struct decode_references *r, struct profile_fault *fault)
{
	if (!r->nr_strings)
		return profile_fault_set(fault, NO_OFFSET,
					 "expected a table of strings, found none: name a profile");
	if (r->max_string < r->nr_strings)
		return 0;
	return profile_fault_set(fault, r->max_string_at,
				 "expected a string index below %zu, found %u: get the file again",
				 r->nr_strings, r->max_string);
}

static int check_nr_values(const struct decode_references *r, const struct model *m,
			   struct profile_fault *fault)
{
	if (!m->samples.nr || r->nr_values == m->sample_types.nr) {
		if (!m->samples.nr || m->sample_types.nr)
			return 0;
		return profile_fault_set(fault, NO_OFFSET,
					 "expected sample types, as there are samples: get the file again");
	}
	return profile_fault_set(fault, NO_OFFSET,
				 "expected %zu values in each sample, found %zu: get the file again",
				 m->sample_types.nr, r->nr_values);
}

static int finish_ids(struct id_space *ids, const char *table, struct profile_fault *fault)
{
	uint32_t twice;

	if (id_space_finish(ids, &twice))
		return profile_fault_errno(fault, -ENOMEM);
	if (twice == UINT32_MAX)
		return 0;
	return profile_fault_set(fault, NO_OFFSET,
				 "expected different ids in the table of %s, found %llu twice: get the file again",
				 table,
				 (unsigned long long)id_space_id(ids, ids->defined[twice]));
}

static int resolve_lines(struct decode_references *r, struct model *m, struct profile_fault *fault)
{
	for (size_t i = 0; i < m->lines.nr; i++) {
		struct model_line *line = &m->lines.items[i];
		uint32_t handle = line->function;

		line->function = id_space_find(&r->functions, handle);
		if (line->function == MODEL_NONE)
			return profile_fault_set(fault, NO_OFFSET,
						 "expected a function with id %llu, found none: get the file again",
						 (unsigned long long)id_space_id(&r->functions,
										 handle));
	}
	return 0;
}

static void resolve_mappings(struct decode_references *r, struct model *m)
{
	for (size_t i = 0; i < m->locations.nr; i++) {
		struct model_location *l = &m->locations.items[i];

		if (l->mapping == MODEL_NONE)
			continue;
		l->mapping = id_space_find(&r->mappings, l->mapping);
		if (l->mapping == MODEL_NONE)
			r->facts.has_lost_mapping = true;
	}
}

/* Different handles are different locations, so different stacks stay different. */
static int resolve_stacks(struct decode_references *r, struct model *m, struct profile_fault *fault)
{
	uint32_t *items = span_set_at(&m->stacks, 0), nr = span_set_nr_items(&m->stacks), index;

	if (!r->locations.is_sparse && r->max_location < r->locations.nr)
		return 0;	/* handles are indices already */
	for (uint32_t i = 0; i < nr; i++) {
		index = id_space_find(&r->locations, items[i]);
		if (index == MODEL_NONE)
			return profile_fault_set(fault, NO_OFFSET,
						 "expected a location with id %llu, found none: get the file again",
						 (unsigned long long)id_space_id(&r->locations,
										 items[i]));
		items[i] = index;
	}
	if (r->locations.is_sparse)
		span_set_drop_index(&m->stacks);
	return 0;
}

static void resolve_value_type(const uint32_t *strings, struct model_value_type *type)
{
	type->type = strings[type->type];
	type->unit = strings[type->unit];
}

static void resolve_strings(const uint32_t *strings, struct model *m)
{
	for (size_t i = 0; i < m->sample_types.nr; i++)
		resolve_value_type(strings, &m->sample_types.items[i]);
	resolve_value_type(strings, &m->period_type);
	for (size_t i = 0; i < m->mappings.nr; i++) {
		m->mappings.items[i].file = strings[m->mappings.items[i].file];
		m->mappings.items[i].build_id = strings[m->mappings.items[i].build_id];
	}
	for (size_t i = 0; i < m->functions.nr; i++) {
		struct model_function *f = &m->functions.items[i];

		f->name = strings[f->name];
		f->system_name = strings[f->system_name];
		f->file = strings[f->file];
	}
	for (size_t i = 0; i < m->comments.nr; i++)
		m->comments.items[i] = strings[m->comments.items[i]];
	m->default_sample_type = strings[m->default_sample_type];
	m->drop_frames = strings[m->drop_frames];
	m->keep_frames = strings[m->keep_frames];
	m->doc_url = strings[m->doc_url];
}

/* Drops the number 0 whose unit is "". Returns: the number of labels that are left. */
static uint32_t resolve_labels(const uint32_t *strings, struct model_label *labels, uint32_t nr)
{
	uint32_t nr_left = 0;

	for (uint32_t i = 0; i < nr; i++) {
		struct model_label label = labels[i];

		label.key = strings[label.key];
		label.str = strings[label.str];
		label.unit = strings[label.unit];
		if (!label.is_number || label.num || label.unit)
			labels[nr_left++] = label;
	}
	return nr_left;
}

/*
 * Makes the label sets again. They are sorted by strings of the model, and two sets may be equal
 * with these strings.
 */
static int make_label_sets(struct model *m, const uint32_t *strings, uint32_t *new_set)
{
	struct span_set old = m->label_sets;
	int64_t index = span_set_init(&m->label_sets, sizeof(struct model_label));

	for (size_t set = 0; index >= 0 && set < old.nr; set++) {
		struct model_label *labels = span_set_at(&old, set);

		index = model_add_label_set(m, labels,
					    resolve_labels(strings, labels,
							   span_set_len(&old, set)));
		new_set[set] = index;
	}
	span_set_fini(&old);
	return index < 0 ? index : 0;
}

static int resolve_label_sets(const uint32_t *strings, struct model *m)
{
	uint32_t *new_set = calloc(m->label_sets.nr, sizeof(*new_set));
	int err = new_set ? make_label_sets(m, strings, new_set) : -ENOMEM;

	for (size_t i = 0; !err && i < m->samples.nr; i++)
		m->samples.items[i].label_set = new_set[m->samples.items[i].label_set];
	free(new_set);
	return err;
}

static int finish_all_ids(struct decode_references *r, struct profile_fault *fault)
{
	int err = finish_ids(&r->mappings, "mappings", fault);

	if (!err)
		err = finish_ids(&r->functions, "functions", fault);
	if (!err)
		err = finish_ids(&r->locations, "locations", fault);
	r->facts.has_sparse_mappings = r->mappings.is_sparse;
	r->facts.has_sparse_functions = r->functions.is_sparse;
	r->facts.has_sparse_locations = r->locations.is_sparse;
	return err;
}

/* Ids that are not 1, 2, ... are printed as they are in the file. */
static int keep_ids(const struct id_space *s, uint64_t **ids, size_t *nr)
{
	if (!s->is_sparse)
		return 0;
	*ids = id_space_ids(s);
	*nr = s->nr;
	return *ids ? 0 : -ENOMEM;
}

int decode_references_resolve(struct decode_references *r, struct model *m,
			      struct profile_fault *fault)
{
	int err = check_strings(r, fault);

	if (!err)
		err = check_nr_values(r, m, fault);
	if (!err)
		err = finish_all_ids(r, fault);
	if (!err)
		err = resolve_lines(r, m, fault);
	if (!err)
		err = resolve_stacks(r, m, fault);
	if (err)
		return err;
	resolve_mappings(r, m);
	resolve_strings(r->strings, m);
	err = keep_ids(&r->mappings, &m->mapping_ids.items, &m->mapping_ids.nr);
	if (!err)
		err = keep_ids(&r->locations, &m->location_ids.items, &m->location_ids.nr);
	if (!err)
		err = resolve_label_sets(r->strings, m);
	return err ? profile_fault_errno(fault, err) : 0;
}
