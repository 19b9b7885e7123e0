/* SPDX-License-Identifier: GPL-2.0 */
/* Reads a profile from the file that the code under test has written. */
#ifndef TESTS_READBACK_H
#define TESTS_READBACK_H

#include <string.h>
#include <zlib.h>

#include "wire.h"

/* The field numbers of message Profile in profile.proto. */
enum {
	SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING_TABLE,
	DROP_FRAMES, KEEP_FRAMES,
	TIME_NANOS, DURATION_NANOS, PERIOD_TYPE, PERIOD, COMMENT, DEFAULT_SAMPLE_TYPE,
};

#define READBACK_BYTES	(1U << 20)

/* Returns the profile in the file. It is valid until the next call. */
static inline struct message read_profile(const char *path)
{
	static unsigned char wire[READBACK_BYTES];
	gzFile file = gzopen(path, "r");
	int len;

	assert_non_null(file);
	len = gzread(file, wire, sizeof(wire));
	gzclose(file);
	assert_true(len > 0 && len < (int)sizeof(wire));
	return (struct message){ wire, wire + len };
}

static inline void assert_string(struct message profile, uint64_t index, const char *want)
{
	struct message s = nested(profile, STRING_TABLE, index);

	assert_int_equal(s.end - s.at, strlen(want));
	assert_memory_equal(s.at, want, strlen(want));
}

#endif /* TESTS_READBACK_H */
