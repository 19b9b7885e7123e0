// SPDX-License-Identifier: GPL-2.0
/* The numbers of fields are those of profile.proto. */
#include "pprof/encode.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "pprof/model.h"

#define NOT_NUMBERED	UINT32_MAX

struct encoder {
	const struct model *m;
	struct proto *out;
	/* By the model's index: the index in the file, or NOT_NUMBERED. */
	uint32_t *number_of;
	/* By the index in the file: the model's index. */
	uint32_t *strings;
	uint32_t nr_strings;
	/* A label has the text "". Its index must not be 0: "" is written a second time. */
	bool has_empty_label;
	/* Room for the location ids of a stack. */
	uint64_t *ids;
	size_t room_ids;
};

static void number(struct encoder *e, uint32_t string)
{
	if (e->number_of[string] != NOT_NUMBERED)
		return;
	e->strings[e->nr_strings] = string;
	e->number_of[string] = e->nr_strings++;
}

/* Is it a number that no reader can see? */
static bool is_void(const struct model_label *label)
{
	return label->is_number && !label->num && !label->unit;
}

static void number_label(struct encoder *e, const struct model_label *label)
{
	if (is_void(label))
		return;
	number(e, label->key);
	number(e, label->str);
	number(e, label->unit);
	e->has_empty_label |= !label->is_number && !label->str;
}

/* In the order of first use by a sample. */
static int number_labels(struct encoder *e)
{
	const struct model *m = e->m;
	bool *is_done = calloc(m->label_sets.nr, sizeof(*is_done));
	const struct model_label *labels;
	uint32_t set, nr;

	if (!is_done)
		return -ENOMEM;
	for (size_t i = 0; i < m->samples.nr; i++) {
		set = m->samples.items[i].label_set;
		if (is_done[set])
			continue;
		is_done[set] = true;
		labels = model_labels(m, set, &nr);
		for (uint32_t j = 0; j < nr; j++)
			number_label(e, &labels[j]);
	}
	free(is_done);
	return 0;
}

static void number_value_type(struct encoder *e, const struct model_value_type *type)
{
	number(e, type->type);
	number(e, type->unit);
}

static void number_tables(struct encoder *e)
{
	const struct model *m = e->m;

	for (size_t i = 0; i < m->mappings.nr; i++) {
		number(e, m->mappings.items[i].file);
		number(e, m->mappings.items[i].build_id);
	}
	for (size_t i = 0; i < m->functions.nr; i++) {
		number(e, m->functions.items[i].name);
		number(e, m->functions.items[i].system_name);
		number(e, m->functions.items[i].file);
	}
}

static int number_strings(struct encoder *e)
{
	const struct model *m = e->m;
	size_t nr = strtab_nr(m->strings);

	e->number_of = reallocarray(NULL, nr, sizeof(*e->number_of));
	e->strings = reallocarray(NULL, nr, sizeof(*e->strings));
	if (!e->number_of || !e->strings)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		e->number_of[i] = NOT_NUMBERED;
	number(e, 0);
	for (size_t i = 0; i < m->sample_types.nr; i++)
		number_value_type(e, &m->sample_types.items[i]);
	if (number_labels(e))
		return -ENOMEM;
	number_tables(e);
	number(e, m->drop_frames);
	number(e, m->keep_frames);
	number_value_type(e, &m->period_type);
	for (size_t i = 0; i < m->comments.nr; i++)
		number(e, m->comments.items[i]);
	number(e, m->default_sample_type);
	number(e, m->doc_url);
	return 0;
}

static void put_string(struct encoder *e, uint32_t field, uint32_t string)
{
	proto_uint(e->out, field, e->number_of[string]);
}

/* Packed costs a byte more for one number, and the same for two. */
static void put_repeated(struct proto *out, uint32_t field, const uint64_t *values, size_t nr)
{
	if (nr > 2)
		proto_packed(out, field, values, nr);
	else
		for (size_t i = 0; i < nr; i++)
			proto_element(out, field, values[i]);
}

static void put_value_type(struct encoder *e, uint32_t field, const struct model_value_type *type)
{
	proto_begin(e->out, field);
	put_string(e, 1, type->type);
	put_string(e, 2, type->unit);
	proto_end(e->out);
}

static void put_label(struct encoder *e, const struct model_label *label)
{
	if (is_void(label))
		return;
	proto_begin(e->out, 3);
	put_string(e, 1, label->key);
	if (!label->is_number && !label->str)
		proto_uint(e->out, 2, e->nr_strings);
	else
		put_string(e, 2, label->str);
	proto_int(e->out, 3, label->num);
	put_string(e, 4, label->unit);
	proto_end(e->out);
}

