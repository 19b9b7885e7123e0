/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports new executable mappings to a session, with the paths of their files. A process may end
 * before a reader can read its /proc/PID/maps.
 */
#ifndef PPROF_MMAP_EVENTS_H
#define PPROF_MMAP_EVENTS_H

#include "record/record.h"

struct pprof_mmap_events;

/*
 * From now on each new executable mapping of a target becomes a record in @sink. Mappings of an
 * exec are not reported if the owner of the session may not look into the new program.
 * Returns: 0, -ENOMEM, or an error of register_kprobe().
 * Sleeps.
 */
int pprof_mmap_events_new(struct pprof_sink *sink, struct pprof_mmap_events **mmap_events);

/*
 * Writes the records of all mappings that are queued. May wait for a cooldown first.
 * Sleeps.
 */
void pprof_mmap_events_flush(struct pprof_mmap_events *mmap_events);

/*
 * Removes the probe, writes the records of all mappings that are queued, and frees @mmap_events.
 * NULL is left alone.
 * Sleeps.
 */
void pprof_mmap_events_free(struct pprof_mmap_events *mmap_events);

#endif
