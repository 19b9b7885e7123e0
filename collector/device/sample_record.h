/* SPDX-License-Identifier: GPL-2.0 */
/* What a record of a sample tells, see struct pprof_sample; a ring may hold anything. */
#ifndef COLLECTOR_SAMPLE_H
#define COLLECTOR_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "pprof.h"

/* Is its source one, and are its frames within it? Of no other may be asked what follows. */
bool sample_is_sane(const struct pprof_sample *sample);

/*
 * Does it tell of its time alone? Those of wall are told with the time since the begin
 * and until the end, as their session cuts it; others are asked for at the end.
 */
bool sample_is_of_its_time(const struct pprof_sample *sample);

/*
 * Is the first frame a return address? It is where something happens in a system
 * call, or an allocator has returned to; it is not for a tick, which counts the
 * time at the address, or a fault.
 */
bool sample_leaf_is_return(const struct pprof_sample *sample);

/*
 * Of the sources block and thread: arg, the call that its thread waits in, or
 * BLOCKCLASS_UNKNOWN: the module tells no call of 32-bit code.
 */
uint64_t sample_wait(const struct pprof_sample *sample);

/* Of the source heap: will it be told when the object is freed? */
bool sample_is_followed(const struct pprof_sample *sample);

/* What the program says of its thread, behind the frames: NULL, nothing. */
const struct pprof_sample_labels *sample_labels(const struct pprof_sample *sample);

#endif /* COLLECTOR_SAMPLE_H */
