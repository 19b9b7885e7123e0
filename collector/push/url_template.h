/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The URL of one profile, made from a template: %H is the host, %s the service, %k the profile
 * type, %p the pid, and %t the time of its start in UTC, as 20261127T012000Z. %XX with two
 * hexadecimal digits is a byte, as in all URLs: none of the letters is such a digit.
 *
 * In names, all characters but letters, digits and - _ . become _ (RFC 3986, unreserved), so a name
 * cannot add a folder.
 */
#ifndef COLLECTOR_PUSH_URL_TEMPLATE_H
#define COLLECTOR_PUSH_URL_TEMPLATE_H

#include <stdbool.h>
#include <stdint.h>

/* A NULL is written as "unknown". */
struct url_template_values {
	const char *host;
	const char *service;
	const char *type;
	const char *pid;
	int64_t time_ns;	/* since the epoch */
};

/* Has each percent sign a meaning? */
bool url_template_is_valid(const char *url);

/*
 * Fills a valid template in.
 * Returns: the URL, which the caller frees, or NULL with errno ENOMEM.
 */
char *url_template_fill(const char *url, const struct url_template_values *v);

#endif /* COLLECTOR_PUSH_URL_TEMPLATE_H */
