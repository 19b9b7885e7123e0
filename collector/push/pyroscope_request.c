// SPDX-License-Identifier: GPL-2.0
#include "push/pyroscope_request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/protobuf.h"
#include "push/push_item.h"
#include "push/push_request.h"

static void put_label(struct proto *p, const char *name, const char *value)
{
	proto_begin(p, 1);
	proto_bytes(p, 1, name, strlen(name));
	proto_bytes(p, 2, value, strlen(value));
	proto_end(p);
}

/* Returns: 0, or -ENOMEM. */
static int put_clean_label(struct proto *p, const struct push_label *label)
{
	char *name = strdup(label->name);

	if (!name)
		return -ENOMEM;
	push_labels_clean_name(name);
	if (strcmp(name, "__name__"))
		put_label(p, name, label->value);
	free(name);
	return 0;
}

/*
 * Versions before 2 subtract consecutive values of "memory", as those of Go only grow. Ours are of
 * one run or one window.
 */
static int put_labels(struct proto *p, const struct push_item *item)
{
	char *name = push_item_metric_name(item);
	int err = name ? 0 : -ENOMEM;

	if (err)
		return err;
	put_label(p, "__name__", name);
	if (!strcmp(name, "memory"))
		put_label(p, "__delta__", "false");
	for (size_t i = 0; !err && i < item->labels.nr; i++)
		err = put_clean_label(p, &item->labels.items[i]);
	free(name);
	return err;
}

static int put_series(struct proto *p, const struct push_item *item,
		      const struct byte_buffer *profile)
{
	int err;

	proto_begin(p, 1);
	err = put_labels(p, item);
	proto_begin(p, 2);
	proto_bytes(p, 1, profile->items, profile->nr);
	proto_end(p);
	proto_end(p);
	return err;
}

int pyroscope_request(const char *base, const struct push_item *item,
		      const struct byte_buffer *profile, struct push_request *r)
{
	struct proto *p = proto_new(byte_buffer_append, &r->body);
	int err = p ? put_series(p, item, profile) : -ENOMEM;

	if (!err)
		err = proto_flush(p);
	proto_free(p);
	r->method = "POST";
	if (!err && asprintf(&r->url, "%s/push.v1.PusherService/Push", base) < 0)
		err = -ENOMEM;
	if (!err)
		err = push_request_add_header(r, "Content-Type", "application/proto");
	if (!err)
		err = push_request_add_header(r, "Connect-Protocol-Version", "1");
	return err;
}
