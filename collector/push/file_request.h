/* SPDX-License-Identifier: GPL-2.0 */
/* PUT of a profile to a URL of its own: to any HTTP server, or to S3. */
#ifndef COLLECTOR_PUSH_FILE_REQUEST_H
#define COLLECTOR_PUSH_FILE_REQUEST_H

struct push_item;
struct push_request;

/*
 * Makes the request; url is a template: see push/url_template.h.
 * Returns: 0, or -ENOMEM. push_request_fini() frees r in both cases.
 */
int file_request(const char *url, const struct push_item *item, struct push_request *r);

/*
 * The same for S3. libcurl signs it, and needs the SHA-256 of the body as a header (libcurl 7.88
 * signs wrongly without it).
 */
int file_request_s3(const char *url, const struct push_item *item, struct push_request *r);

#endif /* COLLECTOR_PUSH_FILE_REQUEST_H */
