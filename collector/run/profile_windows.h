/* SPDX-License-Identifier: GPL-2.0 */
/* A continuous profile: windows that follow each other without a gap, in one session. */
#ifndef COLLECTOR_PROFILE_WINDOWS_H
#define COLLECTOR_PROFILE_WINDOWS_H

#include <stdint.h>

struct profile_run;

/*
 * Begins the first window with r->span, after the sources have started. drain() reads the rings.
 */
void profile_windows_begin(struct profile_run *r, int (*drain)(void *run));

/*
 * Ends a window if it is over, and begins the next one. now is a time of CLOCK_MONOTONIC before the
 * last drain.
 * Returns: 0, or -1 after it printed the cause.
 */
int profile_windows_step(struct profile_run *r, uint64_t now, int (*drain)(void *run));

/* Returns the time of CLOCK_MONOTONIC at which profile_windows_step() has to be called. */
uint64_t profile_windows_due_ns(const struct profile_run *r);

/* Removes the end of the last window: aggregator_end() sets it. */
void profile_windows_end(struct profile_run *r);

/*
 * Writes the last window, after the sources have stopped, and prints what the run has written.
 * Returns: 0, or -1 if a window is missing, after it printed the cause.
 */
int profile_windows_results(struct profile_run *r);

#endif /* COLLECTOR_PROFILE_WINDOWS_H */
