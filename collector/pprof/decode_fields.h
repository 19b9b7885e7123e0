/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a decoder, and the fields of the messages of profile.proto. The functions that
 * return int return 0, or a negative errno after they set *d->fault.
 */
#ifndef COLLECTOR_DECODE_FIELDS_H
#define COLLECTOR_DECODE_FIELDS_H

#include <errno.h>

#include "pprof/decode_references.h"
#include "pprof/label_cache.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"
#include "pprof/protobuf_reader.h"

struct decoder {
	struct profile_input *in;
	struct profile_fault *fault;
	struct model *m;
	struct decode_references refs;
	struct label_cache labels;
	/* The stacks of the last samples. Each one is for the sample of its index. */
	struct span_batch stacks;
	size_t sample_of_stack[SPAN_BATCH_MAX];
	/* Lines of the current location. */
	MODEL_ARRAY(struct model_line, lines);
};

/* Sets the fault for a byte in the window. Returns: -EBADMSG. */
static inline int decode_fault_at(struct decoder *d, const uint8_t *at, const char *expected)
{
	return profile_fault_set(d->fault, profile_input_offset(d->in, at),
				 "expected %s: get the file again", expected);
}

/* Sets the fault for an error that is none of the data. Returns: err. */
static inline int decode_fault_errno(struct decoder *d, int err)
{
	return profile_fault_errno(d->fault, err);
}

static inline int decode_fault_memory(struct decoder *d)
{
	return decode_fault_errno(d, -ENOMEM);
}

/* Has the field this wire type? */
static inline int decode_check_type(struct decoder *d, const struct proto_field *f,
				    enum proto_wire_type type)
{
	if (f->type == type)
		return 0;
	return profile_fault_set(d->fault, profile_input_offset(d->in, f->at),
				 "expected wire type %d in field %llu, found %d: get the file again",
				 type, (unsigned long long)f->number, f->type);
}

/* These set *out, or a bit of *flags, to the number of a field. */
static inline int decode_take_number(struct decoder *d, const struct proto_field *f, int64_t *out)
{
	*out = f->value;
	return decode_check_type(d, f, PROTO_VARINT);
}

static inline int decode_take_flag(struct decoder *d, const struct proto_field *f,
				   uint32_t *flags, uint32_t bit)
{
	*flags = f->value ? *flags | bit : *flags & ~bit;
	return decode_check_type(d, f, PROTO_VARINT);
}

/* Sets *out to the index of a string. No table of UINT32_MAX strings fits in memory. */
static inline int decode_take_string_index(struct decoder *d, const uint8_t *at, uint64_t value,
					   uint32_t *out)
{
	if (value >= UINT32_MAX)
		return decode_fault_at(d, at, "the index of a string");
	*out = value;
	if (value > d->refs.max_string) {
		d->refs.max_string = value;
		d->refs.max_string_at = profile_input_offset(d->in, at);
	}
	return 0;
}

static inline int decode_take_string(struct decoder *d, const struct proto_field *f, uint32_t *out)
{
	int err = decode_check_type(d, f, PROTO_VARINT);

	return err ? err : decode_take_string_index(d, f->at, f->value, out);
}

/* Sets *out to the handle of an id, or to MODEL_NONE if the id is 0. */
static inline int decode_take_id(struct decoder *d, const struct proto_field *f,
				 struct id_space *ids, uint32_t *out)
{
	int err = decode_check_type(d, f, PROTO_VARINT);
	int64_t handle;

	*out = MODEL_NONE;
	if (err || !f->value)
		return err;
	handle = id_space_handle(ids, f->value);
	if (handle < 0)
		return decode_fault_memory(d);
	*out = handle;
	return 0;
}

typedef int decode_take_field(struct decoder *d, const struct proto_field *f, void *out);

/* Calls take() for each field. Inlined, with take() in it. */
static inline __attribute__((always_inline)) int
decode_read_fields(struct decoder *d, struct proto_message m, decode_take_field *take, void *out)
{
	struct proto_field f = { 0 };	/* gcc 14 does not see that bytes is set where it is used */
	int err = 0;

	while (!err && m.at < m.end) {
		const char *expected = proto_read_field(&m, &f);

		err = expected ? decode_fault_at(d, m.at, expected) : take(d, &f, out);
	}
	return err;
}

#endif /* COLLECTOR_DECODE_FIELDS_H */
