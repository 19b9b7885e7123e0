/* SPDX-License-Identifier: GPL-2.0 */
/* What a profile of each source looks like: see pprof's sample types. */
#ifndef COLLECTOR_KINDS_H
#define COLLECTOR_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "pprof.h"
#include "pprof/legacy_text.h"
#include "pprof/profile.h"

struct kind {
	const char *name;		/* as in --profile and in file names */
	const char *unit;		/* what is counted, in sentences */
	struct profile_kind profile;
	enum text_form form;
	const char *drop_frames;	/* what profile_set_frames() takes, unless told otherwise */
	bool has_time;			/* value[1] is count times period */
	bool has_rate;			/* the profile's period is what dev_start() was given */
	bool by_cumulative;		/* its leaves are all the same */
	/*
	 * What a sample adds to its stack's values, as many as nr_values (0: its
	 * weight alone is counted); period as it was given to dev_start().
	 */
	unsigned int nr_values;
	unsigned int shown_value;	/* which of them tables show */
	const char *shown;		/* its unit there, and how many of the */
	double per_shown;		/* value's own make one; 1: it counts */
	void (*values)(const struct pprof_sample *sample, uint64_t period, double *values);
	/* The same of one that was lost, as far as it is known; NULL: that it was one. */
	void (*lost)(uint64_t period, double *values);
};

/* For sentences: the names that --profile takes. */
#define KINDS_NAMES	"cpu, wall, threadcreate, thread, block, mutex, growth, heap and allocs, or all, " \
			"which is those but the last two"

/* Of a profile that a process keeps itself; the name is borrowed. */
struct kind kinds_custom(const char *name);

/*
 * Of a number below KINDS_NR, see pprof/sample_type.h; live: threadcreate has
 * thread_lifetimes.h's values.
 */
const struct kind *kinds_get(uint32_t kind, bool live);

/* Where a kind's samples come from. */
static inline uint32_t kinds_source(uint32_t kind)
{
	return kind == KINDS_ALLOCS ? PPROF_SOURCE_HEAP : kind;
}

/* Is one of these kinds (bit n: the kind n) made of what this source tells? */
bool kinds_need(unsigned int wanted, uint32_t source);

#endif /* COLLECTOR_KINDS_H */
