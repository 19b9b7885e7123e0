/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The labels of a sample: those requested by the user, those of its profile type, and those of
 * the program itself.
 */
#ifndef COLLECTOR_SAMPLE_LABELS_H
#define COLLECTOR_SAMPLE_LABELS_H

#include <stdint.h>

#include "aggregate/label_sets.h"
#include "pprof.h"
#include "process/processes.h"

/*
 * Stores the content of the program's label set if the sample carries it. The content comes
 * once, with the first sample of the set, so samples that are ignored must be passed here, too.
 * Returns: 0, or -ENOMEM.
 */
int sample_labels_add(struct label_sets *labels, struct processes *processes,
		      const struct pprof_sample *sample);

/*
 * Returns the number of the label set of a sample: see labels_get(). The sample has passed
 * sample_is_sane(). cpu is the CPU of its ring, and epoch its address-space epoch in processes. On
 * failure returns a negative errno.
 */
int64_t sample_labels_intern(struct label_sets *labels, struct processes *processes,
			     const struct pprof_sample *sample, uint32_t cpu, uint32_t epoch);

#endif /* COLLECTOR_SAMPLE_LABELS_H */
