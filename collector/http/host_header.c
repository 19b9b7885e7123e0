// SPDX-License-Identifier: GPL-2.0
#include "http/host_header.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>

#define MAX_NAME	255	/* RFC 1035, 2.3.4 */

static bool is_address(const char *text)
{
	struct in6_addr address;

	return inet_pton(AF_INET, text, &address) == 1;
}

/* Is the text an IPv6 address in brackets, such as "[::1]"? It has no port, and loses the "]". */
static bool is_address_in_brackets(char *text, size_t len)
{
	struct in6_addr address;

	if (len < 2 || text[0] != '[' || text[len - 1] != ']')
		return false;
	text[len - 1] = 0;
	return inet_pton(AF_INET6, text + 1, &address) == 1;
}

static bool is_in_list(const char *list, const char *name)
{
	size_t len, name_len = strlen(name);

	for (; list && *list; list += len + !!list[len]) {
		len = strcspn(list, ",");
		if (len && len == name_len && !strncasecmp(list, name, len))
			return true;
	}
	return false;
}

/* Returns the length of host without its port. */
static size_t length_without_port(const char *host)
{
	const char *colon = strrchr(host, ':');

	if (!colon || strchr(colon, ']') || colon[1 + strspn(colon + 1, "0123456789")])
		return strlen(host);
	return colon - host;
}

bool host_header_is_allowed(const char *host, const char *names)
{
	size_t len = length_without_port(host);
	char name[MAX_NAME + 1];

	if (!len || len > MAX_NAME)
		return false;
	memcpy(name, host, len);
	name[len] = 0;
	return is_address(name) || !strcasecmp(name, "localhost") || is_in_list(names, name) ||
	       is_address_in_brackets(name, len);
}
