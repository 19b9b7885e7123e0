/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One pprof profile: filled by the caller, then written. The format is
 * profile.proto of github.com/google/pprof.
 *
 * Mappings, functions and locations get ids 1, 2, ... in the order of the
 * calls, and 0 is none: readers index by them. The first mapping has to be
 * that of the main executable. Strings are copied; NULL is ""; bytes that are
 * not UTF-8 become U+FFFD, since readers refuse a file that has them.
 *
 * Functions that return an int or int64_t return -ENOMEM, or -EINVAL for ids
 * that were not handed out; they add nothing then.
 */
#ifndef COLLECTOR_PROFILE_H
#define COLLECTOR_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "pprof/sample_type.h"

struct gzout;
struct profile;

/*
 * Set each only when it is true of every sampled location of the mapping.
 * With none set, pprof itself looks into the binary and replaces our lines.
 */
#define PROFILE_HAS_FUNCTIONS		(1U << 0)
#define PROFILE_HAS_FILENAMES		(1U << 1)
#define PROFILE_HAS_LINE_NUMBERS	(1U << 2)
#define PROFILE_HAS_INLINE_FRAMES	(1U << 3)

struct profile_mapping {
	uint64_t start;
	uint64_t limit;		/* the first address behind it */
	uint64_t offset;	/* of start in the file, bytes */
	const char *file;
	const char *build_id;	/* lower-case hex */
	unsigned int flags;	/* PROFILE_HAS_* */
};

#define PROFILE_NO_OFFSET	UINT64_MAX

struct profile_line {
	uint64_t function_id;
	int64_t line;		/* 0: not known */
	int64_t column;		/* 0: not known */
	uint64_t offset;	/* of the address in the function's code, or PROFILE_NO_OFFSET */
};

/* `str` if that is not NULL, else the number with its unit. */
struct profile_label {
	const char *key;
	const char *str;
	int64_t num;
	const char *unit;	/* NULL: none */
};

/*
 * An empty profile; the kind is copied. NULL with errno: ENOMEM, or EINVAL if
 * the kind has no sample type or too many.
 */
struct profile *profile_new(const struct profile_kind *kind);

/* NULL is fine. */
void profile_free(struct profile *p);

/* What one sample stands for, in the unit of the kind's period type. */
void profile_set_period(struct profile *p, int64_t period);

/* When the profile was begun, ns since the epoch. */
void profile_set_time(struct profile *p, int64_t time_ns);

/* How long samples were taken, ns. */
void profile_set_duration(struct profile *p, int64_t duration_ns);

/*
 * Which frames readers hide: regular expressions that match the whole name of
 * a function, see frame_filter.h. A frame whose name is matched by `drop` and not by
 * `keep` goes with all that it called. NULL or "": none.
 */
int profile_set_frames(struct profile *p, const char *drop, const char *keep);

/* Adds a mapping; its id. */
int64_t profile_mapping(struct profile *p, const struct profile_mapping *mapping);

/* Sets the PROFILE_HAS_* flags of a mapping, in place of those it had. */
int profile_mapping_flags(struct profile *p, uint64_t mapping_id,
			  unsigned int flags);

/*
 * The id of a function: the same for the same arguments. The name is
 * demangled, system_name is as in the symbol table; start_line 0: not known.
 */
int64_t profile_function(struct profile *p, const char *name,
			 const char *system_name, const char *filename,
			 int64_t start_line);

/*
 * Adds a location; its id. Several lines are inlined frames, innermost first.
 * The caller adds an address once.
 */
int64_t profile_location(struct profile *p, uint64_t mapping_id,
			 uint64_t address, const struct profile_line *lines,
			 size_t nr_lines);

/*
 * Adds a sample: locations leaf first, a value for each sample type of the
 * kind. The caller merges samples of equal stacks and labels. A sample without
 * a location is -EINVAL: Parca rejects the whole profile for one.
 * Labels lose quotes, control characters and trailing backslashes, which break
 * pprof's graphs. pprof does not show a number 0 without a unit.
 */
int profile_sample(struct profile *p, const uint64_t *location_ids,
		   size_t nr_locations, const int64_t *values,
		   const struct profile_label *labels, size_t nr_labels);

/* Adds a comment. */
int profile_comment(struct profile *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Writes the profile, samples in order of value[0] descending, then location
 * ids, then labels. 0 or a negative errno; the caller commits or aborts gz.
 */
int profile_write(struct profile *p, struct gzout *gz);

#endif /* COLLECTOR_PROFILE_H */
