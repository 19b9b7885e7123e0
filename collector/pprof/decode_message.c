// SPDX-License-Identifier: GPL-2.0
#include "pprof/decode_message.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"

#define LABEL_TAG	(3 << 3 | PROTO_BYTES)	/* of Sample.label, in one byte */

/* The parts of the current sample: they stand after those of the samples before. */
struct sample_parts {
	size_t nr_locations;
	size_t nr_labels;
	size_t nr_values;
};

static int fault_at(struct decoder *d, const uint8_t *at, const char *expected)
{
	return profile_fault_set(d->fault, profile_input_offset(d->in, at),
				 "expected %s: get the file again", expected);
}

static int fault_errno(struct decoder *d, int err)
{
	return profile_fault_errno(d->fault, err);
}

static int fault_memory(struct decoder *d)
{
	return fault_errno(d, -ENOMEM);
}

static int check_type(struct decoder *d, const struct proto_field *f, enum proto_wire_type type)
{
	if (f->type == type)
		return 0;
	return profile_fault_set(d->fault, profile_input_offset(d->in, f->at),
				 "expected wire type %d in field %llu, found %d: get the file again",
				 type, (unsigned long long)f->number, f->type);
}

static int take_number(struct decoder *d, const struct proto_field *f, int64_t *out)
{
	*out = f->value;
	return check_type(d, f, PROTO_VARINT);
}

static int take_flag(struct decoder *d, const struct proto_field *f, uint32_t *flags, uint32_t bit)
{
	*flags = f->value ? *flags | bit : *flags & ~bit;
	return check_type(d, f, PROTO_VARINT);
}

/* An index at or above UINT32_MAX can be in no table that fits in memory. */
static int take_string_index(struct decoder *d, const uint8_t *at, uint64_t value, uint32_t *out)
{
	if (value >= UINT32_MAX)
		return fault_at(d, at, "the index of a string");
	*out = value;
	if (value > d->refs.max_string) {
		d->refs.max_string = value;
		d->refs.max_string_at = profile_input_offset(d->in, at);
	}
	return 0;
}

static int take_string(struct decoder *d, const struct proto_field *f, uint32_t *out)
{
	int err = check_type(d, f, PROTO_VARINT);

	return err ? err : take_string_index(d, f->at, f->value, out);
}

/* Sets *out to the handle of an id, or to MODEL_NONE if the id is 0. */
static int take_id(struct decoder *d, const struct proto_field *f, struct id_space *ids,
		   uint32_t *out)
{
	int err = check_type(d, f, PROTO_VARINT);
	int64_t handle;

	*out = MODEL_NONE;
	if (err || !f->value)
		return err;
	handle = id_space_handle(ids, f->value);
	if (handle < 0)
		return fault_memory(d);
	*out = handle;
	return 0;
}

/* Defines the table's next entry, whose message begins there. */
static int define_id(struct decoder *d, struct id_space *ids, uint32_t handle, const uint8_t *at)
{
	if (handle == MODEL_NONE)
		return fault_at(d, at, "an id that is not 0");
	return id_space_define(ids, handle) ? fault_memory(d) : 0;
}

typedef int take_field(struct decoder *d, const struct proto_field *f, void *out);

/* Calls take() for each field. Inlined, with take() in it. */
static inline __attribute__((always_inline)) int read_fields(struct decoder *d,
							     struct proto_message m,
							     take_field *take, void *out)
{
	struct proto_field f;
	int err = 0;

	while (!err && m.at < m.end) {
		const char *expected = proto_read_field(&m, &f);

		err = expected ? fault_at(d, m.at, expected) : take(d, &f, out);
	}
	return err;
}

static int take_value_type_field(struct decoder *d, const struct proto_field *f, void *out)
{
	struct model_value_type *type = out;

	switch (f->number) {
	case 1:
		return take_string(d, f, &type->type);
	case 2:
		return take_string(d, f, &type->unit);
	}
	return 0;
}

static int take_sample_type(struct decoder *d, const struct proto_field *f)
{
	struct model_value_type type = { 0 };
	int err = read_fields(d, f->bytes, take_value_type_field, &type);

	if (!err && model_add_sample_type(d->m, &type))
		err = fault_memory(d);
	return err;
}

