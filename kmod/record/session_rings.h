/* SPDX-License-Identifier: GPL-2.0 */
/* The rings of a session, one for each CPU. */
#ifndef PPROF_RINGS_H
#define PPROF_RINGS_H

#include "record/record.h"

/*
 * For all possible CPUs: one that comes later finds its ring in place. May sleep.
 * -ENOMEM, and nothing is kept.
 */
int pprof_rings_init(struct pprof_sink *sink, u32 bytes, u32 watermark_bytes);

/* As pprof_ringmem_fini(). May sleep. Those that are not there are left alone. */
void pprof_rings_fini(struct pprof_sink *sink);

/* Is there one that its reader is to be woken for? Any context. */
bool pprof_rings_any_is_due(const struct pprof_sink *sink);

#endif
