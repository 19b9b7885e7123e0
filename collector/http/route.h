/* SPDX-License-Identifier: GPL-2.0 */
/* What the path of a URL names. */
#ifndef COLLECTOR_HTTP_ROUTE_H
#define COLLECTOR_HTTP_ROUTE_H

#include <stdbool.h>
#include <sys/types.h>

enum route_kind {
	ROUTE_NONE,		/* no page has this path */
	ROUTE_REDIRECT,		/* the same path with a "/" at its end is ROUTE_INDEX */
	ROUTE_INDEX,
	ROUTE_CMDLINE,
	ROUTE_SYMBOL,
	ROUTE_PROFILE,		/* a profile of the type or custom profile in name */
	ROUTE_HEALTH,
	ROUTE_METRICS,
};

struct route {
	enum route_kind kind;
	pid_t pid;		/* of /pid/PID/...; 0: the first target */
	const char *name;	/* for ROUTE_PROFILE: points into the path, or is static */
	bool is_gperftools;	/* a path of gperftools: cmdline has a line for each argument */
};

/*
 * Fills route from a decoded path. The pages are those of Go's net/http/pprof below /debug/pprof/,
 * and those of gperftools below /pprof/. Both may follow /pid/PID.
 */
void route_find(struct route *route, const char *path);

#endif /* COLLECTOR_HTTP_ROUTE_H */