static int take_period_type(struct decoder *d, const struct proto_field *f)
{
	d->m->period_type = (struct model_value_type){ 0 };
	return read_fields(d, f->bytes, take_value_type_field, &d->m->period_type);
}

/*
 * Reads packed location ids. Nearly all have three bytes at most, and are read here without
 * proto_read_varint(): most bytes of a profile are these.
 * Returns: the end of the handles in to, or NULL after it set the fault.
 */
static uint32_t *read_locations(struct decoder *d, struct proto_message m, uint32_t *to)
{
	uint32_t max = d->refs.max_location;
	uint64_t id;
	int64_t handle;

	while (m.at < m.end) {
		if (!(m.at[0] & 0x80)) {
			id = *m.at++;
		} else if (m.end - m.at > 1 && !(m.at[1] & 0x80)) {
			id = (m.at[0] & 0x7f) | (uint32_t)m.at[1] << 7;
			m.at += 2;
		} else if (m.end - m.at > 2 && !(m.at[2] & 0x80)) {
			id = (m.at[0] & 0x7f) | (m.at[1] & 0x7f) << 7 | (uint32_t)m.at[2] << 14;
			m.at += 3;
		} else if (!proto_read_varint(&m, &id)) {
			fault_at(d, m.at, "a varint of up to 10 bytes");
			return NULL;
		}
		if (!id) {
			fault_at(d, m.at - 1, "a location id that is not 0");
			return NULL;
		}
		handle = id_space_handle(&d->refs.locations, id);
		if (handle < 0) {
			fault_memory(d);
			return NULL;
		}
		*to++ = handle;
		max = handle > max ? handle : max;
	}
	d->refs.max_location = max;
	return to;
}

/* Makes room for the most ids that the field can hold. */
static uint32_t *reserve_locations(struct decoder *d, const struct sample_parts *parts, size_t nr)
{
	size_t nr_before = d->stacks.nr_items + parts->nr_locations;
	uint32_t *room = span_set_reserve(&d->m->stacks, nr_before + nr);

	if (room)
		return room + nr_before;
	fault_errno(d, -errno);
	return NULL;
}

static int take_location_id(struct decoder *d, const struct proto_field *f,
			    struct sample_parts *parts)
{
	uint32_t *to = reserve_locations(d, parts, 1);
	int err = to ? take_id(d, f, &d->refs.locations, to) : -ENOMEM;

	if (err)
		return err;
	if (*to == MODEL_NONE)
		return fault_at(d, f->at, "a location id that is not 0");
	if (*to > d->refs.max_location)
		d->refs.max_location = *to;
	parts->nr_locations++;
	return 0;
}

static int take_locations(struct decoder *d, const struct proto_field *f,
			  struct sample_parts *parts)
{
	uint32_t *to, *end;

	if (f->type != PROTO_BYTES)
		return take_location_id(d, f, parts);
	to = reserve_locations(d, parts, f->value);
	end = to ? read_locations(d, f->bytes, to) : NULL;
	if (!end)
		return -EBADMSG;
	parts->nr_locations += end - to;
	return 0;
}

static int take_values(struct decoder *d, const struct proto_field *f, struct sample_parts *parts)
{
	bool is_packed = f->type == PROTO_BYTES;
	struct proto_message m = f->bytes;
	size_t nr = d->m->values.nr + parts->nr_values;
	uint64_t value = f->value;
	int64_t *values;

	if (!is_packed && check_type(d, f, PROTO_VARINT))
		return -EBADMSG;
	values = array_grow(d->m->values.items, &d->m->values.room,
			    nr + (is_packed ? f->value : 1), sizeof(*values));
	if (!values)
		return fault_memory(d);
	d->m->values.items = values;
	do {
		if (is_packed && m.at == m.end)
			break;
		if (is_packed && !proto_read_varint(&m, &value))
			return fault_at(d, m.at, "a varint of up to 10 bytes");
		values[nr++] = value;
	} while (is_packed);
	parts->nr_values = nr - d->m->values.nr;
	return 0;
}

static int take_label_field(struct decoder *d, const struct proto_field *f, void *out)
{
	struct model_label *label = out;

	switch (f->number) {
	case 1:
		return take_string(d, f, &label->key);
	case 2:
		return take_string(d, f, &label->str);
	case 3:
		return take_number(d, f, &label->num);
	case 4:
		return take_string(d, f, &label->unit);
	}
	return 0;
}

