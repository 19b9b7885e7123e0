/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Collects the process events (fork, exec, exit, comm, mmap) of all rings in the order of time.
 */
#ifndef COLLECTOR_SIDEBAND_H
#define COLLECTOR_SIDEBAND_H

#include <stddef.h>
#include <stdint.h>

#include "pprof.h"
#include "device/ring.h"

/* A list of all zeroes is empty. */
struct sideband {
	const struct pprof_event **list;	/* points to records, which stay in their rings */
	size_t nr;
	size_t room;
};

/* Frees the list; the records are not touched. */
void sideband_fini(struct sideband *l);

/*
 * Replaces the list with the process events of one drain, sorted by time. Reads the part of each
 * ring that readings names. A ring may be NULL, for a CPU that does not exist. The list is valid
 * until a ring is released.
 * Returns: 0, or -ENOMEM.
 */
int sideband_find(struct sideband *l, struct ring *const *rings,
		  const struct ring_reading *readings, uint32_t nr_rings);

#endif /* COLLECTOR_SIDEBAND_H */
