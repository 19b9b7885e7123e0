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
 * Ends the window if it is over, and begins the next one. now is a time before the last drain, in
 * ns of CLOCK_MONOTONIC.
 * Returns: 0, or -1 after it printed the cause.
 */
int profile_windows_step(struct profile_run *r, uint64_t now, int (*drain)(void *run));

/* Returns when profile_windows_step() has to be called, in ns of CLOCK_MONOTONIC. */
uint64_t profile_windows_due_ns(const struct profile_run *r);

/*
 * Removes the planned end of the last window. Call this before aggregator_end(), which sets the end
 * of the run.
 */
void profile_windows_end(struct profile_run *r);

/*
 * Writes the last window, after the sources have stopped, and prints what the run has written.
 * Returns: 0, or -1 if a window is missing, after it printed the cause.
 */
int profile_windows_results(struct profile_run *r);

#endif /* COLLECTOR_PROFILE_WINDOWS_H */
