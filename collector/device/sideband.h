/* SPDX-License-Identifier: GPL-2.0 */
/* Records of processes' lives, of all rings in order of time. */
#ifndef COLLECTOR_LIVES_H
#define COLLECTOR_LIVES_H

#include <stddef.h>
#include <stdint.h>

#include "pprof.h"
#include "device/ring.h"

/* All zero is empty. */
struct lives {
	const struct pprof_event **list;	/* they stay in their rings */
	size_t nr;
	size_t room;
};

void lives_fini(struct lives *l);

/*
 * Finds those of a drain: of each ring (NULL: no such CPU) what is in its reading.
 * They are there until the rings are released. 0 or -ENOMEM.
 */
int lives_find(struct lives *l, struct ring *const *rings, const struct ring_reading *readings,
	       uint32_t nr_rings);

#endif /* COLLECTOR_LIVES_H */
