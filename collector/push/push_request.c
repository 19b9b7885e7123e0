// SPDX-License-Identifier: GPL-2.0
#include "push/push_request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void push_request_fini(struct push_request *r)
{
	free(r->url);
	for (size_t i = 0; i < r->nr_headers; i++)
		free(r->headers[i]);
	free(r->body.items);
	*r = (struct push_request){ 0 };
}

int push_request_add_header(struct push_request *r, const char *name, const char *value)
{
	char *header;

	if (asprintf(&header, "%s: %s", name, value) < 0)
		return -ENOMEM;
	r->headers[r->nr_headers++] = header;
	return 0;
}
