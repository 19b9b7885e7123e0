/* SPDX-License-Identifier: GPL-2.0 */
/* Estimates what was allocated from what a sampling heap profiler saw. */
#ifndef COLLECTOR_HEAP_SAMPLING_H
#define COLLECTOR_HEAP_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Scales a number of sampled objects and their bytes. The profiler samples one byte of rate bytes
 * on average, as a Poisson process: it sees an object of S bytes with a probability of
 * 1 - exp(-S / rate). S is taken as the mean size. A rate up to 1 leaves the values as they are.
 * Returns: false if a result is beyond 63 bits; then the values are unchanged.
 */
bool heap_sampling_scale(int64_t *objects, int64_t *bytes, int64_t rate);

#endif /* COLLECTOR_HEAP_SAMPLING_H */
