/* SPDX-License-Identifier: GPL-2.0 */
/* Requests that PUT a profile as a file, to any HTTP server or to S3. */
#ifndef COLLECTOR_PUSH_FILE_REQUEST_H
#define COLLECTOR_PUSH_FILE_REQUEST_H

struct push_item;
struct push_request;

/*
 * Makes the request of an item. url is a template: see push/url_template.h.
 * Returns: 0, or -ENOMEM. push_request_fini() frees r in both cases.
 */
int file_request(const char *url, const struct push_item *item, struct push_request *r);

/*
 * Makes the request for S3. libcurl signs it later. It needs the SHA-256 of the body as a header:
 * without it the signature of libcurl 7.88 is wrong.
 * Returns: as file_request().
 */
int file_request_s3(const char *url, const struct push_item *item, struct push_request *r);

#endif /* COLLECTOR_PUSH_FILE_REQUEST_H */