/* A label with a text is a text; one without any value is dropped, as Go's reader does. */
static int take_label(struct decoder *d, const struct proto_field *f, struct sample_parts *parts)
{
	struct model_label label = { 0 }, *to;
	int err = read_fields(d, f->bytes, take_label_field, &label);

	if (err)
		return err;
	if (!label.key)
		d->refs.facts.has_label_without_key = true;
	if (!label.str && !label.num && !label.unit)
		return 0;
	if (label.str) {
		label.num = 0;
		label.unit = 0;
	}
	label.is_number = !label.str;
	to = span_set_reserve(&d->m->label_sets, parts->nr_labels + 1);
	if (!to)
		return fault_memory(d);
	to[parts->nr_labels++] = label;
	return 0;
}

static int take_sample_field(struct decoder *d, const struct proto_field *f, void *out)
{
	int err;

	switch (f->number) {
	case 1:
		return take_locations(d, f, out);
	case 2:
		return take_values(d, f, out);
	case 3:
		err = check_type(d, f, PROTO_BYTES);
		return err ? err : take_label(d, f, out);
	}
	return 0;
}

/* The last sample type may come after the samples: so samples are compared with the first one. */
static int check_nr_values(struct decoder *d, const struct sample_parts *parts, const uint8_t *at)
{
	if (!d->m->samples.nr)
		d->refs.nr_values = parts->nr_values;
	if (parts->nr_values == d->refs.nr_values)
		return 0;
	return profile_fault_set(d->fault, profile_input_offset(d->in, at),
				 "expected %zu values in each sample, found %zu: get the file again",
				 d->refs.nr_values, parts->nr_values);
}

int decode_message_finish(struct decoder *d)
{
	size_t nr = d->stacks.nr;
	int err = span_set_take_batch(&d->m->stacks, &d->stacks);

	for (size_t i = 0; !err && i < nr; i++)
		d->m->samples.items[d->sample_of_stack[i]].stack = d->stacks.id[i];
	return err ? fault_errno(d, err) : 0;
}

/* The stack of the sample that was just added. */
static int take_stack(struct decoder *d, size_t nr_locations)
{
	d->sample_of_stack[d->stacks.nr] = d->m->samples.nr - 1;
	span_set_push(&d->m->stacks, &d->stacks, nr_locations);
	return d->stacks.nr == SPAN_BATCH_MAX ? decode_message_finish(d) : 0;
}

static int64_t take_label_set(struct decoder *d, const struct sample_parts *parts)
{
	int64_t set = 0;

	if (parts->nr_labels)
		set = span_set_take(&d->m->label_sets, parts->nr_labels);
	return set < 0 ? fault_errno(d, set) : set;
}

/*
 * Reads the rest of a sample from its first label on. Remembers it if it has labels only.
 * Returns: the label set, or a negative errno after it set the fault.
 */
static int64_t read_labels(struct decoder *d, struct proto_message m, struct sample_parts *parts)
{
	struct label_cache_entry *e = label_cache_at(&d->labels, m.at, m.end - m.at);
	struct sample_parts before = *parts;
	int64_t set;

	if (e && label_cache_holds(e, m.at, m.end - m.at))
		return e->label_set;
	set = read_fields(d, m, take_sample_field, parts);
	if (!set)
		set = take_label_set(d, parts);
	if (set >= 0 && e && parts->nr_locations == before.nr_locations &&
	    parts->nr_values == before.nr_values)
		label_cache_set(e, m.at, m.end - m.at, set);
	return set;
}

/* Labels are the last fields, unless another program than Go's or ours wrote the file. */
static int64_t read_sample(struct decoder *d, struct proto_message m, struct sample_parts *parts)
{
	struct proto_field f;
	const char *expected;
	int err;

	while (m.at < m.end) {
		if (*m.at == LABEL_TAG && !parts->nr_labels)
			return read_labels(d, m, parts);
		expected = proto_read_field(&m, &f);
		err = expected ? fault_at(d, m.at, expected) : take_sample_field(d, &f, parts);
		if (err)
			return err;
	}
	return take_label_set(d, parts);
}

