/* SPDX-License-Identifier: GPL-2.0 */
/* The rings of a session, one for each CPU. */
#ifndef PPROF_SESSION_RINGS_H
#define PPROF_SESSION_RINGS_H

#include "record/record.h"

/*
 * Allocates rings for all possible CPUs. A CPU that comes online later has its ring.
 * Returns: 0, or -ENOMEM: nothing stays allocated.
 * Sleeps.
 */
int pprof_session_rings_init(struct pprof_sink *sink, u32 bytes, u32 watermark_bytes);

/*
 * Frees the rings, as pprof_ring_pages_fini() does. Rings that do not exist are left alone.
 * Sleeps.
 */
void pprof_session_rings_fini(struct pprof_sink *sink);

/*
 * Is there a ring whose reader must wake up?
 * Context: any.
 */
bool pprof_session_rings_any_is_due(const struct pprof_sink *sink);

#endif
