// SPDX-License-Identifier: GPL-2.0
#include "push/file_request.h"

#include <errno.h>
#include <stdio.h>

#include "base/libgnutls.h"
#include "push/push_item.h"
#include "push/push_request.h"
#include "push/url_template.h"

#define SHA256_BYTES	32

int file_request(const char *url, const struct push_item *item, struct push_request *r)
{
	const struct url_template_values values = {
		.host = push_labels_get(&item->labels, "host"),
		.service = push_labels_get(&item->labels, "service_name"),
		.type = item->type,
		.pid = push_labels_get(&item->labels, "pid"),
		.time_ns = item->time_ns,
	};

	r->method = "PUT";
	r->url = url_template_fill(url, &values);
	if (!r->url || byte_buffer_append(&r->body, item->bytes.items, item->bytes.nr))
		return -ENOMEM;
	return push_request_add_header(r, "Content-Type", "application/octet-stream");
}

int file_request_s3(const char *url, const struct push_item *item, struct push_request *r)
{
	uint8_t hash[SHA256_BYTES];
	char hex[2 * SHA256_BYTES + 1];
	int err = file_request(url, item, r);

	if (err)
		return err;
	if (libgnutls.hash_fast(GNUTLS_DIG_SHA256, r->body.items, r->body.nr, hash))
		return -ENOMEM;
	for (size_t i = 0; i < SHA256_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", hash[i]);
	return push_request_add_header(r, "x-amz-content-sha256", hex);
}