static int take_sample(struct decoder *d, const struct proto_field *f)
{
	struct sample_parts parts = { 0 };
	struct model *m = d->m;
	struct model_sample *samples;
	int64_t label_set = read_sample(d, f->bytes, &parts);
	int err = label_set < 0 ? label_set : check_nr_values(d, &parts, f->bytes.at);

	if (err)
		return err;
	samples = array_grow(m->samples.items, &m->samples.room, m->samples.nr + 1,
			     sizeof(*samples));
	if (!samples)
		return fault_memory(d);
	m->samples.items = samples;
	samples[m->samples.nr++] = (struct model_sample){ .label_set = label_set };
	m->values.nr += parts.nr_values;
	return parts.nr_locations ? take_stack(d, parts.nr_locations) : 0;
}

struct mapping_fields {
	struct model_mapping mapping;
	uint32_t handle;
};

static int take_mapping_field(struct decoder *d, const struct proto_field *f, void *out)
{
	struct mapping_fields *fields = out;
	struct model_mapping *mapping = &fields->mapping;

	switch (f->number) {
	case 1:
		return take_id(d, f, &d->refs.mappings, &fields->handle);
	case 2:
		return take_number(d, f, (int64_t *)&mapping->start);
	case 3:
		return take_number(d, f, (int64_t *)&mapping->limit);
	case 4:
		return take_number(d, f, (int64_t *)&mapping->offset);
	case 5:
		return take_string(d, f, &mapping->file);
	case 6:
		return take_string(d, f, &mapping->build_id);
	case 7:
		return take_flag(d, f, &mapping->flags, PROFILE_HAS_FUNCTIONS);
	case 8:
		return take_flag(d, f, &mapping->flags, PROFILE_HAS_FILENAMES);
	case 9:
		return take_flag(d, f, &mapping->flags, PROFILE_HAS_LINE_NUMBERS);
	case 10:
		return take_flag(d, f, &mapping->flags, PROFILE_HAS_INLINE_FRAMES);
	}
	return 0;
}

static int take_mapping(struct decoder *d, const struct proto_field *f)
{
	struct mapping_fields fields = { .handle = MODEL_NONE };
	int err = read_fields(d, f->bytes, take_mapping_field, &fields);

	if (!err)
		err = define_id(d, &d->refs.mappings, fields.handle, f->bytes.at);
	if (!err && model_add_mapping(d->m, &fields.mapping) < 0)
		err = fault_memory(d);
	return err;
}

static int take_line_field(struct decoder *d, const struct proto_field *f, void *out)
{
	struct model_line *line = out;

	switch (f->number) {
	case 1:
		return take_id(d, f, &d->refs.functions, &line->function);
	case 2:
		return take_number(d, f, &line->line);
	case 3:
		return take_number(d, f, &line->column);
	}
	return 0;
}

static int take_line(struct decoder *d, const struct proto_field *f)
{
	struct model_line *lines;
	int err = check_type(d, f, PROTO_BYTES);

	if (err)
		return err;
	lines = array_grow(d->lines.items, &d->lines.room, d->lines.nr + 1, sizeof(*lines));
	if (!lines)
		return fault_memory(d);
	d->lines.items = lines;
	lines += d->lines.nr++;
	*lines = (struct model_line){ .function = MODEL_NONE };
	err = read_fields(d, f->bytes, take_line_field, lines);
	if (!err && lines->function == MODEL_NONE)
		err = fault_at(d, f->bytes.at, "a line with a function id");
	return err;
}

struct location_fields {
	struct model_location location;
	uint32_t is_folded;
	uint32_t handle;
};

static int take_location_field(struct decoder *d, const struct proto_field *f, void *out)
{
	struct location_fields *fields = out;

	switch (f->number) {
	case 1:
		return take_id(d, f, &d->refs.locations, &fields->handle);
	case 2:
		return take_id(d, f, &d->refs.mappings, &fields->location.mapping);
	case 3:
		return take_number(d, f, (int64_t *)&fields->location.address);
	case 4:
		return take_line(d, f);
	case 5:
		return take_flag(d, f, &fields->is_folded, 1);
	}
	return 0;
}

