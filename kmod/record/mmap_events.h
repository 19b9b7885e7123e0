/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports new executable mappings to a session, with the paths of their files. A process may end
 * before a reader can read its /proc/PID/maps.
 */
#ifndef PPROF_MAPQ_H
#define PPROF_MAPQ_H

#include "record/record.h"

struct pprof_mapq;

/*
 * Can perf_event_mmap() be probed?
 * Returns: 0, or an error of register_kprobe(). The cause is in the kernel log.
 * Sleeps.
 */
int pprof_mapq_check(void);

/*
 * From now on each new executable mapping of a target becomes a record in @sink. Not reported are
 * mappings of an exec that the owner of the session may not look into.
 * Returns: 0, -ENOMEM, or an error of register_kprobe().
 * Sleeps.
 */
int pprof_mapq_new(struct pprof_sink *sink, struct pprof_mapq **mapq);

/*
 * Writes the records of all mappings that are queued. May wait for a cooldown first.
 * Sleeps.
 */
void pprof_mapq_flush(struct pprof_mapq *mapq);

/*
 * Removes the probe, writes the records of all mappings that are queued, and frees @mapq. NULL is
 * left alone.
 * Sleeps.
 */
void pprof_mapq_free(struct pprof_mapq *mapq);

#endif
