// SPDX-License-Identifier: GPL-2.0
/*
 * The status codes, the texts and the order of the checks are those of Go's net/http/pprof. The
 * text about WriteTimeout is from Go up to 1.22; later versions have no such limit.
 */
#include "http/profile_request.h"

#include <errno.h>
#include <string.h>

#include "aggregate/profile_types.h"
#include "http/query.h"

#define NEEDS_TIME	(1U << PROFILE_TYPE_CPU | 1U << PROFILE_TYPE_WALL)

#define IS_CUMULATIVE	(1U << PROFILE_TYPE_HEAP | 1U << PROFILE_TYPE_ALLOCS |		\
			 1U << PROFILE_TYPE_BLOCK | 1U << PROFILE_TYPE_MUTEX |		\
			 1U << PROFILE_TYPE_THREADCREATE | 1U << PROFILE_TYPE_GROWTH)

static const struct {
	const char *name;
	uint32_t type;
} types[] = {
	{ "profile", PROFILE_TYPE_CPU },   { "wall", PROFILE_TYPE_WALL },
	{ "heap", PROFILE_TYPE_HEAP },	   { "allocs", PROFILE_TYPE_ALLOCS },
	{ "block", PROFILE_TYPE_BLOCK },   { "mutex", PROFILE_TYPE_MUTEX },
	{ "thread", PROFILE_TYPE_THREAD }, { "goroutine", PROFILE_TYPE_THREAD },
	{ "growth", PROFILE_TYPE_GROWTH }, { "threadcreate", PROFILE_TYPE_THREADCREATE },
};

static bool is_one_of(const struct profile_request *r, uint32_t set)
{
	return set & 1U << r->type;
}

static void find_type(struct profile_request *r, const char *name)
{
	*r = (struct profile_request){ .name = name, .type = PROFILE_TYPE_CUSTOM };
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(types[i].name, name))
			r->type = types[i].type;
	r->is_goroutine = !strcmp(name, "goroutine");
}

/*
 * Reads debug as strconv.Atoi() does.
 * Returns: 0 for the binary format; 2 for a number above 1; or 1 for a negative number or 1. Both 1
 * and 2 mean text.
 */
static uint32_t read_debug(const char *query)
{
	char text[QUERY_MAX_URL + 1];
	int64_t debug;

	query_find(query, "debug", text);
	query_integer(text, &debug);
	if (debug > 1)
		return 2;
	return debug ? 1 : 0;
}

static int refuse(struct answer *a, const char *text)
{
	answer_error(a, 400, "%s", text);
	return -EINVAL;
}

static int check_length(int64_t seconds, struct answer *refusal)
{
	if (seconds <= PROFILE_REQUEST_MAX_SECONDS)
		return 0;
	return refuse(refusal, "profile duration exceeds server's WriteTimeout");
}

/* For cpu and wall. Seconds that are no positive number mean the default, as in Go. */
static int read_time(struct profile_request *r, const char *text, struct answer *refusal)
{
	int64_t seconds;

	if (query_integer(text, &seconds) || seconds <= 0)
		seconds = PROFILE_REQUEST_SECONDS;
	if (check_length(seconds, refusal))
		return -EINVAL;
	r->seconds = seconds;
	return 0;
}

/*
 * For all other profiles: seconds=N asks for the events of the next N seconds. For thread it asks
 * for the difference of two snapshots.
 */
static int read_delta(struct profile_request *r, const char *text, struct answer *refusal)
{
	int64_t seconds;

	if (query_integer(text, &seconds) || seconds <= 0)
		return refuse(refusal, "invalid value for \"seconds\" - must be a positive integer");
	if (r->type == PROFILE_TYPE_CUSTOM)
		return refuse(refusal, "\"seconds\" parameter is not supported for this profile type");
	if (check_length(seconds, refusal))
		return -EINVAL;
	if (r->debug)
		return refuse(refusal, "seconds and debug params are incompatible");
	r->seconds = seconds;
	return 0;
}

/* A flame graph has no text form, so debug is ignored. */
static int read_format(struct profile_request *r, const char *query, struct answer *refusal)
{
	char text[QUERY_MAX_URL + 1];

	if (!query_find(query, "format", text) || !*text)
		return 0;
	if (strcmp(text, "flamegraph"))
		return refuse(refusal, "invalid value for \"format\" - must be flamegraph");
	r->is_flame = true;
	r->debug = 0;
	return 0;
}

int profile_request_read(struct profile_request *r, const char *name, const char *query,
			 struct answer *refusal)
{
	char seconds[QUERY_MAX_URL + 1];

	find_type(r, name);
	query_find(query, "seconds", seconds);
	if (is_one_of(r, NEEDS_TIME))
		return read_time(r, seconds, refusal) || read_format(r, query, refusal) ?
		       -EINVAL : 0;
	r->debug = read_debug(query);
	if (*seconds && read_delta(r, seconds, refusal))
		return -EINVAL;
	return read_format(r, query, refusal);
}

void profile_request_answer(const struct profile_request *r, struct answer *a)
{
	bool is_delta = r->seconds && !is_one_of(r, NEEDS_TIME);

	if (r->is_flame) {
		answer_ok(a, ANSWER_HTML);
	} else if (r->debug) {
		answer_ok(a, ANSWER_PLAIN);
	} else {
		answer_ok(a, ANSWER_BINARY);
		answer_name_file(a, r->name, is_delta ? "-delta" : "");
	}
}

void profile_request_fail(const struct profile_request *r, const char *text, struct answer *a)
{
	if (r->type == PROFILE_TYPE_CPU)
		answer_error(a, 500, "Could not enable CPU profiling: %s", text);
	else
		answer_error(a, 500, "failed to collect profile: %s", text);
}

void profile_request_busy(const struct profile_request *r, struct answer *a)
{
	profile_request_fail(r, r->type == PROFILE_TYPE_CPU ?
			     "cpu profiling already in use" :
			     "too many profiles are taken at once: ask again later", a);
}

bool profile_request_is_cumulative(const struct profile_request *r)
{
	return !r->seconds && is_one_of(r, IS_CUMULATIVE);
}