static int take_location(struct decoder *d, const struct proto_field *f)
{
	struct location_fields fields = { .location.mapping = MODEL_NONE, .handle = MODEL_NONE };
	int64_t index;
	int err;

	d->lines.nr = 0;
	err = read_fields(d, f->bytes, take_location_field, &fields);
	if (!err)
		err = define_id(d, &d->refs.locations, fields.handle, f->bytes.at);
	if (err)
		return err;
	fields.location.is_folded = fields.is_folded;
	index = model_add_location(d->m, &fields.location, d->lines.items, d->lines.nr);
	return index < 0 ? fault_errno(d, index) : 0;
}

struct function_fields {
	struct model_function function;
	uint32_t handle;
};

static int take_function_field(struct decoder *d, const struct proto_field *f, void *out)
{
	struct function_fields *fields = out;

	switch (f->number) {
	case 1:
		return take_id(d, f, &d->refs.functions, &fields->handle);
	case 2:
		return take_string(d, f, &fields->function.name);
	case 3:
		return take_string(d, f, &fields->function.system_name);
	case 4:
		return take_string(d, f, &fields->function.file);
	case 5:
		return take_number(d, f, &fields->function.start_line);
	}
	return 0;
}

static int take_function(struct decoder *d, const struct proto_field *f)
{
	struct function_fields fields = { .handle = MODEL_NONE };
	int err = read_fields(d, f->bytes, take_function_field, &fields);

	if (!err)
		err = define_id(d, &d->refs.functions, fields.handle, f->bytes.at);
	if (!err && model_add_function(d->m, &fields.function) < 0)
		err = fault_memory(d);
	return err;
}

static int take_string_entry(struct decoder *d, const struct proto_field *f)
{
	const char *s = (const char *)f->bytes.at;
	int64_t index = model_add_string(d->m, s, f->value);

	if (!d->refs.nr_strings && f->value)
		return fault_at(d, f->bytes.at, "an empty string as the first one");
	if (index < 0 || decode_references_add_string(&d->refs, index))
		return fault_memory(d);
	return 0;
}

static int take_comments(struct decoder *d, const struct proto_field *f)
{
	struct proto_message m = f->bytes;
	uint64_t value = f->value;
	uint32_t string = 0;
	int err = f->type == PROTO_BYTES ? 0 : check_type(d, f, PROTO_VARINT);

	while (!err && (f->type == PROTO_VARINT || m.at < m.end)) {
		if (f->type == PROTO_BYTES && !proto_read_varint(&m, &value))
			return fault_at(d, m.at, "a varint of up to 10 bytes");
		err = take_string_index(d, f->at, value, &string);
		if (!err && model_add_comment(d->m, string))
			err = fault_memory(d);
		if (f->type == PROTO_VARINT)
			break;
	}
	return err;
}

/* A second time, after one that is not 0, is the sign of two files in one. */
static int take_time(struct decoder *d, const struct proto_field *f)
{
	if (d->m->time_ns)
		return profile_fault_set(d->fault, profile_input_offset(d->in, f->at),
					 "expected one profile, found a second one: split the file");
	return take_number(d, f, &d->m->time_ns);
}

static int take_scalar(struct decoder *d, const struct proto_field *f)
{
	struct model *m = d->m;

	switch (f->number) {
	case 7:
		return take_string(d, f, &m->drop_frames);
	case 8:
		return take_string(d, f, &m->keep_frames);
	case 9:
		return take_time(d, f);
	case 10:
		return take_number(d, f, &m->duration_ns);
	case 12:
		return take_number(d, f, &m->period);
	case 13:
		return take_comments(d, f);
	case 14:
		return take_string(d, f, &m->default_sample_type);
	case 15:
		return take_string(d, f, &m->doc_url);
	}
	return 0;
}

int decode_message(struct decoder *d, const struct proto_field *f)
{
	static int (*const take[])(struct decoder *d, const struct proto_field *f) = {
		[1] = take_sample_type,	  [2] = take_sample,   [3] = take_mapping,
		[4] = take_location,	  [5] = take_function, [6] = take_string_entry,
		[11] = take_period_type,
	};
	bool is_message = f->number < sizeof(take) / sizeof(*take) && take[f->number];
	int err = is_message ? check_type(d, f, PROTO_BYTES) : 0;

	if (err)
		return err;
	return is_message ? take[f->number](d, f) : take_scalar(d, f);
}
