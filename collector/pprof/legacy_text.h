/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Profiles as text, in the forms of Go's runtime/pprof with debug=1, which
 * people read and pprof reads back: after the stacks come comments, and the
 * mappings in which pprof finds the names again.
 *
 * A line of addresses holds return addresses, as Go's does: each is the
 * location's address plus one, which readers take off. Code that other code's
 * address is shown at already (of another process) and what is no code at all
 * (lostProfileEvent) are moved to addresses that no code has, with a mapping
 * there.
 */
#ifndef COLLECTOR_TEXT_H
#define COLLECTOR_TEXT_H

#include <sys/types.h>

struct gzout;
struct profile;

/* A profile's values, and how Go shows it as text. */
enum text_form {
	TEXT_COUNT,		/* the first value counts */
	TEXT_CONTENTION,	/* contentions, delay in nanoseconds */
	TEXT_MUTEX,		/* the same, with a sampling period */
	TEXT_HEAP,		/* objects and bytes: allocated, in use */
	TEXT_GROWTH,		/* pages and bytes: not Go's, but readers know it */
};

/*
 * Writes a profile in this form; name is that of its type, and samples are ordered on the
 * way. What /proc tells of pid (0: of none) is behind a heap profile, where
 * Go has figures of its heap. 0 or a negative errno; the caller commits or
 * aborts gz.
 *
 * Go's texts hold what was sampled, and readers multiply that by the period in
 * the head. A struct profile holds estimates, which were made sample by sample;
 * divided by the period they would not come back. So the head has a period of
 * 1, and the true one is a comment.
 */
int text_write(struct profile *p, const char *name, enum text_form form, pid_t pid,
	       struct gzout *gz);

#endif /* COLLECTOR_TEXT_H */
