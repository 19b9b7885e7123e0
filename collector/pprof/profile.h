/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One pprof profile: the caller fills it and then writes it. The format is profile.proto of
 * github.com/google/pprof.
 *
 * Mappings, functions and locations get the ids 1, 2, ... in the order of the calls; readers use
 * them as indices. The id 0 means none. The first mapping must be that of the main executable.
 * Strings are copied, and NULL is "". Bytes that are not UTF-8 become U+FFFD: readers refuse a
 * file that has them.
 *
 * Functions that return int or int64_t return a negative errno on failure: -ENOMEM, or -EINVAL for
 * an id that does not exist. Nothing is added then. Nothing here prints a message.
 */
#ifndef COLLECTOR_PROFILE_H
#define COLLECTOR_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "pprof/mapping_flags.h"
#include "pprof/protobuf.h"
#include "pprof/sample_type.h"

struct gzip_file;
struct profile;

struct profile_mapping {
	uint64_t start;
	uint64_t limit;		/* the first address after the mapping */
	uint64_t offset;	/* of start in the file, in bytes */
	const char *file;
	const char *build_id;	/* lower-case hex */
	unsigned int flags;	/* PROFILE_HAS_* */
};

#define PROFILE_NO_OFFSET	UINT64_MAX

/* One function at a location. */
struct profile_line {
	uint64_t function_id;
	int64_t line;		/* 0 if not known */
	int64_t column;		/* 0 if not known */
	/* Of the address from the function's start, or PROFILE_NO_OFFSET. */
	uint64_t offset;
};

/* A label of a sample. It has the text str, or, if that is NULL, the number num with its unit. */
struct profile_label {
	const char *key;
	const char *str;
	int64_t num;
	const char *unit;	/* NULL if there is no unit */
};

/*
 * Makes an empty profile of a type, which is copied. profile_free() frees it.
 * Returns: the profile, or NULL with errno. ENOMEM; EINVAL if the type has no sample type, or
 * more than PROFILE_MAX_VALUES.
 */
struct profile *profile_new(const struct profile_sample_types *types);

/* Frees the profile. p may be NULL. */
void profile_free(struct profile *p);

/* Sets how much one sample stands for, in the unit of the period type. */
void profile_set_period(struct profile *p, int64_t period);

/* Sets the time at which sampling began, in ns since the epoch. */
void profile_set_time(struct profile *p, int64_t time_ns);

/* Sets how long samples were taken, in ns. */
void profile_set_duration(struct profile *p, int64_t duration_ns);

/*
 * Sets the frames that readers hide. drop and keep are regular expressions that match the whole
 * name of a function: see frame_filter.h. A frame that matches drop, and not keep, is hidden
 * with all frames that it called. NULL or "" means none.
 */
int profile_set_frames(struct profile *p, const char *drop, const char *keep);

/*
 * Adds a mapping.
 * Returns: its id, or -ENOMEM.
 */
int64_t profile_mapping(struct profile *p, const struct profile_mapping *mapping);

/* Replaces the PROFILE_HAS_* flags of a mapping. */
int profile_mapping_flags(struct profile *p, uint64_t mapping_id,
			  unsigned int flags);

/*
 * Adds a function, or finds the one with the same arguments. name is demangled, system_name is
 * the name in the symbol table. start_line is 0 if not known.
 * Returns: its id, or a negative errno.
 */
int64_t profile_function(struct profile *p, const char *name,
			 const char *system_name, const char *filename,
			 int64_t start_line);

/*
 * Adds a location. mapping_id may be 0. Several lines are inlined frames, innermost first. The
 * caller must not add the same address twice.
 * Returns: its id, or a negative errno.
 */
int64_t profile_location(struct profile *p, uint64_t mapping_id,
			 uint64_t address, const struct profile_line *lines,
			 size_t nr_lines);

/*
 * Adds a sample. Locations are leaf first. values has one number for each sample type. The
 * caller merges samples with equal stacks and labels before. A sample without a location is
 * -EINVAL: Parca rejects the whole profile for one.
 *
 * Labels lose double quotes, control characters and trailing backslashes, which break pprof's
 * graphs. pprof does not show the number 0 without a unit.
 */
int profile_sample(struct profile *p, const uint64_t *location_ids,
		   size_t nr_locations, const int64_t *values,
		   const struct profile_label *labels, size_t nr_labels);

/* Adds a comment, formatted as by printf(). */
int profile_comment(struct profile *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Writes the profile to gz. Sorts the samples in p: by the first value, largest first; then by
 * location ids; then by labels.
 * Returns: 0, or a negative errno. The caller commits or aborts gz.
 */
int profile_write(struct profile *p, struct gzip_file *gz);

/* The same to a sink, without gzip. Returns: 0, -ENOMEM, or the error of the sink. */
int profile_encode(struct profile *p, proto_sink *sink, void *ctx);

#endif /* COLLECTOR_PROFILE_H */
