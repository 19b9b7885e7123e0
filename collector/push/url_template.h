/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The URL of one profile, made from a template: %H is the host, %s the service, %k the profile
 * type, %p the pid, and %t the time of the profile's start in UTC, as 20261127T012000Z. %XX with
 * two hexadecimal digits stays: it is an encoded byte, as in all URLs. None of the letters above is
 * such a digit.
 *
 * In the values, all characters but letters, digits, '-', '_' and '.' become '_', and so does a '.'
 * at the start. So a value needs no encoding (RFC 3986, 2.3), and cannot add a folder.
 */
#ifndef COLLECTOR_PUSH_URL_TEMPLATE_H
#define COLLECTOR_PUSH_URL_TEMPLATE_H

#include <stdbool.h>
#include <stdint.h>

/* The strings are borrowed. NULL and "" are written as "unknown". */
struct url_template_values {
	const char *host;
	const char *service;
	const char *type;
	const char *pid;
	int64_t time_ns;	/* since the epoch */
};

/* Does each percent sign begin one of the above? */
bool url_template_is_valid(const char *url);

/*
 * Fills a valid template in.
 * Returns: the URL, which the caller frees, or NULL with errno ENOMEM.
 */
char *url_template_fill(const char *url, const struct url_template_values *v);

#endif /* COLLECTOR_PUSH_URL_TEMPLATE_H */
