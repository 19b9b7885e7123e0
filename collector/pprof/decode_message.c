// SPDX-License-Identifier: GPL-2.0
#include "pprof/decode_message.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "pprof/decode_fields.h"
#include "pprof/decode_sample.h"

/* Defines the table's next entry, whose message begins there. */
static int define_id(struct decoder *d, struct id_space *ids, uint32_t handle, const uint8_t *at)
{
	if (handle == MODEL_NONE)
		return decode_fault_at(d, at, "an id that is not 0");
	return id_space_define(ids, handle) ? decode_fault_memory(d) : 0;
}

static int take_value_type_field(struct decoder *d, const struct proto_field *f, void *out)
{
	struct model_value_type *type = out;

	switch (f->number) {
	case 1:
		return decode_take_string(d, f, &type->type);
	case 2:
		return decode_take_string(d, f, &type->unit);
	}
	return 0;
}

static int take_sample_type(struct decoder *d, const struct proto_field *f)
{
	struct model_value_type type = { 0 };
	int err = decode_read_fields(d, f->bytes, take_value_type_field, &type);

	if (!err && model_add_sample_type(d->m, &type))
		err = decode_fault_memory(d);
	return err;
}

static int take_period_type(struct decoder *d, const struct proto_field *f)
{
	d->m->period_type = (struct model_value_type){ 0 };
	return decode_read_fields(d, f->bytes, take_value_type_field, &d->m->period_type);
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
		return decode_take_id(d, f, &d->refs.mappings, &fields->handle);
	case 2:
		return decode_take_number(d, f, (int64_t *)&mapping->start);
	case 3:
		return decode_take_number(d, f, (int64_t *)&mapping->limit);
	case 4:
		return decode_take_number(d, f, (int64_t *)&mapping->offset);
	case 5:
		return decode_take_string(d, f, &mapping->file);
	case 6:
		return decode_take_string(d, f, &mapping->build_id);
	case 7:
		return decode_take_flag(d, f, &mapping->flags, PROFILE_HAS_FUNCTIONS);
	case 8:
		return decode_take_flag(d, f, &mapping->flags, PROFILE_HAS_FILENAMES);
	case 9:
		return decode_take_flag(d, f, &mapping->flags, PROFILE_HAS_LINE_NUMBERS);
	case 10:
		return decode_take_flag(d, f, &mapping->flags, PROFILE_HAS_INLINE_FRAMES);
	}
	return 0;
}

static int take_mapping(struct decoder *d, const struct proto_field *f)
{
	struct mapping_fields fields = { .handle = MODEL_NONE };
	int err = decode_read_fields(d, f->bytes, take_mapping_field, &fields);

	if (!err)
		err = define_id(d, &d->refs.mappings, fields.handle, f->bytes.at);
	if (!err && model_add_mapping(d->m, &fields.mapping) < 0)
		err = decode_fault_memory(d);
	return err;
}

static int take_line_field(struct decoder *d, const struct proto_field *f, void *out)
{
	struct model_line *line = out;

	switch (f->number) {
	case 1:
		return decode_take_id(d, f, &d->refs.functions, &line->function);
	case 2:
		return decode_take_number(d, f, &line->line);
	case 3:
		return decode_take_number(d, f, &line->column);
	}
	return 0;
}

static int take_line(struct decoder *d, const struct proto_field *f)
{
	struct model_line *lines;
	int err = decode_check_type(d, f, PROTO_BYTES);

	if (err)
		return err;
	lines = array_grow(d->lines.items, &d->lines.room, d->lines.nr + 1, sizeof(*lines));
	if (!lines)
		return decode_fault_memory(d);
	d->lines.items = lines;
	lines += d->lines.nr++;
	*lines = (struct model_line){ .function = MODEL_NONE };
	err = decode_read_fields(d, f->bytes, take_line_field, lines);
	if (!err && lines->function == MODEL_NONE)
		err = decode_fault_at(d, f->bytes.at, "a line with a function id");
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
		return decode_take_id(d, f, &d->refs.locations, &fields->handle);
	case 2:
		return decode_take_id(d, f, &d->refs.mappings, &fields->location.mapping);
	case 3:
		return decode_take_number(d, f, (int64_t *)&fields->location.address);
	case 4:
		return take_line(d, f);
	case 5:
		return decode_take_flag(d, f, &fields->is_folded, 1);
	}
	return 0;
}

