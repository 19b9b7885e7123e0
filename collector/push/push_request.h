/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One HTTP request, without the secret and the certificates. push/transfers.h adds these from the
 * files of the backend.
 */
#ifndef COLLECTOR_PUSH_REQUEST_H
#define COLLECTOR_PUSH_REQUEST_H

#include <stddef.h>

#include "push/byte_buffer.h"

#define PUSH_REQUEST_MAX_HEADERS	4

struct push_request {
	const char *method;				/* static */
	char *url;					/* owned */
	char *headers[PUSH_REQUEST_MAX_HEADERS];	/* owned: "Name: value" */
	size_t nr_headers;
	struct byte_buffer body;
};

/* Frees the strings and the body of r. All zeroes is an empty request. */
void push_request_fini(struct push_request *r);

/* Adds a header, of PUSH_REQUEST_MAX_HEADERS at most. Returns: 0, or -ENOMEM. */
int push_request_add_header(struct push_request *r, const char *name, const char *value);

#endif /* COLLECTOR_PUSH_REQUEST_H */
