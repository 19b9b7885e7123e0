/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Removes the leaf ends of stacks. The rules are those of pprof's Prune() and PruneFrom(): only
 * names of functions are searched, without their parameters (MATCHER_SIMPLIFIED).
 *
 * Locations are changed for all samples. All locations of the table are looked at.
 */
#ifndef COLLECTOR_PRUNE_H
#define COLLECTOR_PRUNE_H

#include <stdbool.h>

struct matcher;
struct model;
struct profile_fault;

/*
 * Removes each line that drop_frames of the profile matches and keep_frames does not, and all lines
 * from there to the leaf. An expression must match the whole name. At the root of a stack, matching
 * locations stay up to the first location that does not match.
 * Returns: 0, -ENOMEM, -EOVERFLOW, or -ETIME; -EBADMSG with *fault if an expression is wrong, and
 * then nothing is removed.
 */
int prune_uninteresting(struct model *m, struct profile_fault *fault);

/*
 * Removes all on the leaf side of the matching line that is nearest to the leaf.
 * Returns: 0, -ENOMEM, or -EOVERFLOW; *found is set. Errors of searches are in the matcher.
 */
int prune_from(struct model *m, struct matcher *x, bool *found);

#endif /* COLLECTOR_PRUNE_H */
