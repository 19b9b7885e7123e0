/* SPDX-License-Identifier: GPL-2.0 */
/* Text for the end reason of a stack (PPROF_END_*). All strings are static. */
#ifndef COLLECTOR_END_REASON_H
#define COLLECTOR_END_REASON_H

#include <stdint.h>

/* Returns a phrase for the reason, such as "too deep", or NULL for a complete stack. */
const char *end_reason_name(uint32_t reason);

/*
 * Returns the name of the synthetic frame that stands as the root of a truncated stack:
 * "[truncated: ...]".
 */
const char *end_reason_root(uint32_t reason);

/*
 * Returns the name of the only frame of a stack that has no frame. source is PPROF_SOURCE_*. It
 * is the name of end_reason_root(), except for mutex when the unlocking thread has no user stack:
 * then it is "lostContendedLock". A complete stack without a frame is "lostProfileEvent". Readers
 * of Go's profiles know both names.
 */
const char *end_reason_explain(uint32_t source, uint32_t reason);

#endif /* COLLECTOR_END_REASON_H */
