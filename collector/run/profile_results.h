/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_PROFILE_RESULTS_H
#define COLLECTOR_PROFILE_RESULTS_H

struct profile_run;

/*
 * Finds the symbols of all locations, writes the output files, and prints warnings and summaries.
 * Returns: 0, or -1 after it printed the cause. Then some files may be written, and others not.
 */
int profile_results(struct profile_run *r);

#endif /* COLLECTOR_PROFILE_RESULTS_H */
