// SPDX-License-Identifier: GPL-2.0
#include "http/route.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct page {
	const char *path;
	enum route_kind kind;
	const char *name;
};

/* gperftools: docs/pprof_remote_servers.html. Its contention profile is the mutex profile. */
static const struct page gperftools_pages[] = {
	{ "cmdline", ROUTE_CMDLINE, NULL },   { "symbol", ROUTE_SYMBOL, NULL },
	{ "profile", ROUTE_PROFILE, "profile" }, { "heap", ROUTE_PROFILE, "heap" },
	{ "growth", ROUTE_PROFILE, "growth" }, { "contention", ROUTE_PROFILE, "mutex" },
	{ 0 },
};

static const struct page server_pages[] = {
	{ "/healthz", ROUTE_HEALTH, NULL },
	{ "/metrics", ROUTE_METRICS, NULL },
	{ 0 },
};

static void find_page(struct route *route, const struct page *pages, const char *path)
{
	for (; pages->path; pages++)
		if (!strcmp(pages->path, path)) {
			route->kind = pages->kind;
			route->name = pages->name;
		}
}

/* Returns the rest of path after prefix, or NULL if it does not begin with it. */
static const char *after(const char *path, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(path, prefix, len) ? NULL : path + len;
}

/*
 * Reads the pid of "/pid/12/rest" into the route.
 * Returns: "/rest"; path itself if it does not begin with "/pid/"; or NULL if the pid is no number
 * from 1 to INT_MAX.
 */
static const char *take_pid(struct route *route, const char *path)
{
	const char *digits = after(path, "/pid/");
	unsigned long pid;
	char *end;

	if (!digits)
		return path;
	pid = strtoul(digits, &end, 10);
	if (*digits < '1' || *digits > '9' || *end != '/' || pid > INT_MAX)
		return NULL;
	route->pid = pid;
	return end;
}

static void find_go_page(struct route *route, const char *name)
{
	if (!*name) {
		route->kind = ROUTE_INDEX;
	} else if (!strcmp(name, "cmdline")) {
		route->kind = ROUTE_CMDLINE;
	} else if (!strcmp(name, "symbol")) {
		route->kind = ROUTE_SYMBOL;
	} else {
		route->kind = ROUTE_PROFILE;
		route->name = name;
	}
}

void route_find(struct route *route, const char *path)
{
	const char *name;

	*route = (struct route){ .kind = ROUTE_NONE };
	find_page(route, server_pages, path);
	path = take_pid(route, path);
	if (!path)
		return;
	if (!strcmp(path, "/debug/pprof"))
		route->kind = ROUTE_REDIRECT;
	name = after(path, "/debug/pprof/");
	if (name)
		find_go_page(route, name);
	name = after(path, "/pprof/");
	if (name) {
		route->is_gperftools = true;
		find_page(route, gperftools_pages, name);
	}
}
