/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads what perf script prints, of perf 5.10 to 6.12, with its own choice of fields or with
 * another one (perf script -F). These fields are read: comm, pid, tid, time, period, event, ip,
 * sym, symoff, dso. A sample must have its tid, and its time or event. Other fields are ignored:
 * the CPU, source lines, the text of tracepoints. So are side-band events (perf script
 * --show-mmap-events).
 *
 *	bash 12060   506.213574:     250000 cpu-clock:
 *		ffffffff815e55ce do_wp_page+0x67e ([kernel.kallsyms])
 *		           1e620 dl_main+0x2660 (/usr/lib/ld-linux-x86-64.so.2)
 *
 * Each event is a sample type, whose values are the sums of its periods: nanoseconds of cpu-clock
 * and task-clock, and counts of all other events. Samples without a period count as 1. A file with
 * one event and with periods also has the type samples/count, first. The type that readers show is
 * the event that is first in the file. This is the one that stackcollapse-perf.pl takes, which
 * ignores all others.
 *
 * The name of the thread, which is the root frame in the output of stackcollapse-perf.pl, is the
 * label "comm" here. The labels "pid" and "tid" are numbers. Equal stacks of a thread are one
 * sample.
 *
 * Inlined frames are lines of the location that they are inlined in. A frame "[unknown]" of a known
 * file is a location without a function. Addresses are those in the file or in memory, as perf
 * prints them: this depends on its version. So a mapping has a file, but no addresses.
 */
#ifndef COLLECTOR_READ_PERF_SCRIPT_H
#define COLLECTOR_READ_PERF_SCRIPT_H

#include <stdbool.h>

#include "formats/text_cursor.h"

struct line_reader;
struct model;

/* Is this the start of such a profile? */
bool read_perf_script_claims(struct text_cursor head);

/* Reads the profile into m, which is empty. Returns: 0, or a negative errno; the fault is set. */
int read_perf_script(struct line_reader *lines, struct model *m);

#endif /* COLLECTOR_READ_PERF_SCRIPT_H */
