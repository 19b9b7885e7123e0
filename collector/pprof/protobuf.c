// SPDX-License-Identifier: GPL-2.0
#include "pprof/protobuf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROTO_MAX_DEPTH		8
#define PROTO_VARINT_BYTES	10
#define PROTO_DRAIN_BYTES	((size_t)32 << 10)

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_BYTES = 2,
};

struct proto {
	proto_sink *sink;
	void *ctx;
	uint8_t *buf;
	size_t len;
	size_t room;
	size_t begin[PROTO_MAX_DEPTH];	/* where the open messages begin in buf */
	unsigned int depth;
	int err;
};

int proto_file_sink(void *file, const void *data, size_t len)
{
	return fwrite(data, 1, len, file) == len ? 0 : -EIO;
}

struct proto *proto_new(proto_sink *sink, void *ctx)
{
	struct proto *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->sink = sink;
	p->ctx = ctx;
	return p;
}

void proto_free(struct proto *p)
{
	if (!p)
		return;
	free(p->buf);
	free(p);
}

static void drain(struct proto *p)
{
	if (!p->err && p->len)
		p->err = p->sink(p->ctx, p->buf, p->len);
	p->len = 0;
}

/*
 * Makes room for some more bytes. Outside of nested messages the content of the buffer is final,
 * so it may be sent to the sink here.
 * Returns: 0, or the error of p.
 */
static int make_room(struct proto *p, size_t bytes)
{
	size_t room = p->room ? p->room : 1024;
	uint8_t *more;

	if (!p->depth && p->len >= PROTO_DRAIN_BYTES)
		drain(p);
	if (p->err)
		return p->err;
	while (room - p->len < bytes)
		room *= 2;
	if (room == p->room)
		return 0;
	more = realloc(p->buf, room);
	if (!more)
		return p->err = -ENOMEM;
	p->buf = more;
	p->room = room;
	return 0;
}

static size_t varint_bytes(uint64_t value)
{
	size_t n = 1;

	while (value >>= 7)
		n++;
	return n;
}

static size_t encode_varint(uint8_t *out, uint64_t value)
{
	size_t n = 0;

	for (; value > 0x7f; value >>= 7)
		out[n++] = value | 0x80;
	out[n++] = value;
	return n;
}

static void put_varint(struct proto *p, uint64_t value)
{
	p->len += encode_varint(p->buf + p->len, value);
}

static void put_key(struct proto *p, uint32_t field, enum wire_type type)
{
	put_varint(p, (uint64_t)field << 3 | type);
}

void proto_element(struct proto *p, uint32_t field, uint64_t value)
{
	if (make_room(p, 2 * PROTO_VARINT_BYTES))
		return;
	put_key(p, field, WIRE_VARINT);
	put_varint(p, value);
}

void proto_uint(struct proto *p, uint32_t field, uint64_t value)
{
	if (value)
		proto_element(p, field, value);
}

void proto_int(struct proto *p, uint32_t field, int64_t value)
{
	proto_uint(p, field, (uint64_t)value);
}

void proto_fixed64(struct proto *p, uint32_t field, uint64_t value)
{
	if (!value || make_room(p, PROTO_VARINT_BYTES + sizeof(value)))
		return;
	put_key(p, field, WIRE_FIXED64);
	for (size_t i = 0; i < sizeof(value); i++)
		p->buf[p->len++] = value >> 8 * i;
}

void proto_bytes(struct proto *p, uint32_t field, const void *data, size_t len)
{
	if (make_room(p, 2 * PROTO_VARINT_BYTES + len))
		return;
	put_key(p, field, WIRE_BYTES);
	put_varint(p, len);
	if (len)
		memcpy(p->buf + p->len, data, len);
	p->len += len;
}

void proto_packed(struct proto *p, uint32_t field, const uint64_t *values, size_t nr)
{
	size_t i, len = 0;

	for (i = 0; i < nr; i++)
		len += varint_bytes(values[i]);
	if (!nr || make_room(p, 2 * PROTO_VARINT_BYTES + len))
		return;
	put_key(p, field, WIRE_BYTES);
	put_varint(p, len);
	for (i = 0; i < nr; i++)
		put_varint(p, values[i]);
}

void proto_begin(struct proto *p, uint32_t field)
{
	if (make_room(p, PROTO_VARINT_BYTES))
		return;
	if (p->depth == PROTO_MAX_DEPTH) {
		p->err = -EINVAL;
		return;
	}
	put_key(p, field, WIRE_BYTES);
	p->begin[p->depth++] = p->len;
}

/* The length comes before the message, which moves up by the bytes of the length. */
void proto_end(struct proto *p)
{
	uint8_t *begin;
	size_t len, n;

	if (!p->depth && !p->err)
		p->err = -EINVAL;
	if (make_room(p, PROTO_VARINT_BYTES))
		return;
	begin = p->buf + p->begin[--p->depth];
	len = p->buf + p->len - begin;
	n = varint_bytes(len);
	memmove(begin + n, begin, len);
	encode_varint(begin, len);
	p->len += n;
}

void proto_message(struct proto *p, uint32_t field, uint64_t len)
{
	if (make_room(p, 2 * PROTO_VARINT_BYTES))
		return;
	put_key(p, field, WIRE_BYTES);
	put_varint(p, len);
}

uint64_t proto_message_bytes(uint32_t field, uint64_t len)
{
	return varint_bytes((uint64_t)field << 3) + varint_bytes(len) + len;
}

int proto_flush(struct proto *p)
{
	if (p->depth && !p->err)
		p->err = -EINVAL;
	drain(p);
	return p->err;
}
