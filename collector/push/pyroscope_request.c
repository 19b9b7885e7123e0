// SPDX-License-Identifier: GPL-2.0
#include "push/pyroscope_request.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "pprof/protobuf.h"
#include "push/push_item.h"
#include "push/push_request.h"

static void put_pair(struct proto *p, const char *name, const char *value)
{
	proto_begin(p, 1);
	proto_bytes(p, 1, name, strlen(name));
	proto_bytes(p, 2, value, strlen(value));
	proto_end(p);
}

/*
 * Pyroscope before version 2 subtracts consecutive values of "memory", since those of Go only grow.
 * The values here are of one run or one window, so it must not. __delta__=false says that.
 */
static void put_label(void *p, const char *name, const char *value)
{
	put_pair(p, name, value);
	if (!strcmp(name, "__name__") && !strcmp(value, "memory"))
		put_pair(p, "__delta__", "false");
}

static int put_series(struct proto *p, const struct push_item *item,
		      const struct byte_buffer *profile)
{
	int err;

	proto_begin(p, 1);
	err = push_item_visit_labels(item, put_label, p);
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
