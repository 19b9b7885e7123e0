/* SPDX-License-Identifier: GPL-2.0 */
/* A request for a profile, with Go's rules for its parameters. */
#ifndef COLLECTOR_HTTP_PROFILE_REQUEST_H
#define COLLECTOR_HTTP_PROFILE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "http/answer.h"

/* The longest profile, in seconds. Go refuses a profile that takes longer than its WriteTimeout. */
#define PROFILE_REQUEST_MAX_SECONDS	3600

/* The time of a profile of CPU or wall time whose seconds are missing or wrong, as in Go. */
#define PROFILE_REQUEST_SECONDS		30

struct profile_request {
	const char *name;	/* as in the URL; borrowed */
	uint32_t type;		/* PROFILE_TYPE_* */
	uint32_t seconds;	/* 0: counts since the start, or a snapshot */
	uint32_t debug;		/* 0: a pprof profile; 1 and 2: text */
	bool is_goroutine;	/* the type thread, under Go's name for it */
	bool is_flame;		/* a flame graph is asked for, and not a profile */
};

/*
 * Reads a request for the profile `name`. The query is the undecoded part of a URL after "?". A
 * name that no profile type has is that of a custom profile.
 *
 * Returns: 0; or -EINVAL if the parameters are wrong, and then *refusal is set. r->name and r->type
 * are set in both cases: a custom profile that does not exist must be answered with 404, even with
 * wrong parameters.
 */
int profile_request_read(struct profile_request *r, const char *name, const char *query,
			 struct answer *refusal);

/* Sets the headers of the profile. */
void profile_request_answer(const struct profile_request *r, struct answer *a);

/* Sets the answer to a profile that failed. text says why. */
void profile_request_fail(const struct profile_request *r, const char *text, struct answer *a);

/* Sets the answer if too many profiles are taken at once. */
void profile_request_busy(const struct profile_request *r, struct answer *a);

/* Does a profile of this type count events since the server's start, unless it has seconds? */
bool profile_request_is_cumulative(const struct profile_request *r);

#endif /* COLLECTOR_HTTP_PROFILE_REQUEST_H */
