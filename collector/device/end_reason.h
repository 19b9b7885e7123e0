/* SPDX-License-Identifier: GPL-2.0 */
/* Why a stack ends where it does, in words. */
#ifndef COLLECTOR_ENDS_H
#define COLLECTOR_ENDS_H

#include <stdint.h>

/* Of PPROF_END_*; NULL for a complete stack. Static. */
const char *ends_name(uint32_t end);

/* The root under which such a stack stands: "[truncated: ...]". Static. */
const char *ends_root(uint32_t end);

/*
 * What stands for a stack of PPROF_SOURCE_* that has no frame at all: the same, but for
 * who unlocked and can't be told, which is "lostContendedLock", as readers of Go's
 * profiles know it. Static.
 */
const char *ends_alone(uint32_t source, uint32_t end);

#endif /* COLLECTOR_ENDS_H */