static int put_sample(struct encoder *e, size_t sample)
{
	const struct model *m = e->m;
	const struct model_sample *s = &m->samples.items[sample];
	const struct model_label *labels;
	const uint32_t *locations;
	uint32_t nr, nr_labels;
	uint64_t *ids;

	locations = model_stack(m, s->stack, &nr);
	ids = array_grow(e->ids, &e->room_ids, nr, sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	e->ids = ids;
	for (uint32_t i = 0; i < nr; i++)
		ids[i] = (uint64_t)locations[i] + 1;
	proto_begin(e->out, 2);
	put_repeated(e->out, 1, ids, nr);
	put_repeated(e->out, 2, (const uint64_t *)model_values(m, sample), m->sample_types.nr);
	labels = model_labels(m, s->label_set, &nr_labels);
	for (uint32_t i = 0; i < nr_labels; i++)
		put_label(e, &labels[i]);
	proto_end(e->out);
	return 0;
}

static void put_mapping(struct encoder *e, size_t index)
{
	const struct model_mapping *mapping = &e->m->mappings.items[index];

	proto_begin(e->out, 3);
	proto_uint(e->out, 1, index + 1);
	proto_uint(e->out, 2, mapping->start);
	proto_uint(e->out, 3, mapping->limit);
	proto_uint(e->out, 4, mapping->offset);
	put_string(e, 5, mapping->file);
	put_string(e, 6, mapping->build_id);
	proto_uint(e->out, 7, !!(mapping->flags & PROFILE_HAS_FUNCTIONS));
	proto_uint(e->out, 8, !!(mapping->flags & PROFILE_HAS_FILENAMES));
	proto_uint(e->out, 9, !!(mapping->flags & PROFILE_HAS_LINE_NUMBERS));
	proto_uint(e->out, 10, !!(mapping->flags & PROFILE_HAS_INLINE_FRAMES));
	proto_end(e->out);
}

static void put_location(struct encoder *e, size_t index)
{
	const struct model_location *location = &e->m->locations.items[index];
	const struct model_line *lines = model_lines(e->m, location);

	proto_begin(e->out, 4);
	proto_uint(e->out, 1, index + 1);
	if (location->mapping != MODEL_NONE)
		proto_uint(e->out, 2, (uint64_t)location->mapping + 1);
	proto_uint(e->out, 3, location->address);
	for (uint32_t i = 0; i < location->nr_lines; i++) {
		proto_begin(e->out, 4);
		proto_uint(e->out, 1, (uint64_t)lines[i].function + 1);
		proto_int(e->out, 2, lines[i].line);
		proto_int(e->out, 3, lines[i].column);
		proto_end(e->out);
	}
	proto_uint(e->out, 5, location->is_folded);
	proto_end(e->out);
}

static void put_function(struct encoder *e, size_t index)
{
	const struct model_function *function = &e->m->functions.items[index];

	proto_begin(e->out, 5);
	proto_uint(e->out, 1, index + 1);
	put_string(e, 2, function->name);
	put_string(e, 3, function->system_name);
	put_string(e, 4, function->file);
	proto_int(e->out, 5, function->start_line);
	proto_end(e->out);
}

static void put_tables(struct encoder *e)
{
	const struct model *m = e->m;
	uint32_t string;

	for (size_t i = 0; i < m->mappings.nr; i++)
		put_mapping(e, i);
	for (size_t i = 0; i < m->locations.nr; i++)
		put_location(e, i);
	for (size_t i = 0; i < m->functions.nr; i++)
		put_function(e, i);
	for (uint32_t i = 0; i < e->nr_strings; i++) {
		string = e->strings[i];
		proto_bytes(e->out, 6, model_string(m, string), strtab_len(m->strings, string));
	}
	if (e->has_empty_label)
		proto_bytes(e->out, 6, "", 0);
}

/* Writes the numbers of the comments to the room for ids. */
static int number_comments(struct encoder *e)
{
	const struct model *m = e->m;
	uint64_t *ids = array_grow(e->ids, &e->room_ids, m->comments.nr, sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	e->ids = ids;
	for (size_t i = 0; i < m->comments.nr; i++)
		ids[i] = e->number_of[m->comments.items[i]];
	return 0;
}

static void put_scalars(struct encoder *e)
{
	const struct model *m = e->m;

	put_string(e, 7, m->drop_frames);
	put_string(e, 8, m->keep_frames);
	proto_int(e->out, 9, m->time_ns);
	proto_int(e->out, 10, m->duration_ns);
	if (m->period_type.type || m->period_type.unit)
		put_value_type(e, 11, &m->period_type);
	proto_int(e->out, 12, m->period);
	put_repeated(e->out, 13, e->ids, m->comments.nr);
	put_string(e, 14, m->default_sample_type);
	put_string(e, 15, m->doc_url);
}

static int put_profile(struct encoder *e)
{
	const struct model *m = e->m;
	int err = 0;

	for (size_t i = 0; i < m->sample_types.nr; i++)
		put_value_type(e, 1, &m->sample_types.items[i]);
	for (size_t i = 0; !err && i < m->samples.nr; i++)
		err = put_sample(e, i);
	if (!err)
		err = number_comments(e);
	if (err)
		return err;
	put_tables(e);
	put_scalars(e);
	return proto_flush(e->out);
}

int encode_profile(const struct model *m, proto_sink *sink, void *ctx)
{
	struct encoder e = { .m = m, .out = proto_new(sink, ctx) };
	int err = e.out ? number_strings(&e) : -ENOMEM;

	if (!err)
		err = put_profile(&e);
	proto_free(e.out);
	free(e.number_of);
	free(e.strings);
	free(e.ids);
	return err;
}
