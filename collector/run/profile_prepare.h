/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_PROFILE_PREPARE_H
#define COLLECTOR_PROFILE_PREPARE_H

struct profile_run;

/*
 * Makes all parts of a run: opens the output files and the session, attaches the targets, and
 * compiles unwind tables. No source runs afterwards.
 * Returns: 0, or -1 after it printed the cause.
 */
int profile_prepare(struct profile_run *r);

#endif /* COLLECTOR_PROFILE_PREPARE_H */
