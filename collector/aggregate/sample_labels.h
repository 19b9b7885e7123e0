/* SPDX-License-Identifier: GPL-2.0 */
/* The labels of a sample: those asked for, its kind's, and what the program says itself. */
#ifndef COLLECTOR_SAMPLELABELS_H
#define COLLECTOR_SAMPLELABELS_H

#include <stdint.h>

#include "aggregate/label_sets.h"
#include "pprof.h"
#include "process/processes.h"

/*
 * What a set of the program's own is comes once, with the first sample that has it:
 * also of one that does not count. 0 or -ENOMEM.
 */
int samplelabels_tell(struct labels *labels, const struct pprof_sample *sample);

/*
 * The number of the labels of a sane sample, which was taken on a CPU, in an address space
 * of procs: see labels_get(). Negative errno.
 */
int64_t samplelabels_intern(struct labels *labels, const struct procs *procs,
			    const struct pprof_sample *sample, uint32_t cpu, uint32_t space);

#endif /* COLLECTOR_SAMPLELABELS_H */
