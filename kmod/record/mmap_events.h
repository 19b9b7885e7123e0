/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tells a session of new executable mappings, with the paths of their files: a
 * process may be gone before anybody can read its /proc/PID/maps.
 */
#ifndef PPROF_MAPQ_H
#define PPROF_MAPQ_H

#include "record/record.h"

struct pprof_mapq;

/*
 * Can perf_event_mmap() be probed? Returns: 0, or register_kprobe()'s error; the cause is
 * in the kernel log then. Sleeps.
 */
int pprof_mapq_check(void);

/*
 * From now on each new executable mapping of a target becomes a record in
 * @sink; but not those of an exec that the session's owner may not look into. May
 * sleep. -ENOMEM, or register_kprobe()'s error.
 */
int pprof_mapq_new(struct pprof_sink *sink, struct pprof_mapq **mapq);

/* When it returns, records of mappings that were heard of are written. May sleep. */
void pprof_mapq_flush(struct pprof_mapq *mapq);

/*
 * Ends it; records of mappings that were heard of are written before it
 * returns. May sleep. NULL is left alone.
 */
void pprof_mapq_free(struct pprof_mapq *mapq);

#endif
