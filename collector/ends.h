/* SPDX-License-Identifier: GPL-2.0 */
/* Why a stack ends where it does, in words. */
#ifndef COLLECTOR_ENDS_H
#define COLLECTOR_ENDS_H

#include <stdint.h>

/* Of PPROF_END_*; NULL for a complete stack. Static. */
const char *ends_name(uint32_t end);

/* The root under which such a stack stands: "[truncated: ...]". Static. */
const char *ends_root(uint32_t end);

#endif /* COLLECTOR_ENDS_H */
