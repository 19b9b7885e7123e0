// SPDX-License-Identifier: GPL-2.0
#include "push/parca_request.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"
#include "base/libgnutls.h"
#include "push/push_item.h"
#include "push/push_request.h"

struct label_list {
	FILE *out;
	bool has_first;
};

static void put_label(void *ctx, const char *name, const char *value)
{
	struct label_list *l = ctx;

	fputs(l->has_first ? ",{\"name\":" : "{\"name\":", l->out);
	json_string(l->out, name);
	fputs(",\"value\":", l->out);
	json_string(l->out, value);
	putc('}', l->out);
	l->has_first = true;
}

static int put_base64(FILE *out, const struct byte_buffer *b)
{
	const gnutls_datum_t plain = { b->items, b->nr };
	gnutls_datum_t text;

	if (libgnutls.base64_encode2(&plain, &text))
		return -ENOMEM;
	fwrite(text.data, 1, text.size, out);
	(*libgnutls.free)(text.data);
	return 0;
}

static int put_body(FILE *out, const struct push_item *item, const struct byte_buffer *profile)
{
	struct label_list labels = { .out = out };
	int err;

	fputs("{\"series\":[{\"labels\":{\"labels\":[", out);
	err = push_item_visit_labels(item, put_label, &labels);
	fputs("]},\"samples\":[{\"rawProfile\":\"", out);
	if (!err)
		err = put_base64(out, profile);
	fputs("\"}]}],\"normalized\":false}", out);
	return err;
}

int parca_request(const char *base, const struct push_item *item,
		  const struct byte_buffer *profile, struct push_request *r)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int err = out ? put_body(out, item, profile) : -ENOMEM;

	if (out && fclose(out))
		err = -ENOMEM;
	r->method = "POST";
	r->body = (struct byte_buffer){ (uint8_t *)text, text ? len : 0, text ? len : 0 };
	if (!err && asprintf(&r->url, "%s/api/profiles/writeraw", base) < 0)
		err = -ENOMEM;
	return err ? err : push_request_add_header(r, "Content-Type", "application/json");
}
