/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The profile types: how a profile looks, and which source of the module samples for it. Each
 * source has a type. The source heap has two: heap shows the memory in use by default, and allocs
 * shows all allocations.
 */
#ifndef COLLECTOR_PROFILE_TYPES_H
#define COLLECTOR_PROFILE_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "pprof.h"
#include "pprof/legacy_text.h"
#include "pprof/profile.h"

/* The numbers are those of the collector alone. struct profile_type has the module's source. */
enum profile_type_nr {
	PROFILE_TYPE_CPU,
	PROFILE_TYPE_THREADCREATE,
	PROFILE_TYPE_WALL,
	PROFILE_TYPE_BLOCK,
	PROFILE_TYPE_MUTEX,
	PROFILE_TYPE_HEAP,
	PROFILE_TYPE_GROWTH,
	PROFILE_TYPE_THREAD,
	PROFILE_TYPE_CUSTOM,
	PROFILE_TYPE_ALLOCS,
	PROFILE_TYPE_NR
};

/* The module has no other sources for processes that come and leave: PPROF_SETUP_CGROUP. */
#define PROFILE_TYPES_OF_CGROUP							\
	(1U << PROFILE_TYPE_CPU | 1U << PROFILE_TYPE_THREADCREATE |		\
	 1U << PROFILE_TYPE_THREAD | 1U << PROFILE_TYPE_GROWTH)

struct profile_type {
	uint32_t source;		/* PPROF_SOURCE_* */
	const char *name;		/* as in --profile and in file names */
	const char *unit;		/* name of the counted things, for sentences */
	struct profile_sample_types profile;
	enum text_form form;
	const char *drop_frames;	/* default for profile_set_frames() */
	bool has_time;			/* value[1] is count times period */
	bool has_rate;			/* the period in the profile is that of device_start() */
	/* Tables sort by cumulative value: all leaves are alike. */
	bool by_cumulative;
	/* Number of values of a stack. If it is 0, only the weight of samples is counted. */
	unsigned int nr_values;
	unsigned int shown_value;	/* index of the value that the summary shows */
	/*
	 * Computes what a sample adds to the values of its stack: nr_values numbers. period is
	 * that of device_start().
	 */
	void (*values)(const struct pprof_sample *sample, uint64_t period, double *values);
	/*
	 * The values of a lost sample, as far as they are known. NULL: only the number of lost
	 * samples is known.
	 */
	void (*lost)(uint64_t period, double *values);
};

/* Returns the type of a custom profile. name is borrowed. */
struct profile_type profile_types_custom(const char *name);

/*
 * Returns the profile type PROFILE_TYPE_*. live: threadcreate has the values of
 * thread_lifetimes.h. Static.
 */
const struct profile_type *profile_types_get(uint32_t profile_type, bool live);

/*
 * Returns the first profile type of a source: heap for the source heap. All types of a source
 * count its samples by the same functions. live: as above. Static.
 */
const struct profile_type *profile_types_of(uint32_t source, bool live);

/* Does one of the wanted profile types (bit n: PROFILE_TYPE_* n) need this source? */
bool profile_types_need(unsigned int wanted, uint32_t source);

#endif /* COLLECTOR_PROFILE_TYPES_H */
