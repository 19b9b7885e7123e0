/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_PROFILE_LOOP_H
#define COLLECTOR_PROFILE_LOOP_H

struct profile_run;

/*
 * Starts the sources and the program, and reads the rings until the run is over. Then takes the
 * snapshots, and stops the sources.
 * Returns: 0, or -1 after it printed the cause.
 */
int profile_loop(struct profile_run *r);

#endif /* COLLECTOR_PROFILE_LOOP_H */