static int take_location(struct decoder *d, const struct proto_field *f)
{
	struct location_fields fields = { .location.mapping = MODEL_NONE, .handle = MODEL_NONE };
	int64_t index;
	int err;

	d->lines.nr = 0;
	err = decode_read_fields(d, f->bytes, take_location_field, &fields);
	if (!err)
		err = define_id(d, &d->refs.locations, fields.handle, f->bytes.at);
	if (err)
		return err;
	fields.location.is_folded = fields.is_folded;
	index = model_add_location(d->m, &fields.location, d->lines.items, d->lines.nr);
	return index < 0 ? decode_fault_errno(d, index) : 0;
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
		return decode_take_id(d, f, &d->refs.functions, &fields->handle);
	case 2:
		return decode_take_string(d, f, &fields->function.name);
	case 3:
		return decode_take_string(d, f, &fields->function.system_name);
	case 4:
		return decode_take_string(d, f, &fields->function.file);
	case 5:
		return decode_take_number(d, f, &fields->function.start_line);
	}
	return 0;
}

static int take_function(struct decoder *d, const struct proto_field *f)
{
	struct function_fields fields = { .handle = MODEL_NONE };
	int err = decode_read_fields(d, f->bytes, take_function_field, &fields);

	if (!err)
		err = define_id(d, &d->refs.functions, fields.handle, f->bytes.at);
	if (!err && model_add_function(d->m, &fields.function) < 0)
		err = decode_fault_memory(d);
	return err;
}

static int take_string_entry(struct decoder *d, const struct proto_field *f)
{
	const char *s = (const char *)f->bytes.at;
	int64_t index = model_add_string(d->m, s, f->value);

	if (!d->refs.nr_strings && f->value)
		return decode_fault_at(d, f->bytes.at, "an empty string as the first one");
	if (index < 0 || decode_references_add_string(&d->refs, index))
		return decode_fault_memory(d);
	return 0;
}

static int take_comments(struct decoder *d, const struct proto_field *f)
{
	struct proto_message m = f->bytes;
	uint64_t value = f->value;
	uint32_t string = 0;
	int err = f->type == PROTO_BYTES ? 0 : decode_check_type(d, f, PROTO_VARINT);

	while (!err && (f->type == PROTO_VARINT || m.at < m.end)) {
		if (f->type == PROTO_BYTES && !proto_read_varint(&m, &value))
			return decode_fault_at(d, m.at, "a varint of up to 10 bytes");
		err = decode_take_string_index(d, f->at, value, &string);
		if (!err && model_add_comment(d->m, string))
			err = decode_fault_memory(d);
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
	return decode_take_number(d, f, &d->m->time_ns);
}

static int take_scalar(struct decoder *d, const struct proto_field *f)
{
	struct model *m = d->m;

	switch (f->number) {
	case 7:
		return decode_take_string(d, f, &m->drop_frames);
	case 8:
		return decode_take_string(d, f, &m->keep_frames);
	case 9:
		return take_time(d, f);
	case 10:
		return decode_take_number(d, f, &m->duration_ns);
	case 12:
		return decode_take_number(d, f, &m->period);
	case 13:
		return take_comments(d, f);
	case 14:
		return decode_take_string(d, f, &m->default_sample_type);
	case 15:
		return decode_take_string(d, f, &m->doc_url);
	}
	return 0;
}

int decode_message(struct decoder *d, const struct proto_field *f)
{
	static int (*const take[])(struct decoder *d, const struct proto_field *f) = {
		[1] = take_sample_type,	  [2] = decode_sample, [3] = take_mapping,
		[4] = take_location,	  [5] = take_function, [6] = take_string_entry,
		[11] = take_period_type,
	};
	bool is_message = f->number < sizeof(take) / sizeof(*take) && take[f->number];
	int err = is_message ? decode_check_type(d, f, PROTO_BYTES) : 0;

	if (err)
		return err;
	return is_message ? take[f->number](d, f) : take_scalar(d, f);
}
