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

#include "aggregate/profile_types.h"

struct gzout;
struct profile;

/*
 * Writes a profile of this kind, whose form it has; the samples are ordered on
 * the way. What /proc tells of pid (0: of none) is behind a heap profile, where
 * Go has figures of its heap. 0 or a negative errno; the caller commits or
 * aborts gz.
 *
 * Go's texts hold what was sampled, and readers multiply that by the period in
 * the head. A struct profile holds estimates, which were made sample by sample;
 * divided by the period they would not come back. So the head has a period of
 * 1, and the true one is a comment.
 */
int text_write(struct profile *p, const struct kind *kind, pid_t pid, struct gzout *gz);

#endif /* COLLECTOR_TEXT_H */
