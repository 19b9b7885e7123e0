/* SPDX-License-Identifier: GPL-2.0 */
/* Text for the end reason of a stack (PPROF_END_*). All strings are static. */
#ifndef COLLECTOR_ENDS_H
#define COLLECTOR_ENDS_H

#include <stdint.h>

/* Returns a phrase for the reason, such as "too deep", or NULL for a complete stack. */
const char *ends_name(uint32_t end);

/*
 * Returns the name of the synthetic frame that stands as the root of a truncated stack:
 * "[truncated: ...]".
 */
const char *ends_root(uint32_t end);

/*
 * Returns the name of the only frame of a stack that has no frame. source is PPROF_SOURCE_*. It
 * is the name of ends_root(), except for mutex when the unlocking thread has no user stack: then
 * it is "lostContendedLock". A complete stack without a frame is "lostProfileEvent". Readers of
 * Go's profiles know both names.
 */
const char *ends_alone(uint32_t source, uint32_t end);

#endif /* COLLECTOR_ENDS_H */
