/* SPDX-License-Identifier: GPL-2.0 */
/* Sample profiles: a profile type of each text form, and functions to fill in profiles. */
#ifndef TESTS_MADEUP_H
#define TESTS_MADEUP_H

#include <stdint.h>
#include <string.h>

#include "aggregate/profile_types.h"
#include "pprof/profile.h"

#define MADEUP_NR_TYPES	5

static const struct profile_type madeup_types[MADEUP_NR_TYPES] = {
	{
		.name = "cpu",
		.form = TEXT_COUNT,
		.profile = {
			.sample_types = { { "samples", "count" }, { "cpu", "nanoseconds" } },
			.nr_sample_types = 2,
			.period_type = { "cpu", "nanoseconds" },
		},
	}, {
		.name = "block",
		.form = TEXT_CONTENTION,
		.profile = {
			.sample_types = { { "contentions", "count" }, { "delay", "nanoseconds" } },
			.nr_sample_types = 2,
			.period_type = { "contentions", "count" },
		},
	}, {
		.name = "mutex",
		.form = TEXT_MUTEX,
		.profile = {
			.sample_types = { { "contentions", "count" }, { "delay", "nanoseconds" } },
			.nr_sample_types = 2,
			.period_type = { "contentions", "count" },
		},
	}, {
		.name = "heap",
		.form = TEXT_HEAP,
		.profile = {
			.sample_types = {
				{ "alloc_objects", "count" }, { "alloc_space", "bytes" },
				{ "inuse_objects", "count" }, { "inuse_space", "bytes" },
			},
			.nr_sample_types = 4,
			.period_type = { "space", "bytes" },
		},
	}, {
		.name = "growth",
		.form = TEXT_GROWTH,
		.profile = {
			.sample_types = { { "faults", "count" }, { "space", "bytes" } },
			.nr_sample_types = 2,
			.period_type = { "space", "bytes" },
		},
	},
};

/* file is NULL for a function whose source file is not known. */
static inline struct profile_line madeup_line(struct profile *p, const char *name,
					      const char *file, int64_t line, uint64_t offset)
{
	return (struct profile_line){
		.function_id = profile_function(p, name, name, file, 1), .line = line,
		.offset = offset,
	};
}

static inline uint64_t madeup_location(struct profile *p, uint64_t mapping, uint64_t address,
				       const char *name, const char *file, int64_t line,
				       uint64_t offset)
{
	struct profile_line l = madeup_line(p, name, file, line, offset);

	return profile_location(p, mapping, address, &l, 1);
}

/* Adds a location with a name and no address, such as "lostProfileEvent". */
static inline uint64_t madeup_synthetic(struct profile *p, const char *name)
{
	return madeup_location(p, 0, 0, name, NULL, 0, PROFILE_NO_OFFSET);
}

static inline uint64_t madeup_mapping(struct profile *p, uint64_t start, uint64_t limit,
				      uint64_t offset, const char *file)
{
	const struct profile_mapping mapping = {
		.start = start, .limit = limit, .offset = offset, .file = file,
		.build_id = file[0] == '/' ? "00c0ffee" : "",
		.flags = PROFILE_HAS_FUNCTIONS,
	};

	return profile_mapping(p, &mapping);
}

#endif /* TESTS_MADEUP_H */
