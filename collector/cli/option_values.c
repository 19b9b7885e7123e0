// SPDX-License-Identifier: GPL-2.0
#include "cli/option_values.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/file_settings.h"
#include "cli/keywords.h"
#include "session/settings.h"

#define MAX_SECONDS	(100.0 * 365 * 86400)

void option_fail(struct argp_state *state, const char *option, const char *arg, const char *hint)
{
	argp_failure(state, 2, 0, "%s '%s': %s", option, arg, hint);
}

unsigned long option_number(struct argp_state *state, const char *option, const char *arg,
			    unsigned long min, unsigned long max)
{
	unsigned long n;
	char *end;

	n = strtoul(arg, &end, 10);
	if (arg[0] < '0' || arg[0] > '9' || *end || n < min || n > max)
		argp_failure(state, 2, 0, "%s '%s': must be a whole number from %lu to %lu",
			     option, arg, min, max);
	return n;
}

uint64_t option_seconds(struct argp_state *state, const char *arg)
{
	char *end;
	double seconds = strtod(arg, &end);

	if (end == arg || *end || !isfinite(seconds) || seconds <= 0 || seconds > MAX_SECONDS)
		option_fail(state, "--seconds", arg, "must be a number of seconds over 0, of 100 years at most");
	return seconds * 1e9 < 1 ? 1 : (uint64_t)(seconds * 1e9);
}

struct suffix {
	const char *text;
	uint64_t factor;
};

static const struct suffix times[] = {
	{ "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", 86400 }, { 0 },
};

static const struct suffix sizes[] = {
	{ "MB", 1000000 }, { "GB", 1000000000 }, { "TB", 1000000000000 }, { 0 },
};

/*
 * Returns the value of a whole number with one of the suffixes, in s or in bytes. Returns 0 if arg
 * is no such text, or is over a century, or over an exabyte.
 */
static uint64_t with_suffix(const char *arg, const struct suffix *suffix)
{
	unsigned long long n;
	char *end;

	n = strtoull(arg, &end, 10);
	if (arg[0] < '0' || arg[0] > '9' || n > 1000000)
		return 0;
	for (; suffix->text; suffix++)
		if (!strcmp(end, suffix->text))
			return n * suffix->factor;
	return 0;
}

uint64_t option_period(struct argp_state *state, const char *option, const char *arg)
{
	uint64_t seconds = with_suffix(arg, times);

	if (seconds < 1 || seconds > 86400)
		option_fail(state, option, arg, "must be from 1s to 1d, such as 10s, 1m or 1h");
	return seconds * 1000000000;
}

void option_keep(struct argp_state *state, struct settings *s, const char *arg)
{
	s->keep_seconds = with_suffix(arg, times);
	s->keep_bytes = with_suffix(arg, sizes);
	s->keep_windows = 0;
	if (s->keep_seconds || s->keep_bytes)
		return;
	if (arg[0] < '1' || arg[0] > '9' || arg[strspn(arg, "0123456789")])
		option_fail(state, "--keep", arg, "must be a number of windows, an age such as 24h, or "
			    "a size such as 10GB");
	s->keep_windows = option_number(state, "--keep", arg, 1, UINT32_MAX);
}

/* The wording is that of Go's runtime/pprof for a second cpu profile. twice is not 0. */
static void refuse_second(struct argp_state *state, const char *arg, unsigned int twice)
{
	const struct keyword *keyword = keywords_types;

	while (!(keyword->bit & twice))
		keyword++;
	argp_failure(state, 2, 0, "--profile '%s': %s profiling already in use: "
		     "name each type once", arg, keyword->name);
}

unsigned int option_keywords(struct argp_state *state, const char *option,
			     const struct keyword *keywords, const char *arg, const char *hint)
{
	unsigned int bit, bits = 0;
	const char *keyword = arg;
	size_t len;

	for (;; keyword += len + 1) {
		len = strcspn(keyword, ",");
		bit = keywords_bit(keywords, keyword, len);
		if (!bit)
			option_fail(state, option, arg, hint);
		if (keywords == keywords_types && (bits & bit))
			refuse_second(state, arg, bits & bit);
		bits |= bit;
		if (!keyword[len])
			return bits;
	}
}

static void add_pid(struct argp_state *state, struct settings *s, const char *text)
{
	pid_t *pids = reallocarray(s->pids, s->nr_pids + 1, sizeof(*pids));

	if (!pids)
		argp_failure(state, 1, 0, "cannot read --pid: out of memory: free memory");
	s->pids = pids;
	s->pids[s->nr_pids++] = option_number(state, "--pid", text, 1, INT_MAX);
}

void option_pid(struct argp_state *state, struct settings *s, const char *text)
{
	s->nr_pids = 0;
	add_pid(state, s, text);
}

void option_pids(struct argp_state *state, struct settings *s, const char *arg)
{
	char *list = strdup(arg), *rest = list, *text;

	if (!list)
		argp_failure(state, 1, 0, "cannot read --pid: out of memory: free memory");
	while ((text = strsep(&rest, ",")))
		add_pid(state, s, text);
	free(list);
}

const char *option_cgroup(struct argp_state *state, char *arg)
{
	size_t len = strlen(arg);

	if (!len)
		option_fail(state, "--cgroup", arg, "must be a path; / is the root");
	while (len > 1 && arg[len - 1] == '/')
		arg[--len] = 0;
	return arg;
}

void option_path(struct argp_state *state, struct path_list *list, char *path)
{
	if (ARRAY_APPEND(*list, &(char *){ path }, 1))
		argp_failure(state, 1, 0, "cannot read the file names: out of memory: free memory");
}
