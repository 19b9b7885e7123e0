// SPDX-License-Identifier: GPL-2.0
// sources: collector/http/query.c collector/http/route.c collector/http/profile_request.c
// sources: collector/http/answer.c collector/http/symbol_numbers.c collector/http/host_header.c
// sources: collector/http/token.c collector/http/listen_address.c
/*
 * Input: a URL, a Host, an Authorization, and the body of a request for symbols, each with a NUL.
 * What comes out is in its bounds, whatever a client sends.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/profile_types.h"
#include "http/host_header.h"
#include "http/listen_address.h"
#include "http/profile_request.h"
#include "http/query.h"
#include "http/route.h"
#include "http/symbol_numbers.h"
#include "http/token.h"

#define TOKEN	"secret"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_refusal(const struct answer *a)
{
	size_t len = strlen(a->text);

	check(a->status == 400 && a->is_pprof_error && a->type);
	check(len > 1 && len < sizeof(a->text) && strchr(a->text, '\n') == a->text + len - 1);
}

/* The file's name stays inside of its quotes. */
static void check_answer(const struct answer *a)
{
	check(a->status == 200 && a->type && strlen(a->file) < sizeof(a->file));
	check(!strpbrk(a->file, "\"\\\r\n"));
}

static void check_profile(const char *name, const char *query)
{
	struct profile_request r;
	struct answer a;
	int err = profile_request_read(&r, name, query, &a);

	check(r.name == name && r.type < PROFILE_TYPE_NR);
	if (err) {
		check_refusal(&a);
		return;
	}
	check(r.seconds <= PROFILE_REQUEST_MAX_SECONDS && r.debug <= 2);
	check(r.seconds || (r.type != PROFILE_TYPE_CPU && r.type != PROFILE_TYPE_WALL));
	check(!(r.seconds && r.debug) && !(r.is_flame && r.debug));
	check(!r.seconds || r.type != PROFILE_TYPE_CUSTOM);
	check(!profile_request_is_cumulative(&r) || !r.seconds);
	profile_request_answer(&r, &a);
	check_answer(&a);
}

static void check_route(const char *path, const char *query)
{
	struct route route;

	route_find(&route, path);
	check(route.pid >= 0 && (route.kind == ROUTE_PROFILE) == !!route.name);
	check(route.kind == ROUTE_NONE || !strncmp(path, "/pid/", 5) == !!route.pid);
	if (route.name)
		check_profile(route.name, query);
}

/* The server refuses longer URLs before. */
static void check_url(const char *url)
{
	size_t len = strcspn(url, "?");
	char *path = malloc(len + 1);
	int decoded;

	if (strlen(url) <= QUERY_MAX_URL) {
		decoded = query_decode(url, len, false, path);
		check(decoded <= (int)len);
		check_route(decoded < 0 ? "" : path, url + len + !!url[len]);
	}
	free(path);
}

/* Without a list of names, what is allowed is an address or localhost. */
static void check_host(const char *host)
{
	if (host_header_is_allowed(host, NULL) && strncasecmp(host, "localhost", 9))
		check(host[strspn(host, "0123456789abcdefABCDEF.:[]")] == 0);
	check(host_header_is_allowed(host, host) || !host_header_is_allowed(host, NULL));
}

/* A request that passes has the token, as it is or in base64. */
static void check_token(const char *value)
{
	if (token_is_given(value, TOKEN))
		check(strlen(value) >= strlen("Bearer ") + strlen(TOKEN));
}

static void check_address(const char *text)
{
	struct listen_address a;

	if (!listen_address_read(&a, text))
		check(a.addr.ss_family == AF_INET || a.addr.ss_family == AF_INET6);
}

static void check_numbers(const char *text, size_t len)
{
	const char *at = text, *before = text;
	uint64_t address;

	while (symbol_numbers_next(&at, text + len, &address) > 0) {
		check(address && at > before && at <= text + len);
		before = at;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 4), *host, *token, *body;

	check(text);
	memcpy(text, data, size);
	host = text + strlen(text) + 1;
	check_url(text);
	token = host <= text + size ? host + strlen(host) + 1 : text + size;
	if (host <= text + size) {
		check_host(host);
		check_address(host);
	}
	if (token <= text + size) {
		check_token(token);
		body = token + strlen(token) + 1;
		if (body < text + size)
			check_numbers(body, text + size - body);
	}
	free(text);
	return 0;
}
