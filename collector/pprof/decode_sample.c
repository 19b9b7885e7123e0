// SPDX-License-Identifier: GPL-2.0
#include "pprof/decode_sample.h"

#include <errno.h>

#include "arch/packed_ids.h"
#include "base/array.h"
#include "pprof/decode_fields.h"

#define LABEL_TAG	(3 << 3 | PROTO_BYTES)	/* of Sample.label, in one byte */

_Static_assert(PROFILE_INPUT_AFTER >= ARCH_PACKED_IDS_READ, "ids are in the window of an input");

/* The parts of the current sample: they stand after those of the samples before. */
struct sample_parts {
	size_t nr_locations;
	size_t nr_labels;
	size_t nr_values;
};

/*
 * Reads packed location ids.
 * Returns: the end of the handles in to, or NULL after it set the fault.
 */
static uint32_t *read_locations(struct decoder *d, struct proto_message m, uint32_t *to)
{
	uint32_t *max = &d->refs.max_location;
	uint64_t id;
	int64_t handle;

	for (;;) {
		to = arch_packed_ids_read(&m.at, m.end, to, max);
		if (m.at == m.end)
			return to;
		if (!proto_read_varint(&m, &id)) {
			decode_fault_at(d, m.at, "a varint of up to 10 bytes");
			return NULL;
		}
		if (!id) {
			decode_fault_at(d, m.at - 1, "a location id that is not 0");
			return NULL;
		}
		handle = id_space_handle(&d->refs.locations, id);
		if (handle < 0) {
			decode_fault_memory(d);
			return NULL;
		}
		*to++ = handle;
		*max = handle > *max ? handle : *max;
	}
}

/* Makes room for the most ids that the field can hold. */
static uint32_t *reserve_locations(struct decoder *d, const struct sample_parts *parts, size_t nr)
{
	size_t nr_before = d->stacks.nr_items + parts->nr_locations;
	uint32_t *room = span_set_reserve(&d->m->stacks, nr_before + nr + ARCH_PACKED_IDS_ROOM);

	if (room)
		return room + nr_before;
	decode_fault_errno(d, -errno);
	return NULL;
}

static int take_location_id(struct decoder *d, const struct proto_field *f,
			    struct sample_parts *parts)
{
	uint32_t *to = reserve_locations(d, parts, 1);
	int err = to ? decode_take_id(d, f, &d->refs.locations, to) : -ENOMEM;

	if (err)
		return err;
	if (*to == MODEL_NONE)
		return decode_fault_at(d, f->at, "a location id that is not 0");
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

	if (!is_packed && decode_check_type(d, f, PROTO_VARINT))
		return -EBADMSG;
	values = array_grow(d->m->values.items, &d->m->values.room,
			    nr + (is_packed ? f->value : 1), sizeof(*values));
	if (!values)
		return decode_fault_memory(d);
	d->m->values.items = values;
	do {
		if (is_packed && m.at == m.end)
			break;
		if (is_packed && !proto_read_varint(&m, &value))
			return decode_fault_at(d, m.at, "a varint of up to 10 bytes");
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
		return decode_take_string(d, f, &label->key);
	case 2:
		return decode_take_string(d, f, &label->str);
	case 3:
		return decode_take_number(d, f, &label->num);
	case 4:
		return decode_take_string(d, f, &label->unit);
	}
	return 0;
}

/* A label with a text is a text; one without any value is dropped, as Go's reader does. */
static int take_label(struct decoder *d, const struct proto_field *f, struct sample_parts *parts)
{
	struct model_label label = { 0 }, *to;
	int err = decode_read_fields(d, f->bytes, take_label_field, &label);

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
		return decode_fault_memory(d);
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
		err = decode_check_type(d, f, PROTO_BYTES);
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

int decode_sample_finish(struct decoder *d)
{
	size_t nr = d->stacks.nr;
	int err = span_set_take_batch(&d->m->stacks, &d->stacks);

	for (size_t i = 0; !err && i < nr; i++)
		d->m->samples.items[d->sample_of_stack[i]].stack = d->stacks.id[i];
	return err ? decode_fault_errno(d, err) : 0;
}

/* The stack of the sample that was just added. */
static int take_stack(struct decoder *d, size_t nr_locations)
{
	d->sample_of_stack[d->stacks.nr] = d->m->samples.nr - 1;
	span_set_push(&d->stacks, nr_locations);
	return d->stacks.nr == SPAN_BATCH_MAX ? decode_sample_finish(d) : 0;
}

static int64_t take_label_set(struct decoder *d, const struct sample_parts *parts)
{
	int64_t set = 0;

	if (parts->nr_labels)
		set = span_set_take(&d->m->label_sets, parts->nr_labels);
	return set < 0 ? decode_fault_errno(d, set) : set;
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
	set = decode_read_fields(d, m, take_sample_field, parts);
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
		err = expected ? decode_fault_at(d, m.at, expected) :
				 take_sample_field(d, &f, parts);
		if (err)
			return err;
	}
	return take_label_set(d, parts);
}

int decode_sample(struct decoder *d, const struct proto_field *f)
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
		return decode_fault_memory(d);
	m->samples.items = samples;
	samples[m->samples.nr++] = (struct model_sample){ .label_set = label_set };
	m->values.nr += parts.nr_values;
	return parts.nr_locations ? take_stack(d, parts.nr_locations) : 0;
}
