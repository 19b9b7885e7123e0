/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The check of the header Host. A page of another site may make a browser send requests to this
 * server, by a name whose address the site changes meanwhile (DNS rebinding). Such a request has
 * the site's name in Host.
 */
#ifndef COLLECTOR_HTTP_HOST_HEADER_H
#define COLLECTOR_HTTP_HOST_HEADER_H

#include <stdbool.h>

/*
 * Is host, with or without a port, an IP address, localhost, or one of the names? names is a list
 * "a.example,b.example", or NULL. Letters match in both cases.
 */
bool host_header_is_allowed(const char *host, const char *names);

#endif /* COLLECTOR_HTTP_HOST_HEADER_H */
