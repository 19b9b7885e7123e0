/* SPDX-License-Identifier: GPL-2.0 */
/* What the first frame of a sample's stack is. */
#ifndef COLLECTOR_LEAF_H
#define COLLECTOR_LEAF_H

#include <stdbool.h>

#include "pprof.h"

/*
 * Is the first frame a return address? It is where something happens in a system
 * call, or an allocator has returned to; it is not for a tick, which counts the
 * time at the address, or a fault.
 */
bool leaf_is_return(const struct pprof_sample *sample);

#endif /* COLLECTOR_LEAF_H */
