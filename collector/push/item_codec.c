// SPDX-License-Identifier: GPL-2.0
#include "push/item_codec.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/protobuf.h"
#include "pprof/protobuf_reader.h"
#include "push/push_item.h"

enum field { TYPE = 1, LABEL, TIME, IS_EXACT, PROFILE, IS_IN_HEAP };
enum label_field { NAME = 1, VALUE };

static void put_text(struct proto *p, uint32_t field, const char *text)
{
	proto_bytes(p, field, text, strlen(text));
}

static void put_item(struct proto *p, const struct push_item *item)
{
	put_text(p, TYPE, item->type);
	for (size_t i = 0; i < item->labels.nr; i++) {
		proto_begin(p, LABEL);
		put_text(p, NAME, item->labels.items[i].name);
		put_text(p, VALUE, item->labels.items[i].value);
		proto_end(p);
	}
	proto_int(p, TIME, item->time_ns);
	proto_uint(p, IS_EXACT, item->is_exact);
	if (item->is_in_heap)
		proto_uint(p, IS_IN_HEAP, 1);
	if (item->bytes.nr)
		proto_bytes(p, PROFILE, item->bytes.items, item->bytes.nr);
}

int item_codec_encode(const struct push_item *item, struct byte_buffer *b)
{
	struct proto *p = proto_new(byte_buffer_append, b);
	int err = -ENOMEM;

	if (p) {
		put_item(p, item);
		err = proto_flush(p);
	}
	proto_free(p);
	return err;
}

/* Replaces *text by a copy of the field. Returns: 0, -EBADMSG or -ENOMEM. */
static int take_text(const struct proto_field *f, char **text)
{
	size_t len = f->value;

	if (f->type != PROTO_BYTES || memchr(f->bytes.at, '\0', len))
		return -EBADMSG;
	free(*text);
	*text = strndup((const char *)f->bytes.at, len);
	return *text ? 0 : -ENOMEM;
}

static int take_label(struct proto_message m, struct push_labels *labels)
{
	char *name = NULL, *value = NULL;
	struct proto_field f;
	int err = 0;

	while (!err && m.at < m.end) {
		if (proto_read_field(&m, &f))
			err = -EBADMSG;
		else if (f.number == NAME || f.number == VALUE)
			err = take_text(&f, f.number == NAME ? &name : &value);
	}
	if (!err)
		err = name && value ? push_labels_set(labels, name, value) : -EBADMSG;
	free(name);
	free(value);
	return err;
}

static int take_field(struct push_item *item, const struct proto_field *f)
{
	switch (f->number) {
	case TYPE:
		return take_text(f, &item->type);
	case LABEL:
		return f->type == PROTO_BYTES ? take_label(f->bytes, &item->labels) : -EBADMSG;
	case TIME:
		item->time_ns = f->value;
		return 0;
	case IS_EXACT:
		item->is_exact = f->value;
		return 0;
	case IS_IN_HEAP:
		item->is_in_heap = f->value;
		return 0;
	case PROFILE:
		return f->type == PROTO_BYTES ?
			byte_buffer_append(&item->bytes, f->bytes.at, f->value) : -EBADMSG;
	}
	return 0;
}

static int take_all(struct push_item *item, struct proto_message m)
{
	struct proto_field f;
	int err = 0;

	while (!err && m.at < m.end)
		err = proto_read_field(&m, &f) ? -EBADMSG : take_field(item, &f);
	return err ? err : item->type ? 0 : -EBADMSG;
}

struct push_item *item_codec_decode(const uint8_t *data, size_t len)
{
	struct push_item *item = push_item_new();
	int err = item ? take_all(item, (struct proto_message){ data, data + len }) : -ENOMEM;

	if (!err)
		return item;
	push_item_put(item);
	errno = -err;
	return NULL;
}
