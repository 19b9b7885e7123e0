/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes a profile for https://profiler.firefox.com: its processed profile format, version 70 (the
 * types are in src/types/profile.ts of github.com/firefox-devtools/profiler). Later versions of the
 * Firefox Profiler convert it to theirs.
 *
 * - The weights are those of one sample type: times in ms, memory in bytes, all others as numbers
 *   of samples. JavaScript reads numbers above 2^53 rounded.
 * - The labels tid, pid, thread and comm divide the samples into threads, as pprof-collect writes
 *   them. Other labels are left out. Without these labels there is one thread.
 * - Samples have no times in pprof. Here the samples of a thread follow each other, each one for as
 *   long as its weight. The call tree and the flame graph are meaningful, and the order is not.
 * - A frame is a line of a function; inlined functions have a depth. The file of code is the
 *   function's resource. Truncated and lost stacks are frames of the grey category.
 */
#ifndef COLLECTOR_FIREFOX_WRITER_H
#define COLLECTOR_FIREFOX_WRITER_H

#include <stdint.h>
#include <stdio.h>

struct model;
struct profile_fault;

/*
 * Writes the values of a sample type, an index. Write errors are left in out, for ferror().
 * Returns: 0, or a negative errno, and then *fault is set.
 */
int firefox_write(const struct model *m, uint32_t type, FILE *out, struct profile_fault *fault);

#endif /* COLLECTOR_FIREFOX_WRITER_H */
