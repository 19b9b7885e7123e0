/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the protobuf wire format from memory whose content is not trusted. Fields may come in any
 * order. The functions are inline: a profile has a field for every few bytes.
 */
#ifndef COLLECTOR_PROTOBUF_READER_H
#define COLLECTOR_PROTOBUF_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A message, or a packed field. */
struct proto_message {
	const uint8_t *at;		/* the next byte */
	const uint8_t *end;
};

enum proto_wire_type {
	PROTO_VARINT = 0,
	PROTO_FIXED64 = 1,
	PROTO_BYTES = 2,
	PROTO_FIXED32 = 5,
};

struct proto_field {
	const uint8_t *at;		/* where the field begins */
	uint64_t number;
	enum proto_wire_type type;
	uint64_t value;			/* the length of bytes if the type is PROTO_BYTES */
	struct proto_message bytes;	/* if the type is PROTO_BYTES */
};

/*
 * Reads a varint of up to 10 bytes. Bits from 64 on are dropped, as Go's reader does.
 * Returns: false if m has no complete varint; m is unchanged then.
 */
static inline bool proto_read_varint(struct proto_message *m, uint64_t *value)
{
	const uint8_t *at = m->at, *end = m->end;
	uint64_t v = 0;

	for (unsigned int shift = 0; shift < 70 && at < end; shift += 7) {
		v |= (uint64_t)(*at & 0x7f) << shift;
		if (!(*at++ & 0x80)) {
			m->at = at;
			*value = v;
			return true;
		}
	}
	return false;
}

/* Reads a number of len bytes, 4 or 8. Returns false if m is shorter; m is unchanged then. */
static inline bool proto_read_fixed(struct proto_message *m, size_t len, uint64_t *value)
{
	if ((size_t)(m->end - m->at) < len)
		return false;
	*value = 0;
	memcpy(value, m->at, len);
	m->at += len;
	return true;
}

/*
 * Reads the head of the next field: all but bytes. m is not at its end.
 * Returns: NULL, or what was expected at m->at.
 */
static inline const char *proto_read_head(struct proto_message *m, struct proto_field *f)
{
	uint64_t tag;

	f->at = m->at;
	if (!proto_read_varint(m, &tag))
		return "a tag";
	f->number = tag >> 3;
	f->type = tag & 7;
	switch (f->type) {
	case PROTO_VARINT:
		return proto_read_varint(m, &f->value) ? NULL : "a varint of up to 10 bytes";
	case PROTO_FIXED64:
		return proto_read_fixed(m, 8, &f->value) ? NULL : "8 bytes";
	case PROTO_FIXED32:
		return proto_read_fixed(m, 4, &f->value) ? NULL : "4 bytes";
	case PROTO_BYTES:
		return proto_read_varint(m, &f->value) ? NULL : "a length";
	}
	m->at = f->at;
	return "a wire type of 0, 1, 2 or 5";
}

/*
 * Reads the next field of a message that is not at its end.
 * Returns: NULL, or what was expected at m->at.
 */
static inline const char *proto_read_field(struct proto_message *m, struct proto_field *f)
{
	const char *expected = proto_read_head(m, f);

	if (expected || f->type != PROTO_BYTES)
		return expected;
	if (f->value > (uint64_t)(m->end - m->at))
		return "a length that fits in the message";
	f->bytes = (struct proto_message){ m->at, m->at + f->value };
	m->at += f->value;
	return NULL;
}

#endif /* COLLECTOR_PROTOBUF_READER_H */
