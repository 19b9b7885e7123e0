/* SPDX-License-Identifier: GPL-2.0 */
/* Decodes a sample record: see struct pprof_sample. The content of a ring is not trusted. */
#ifndef COLLECTOR_SAMPLE_RECORD_H
#define COLLECTOR_SAMPLE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "pprof.h"

/*
 * Checks that the source exists and that the frames lie inside of the record. Call this first:
 * the other functions here need a record that has passed.
 */
bool sample_is_sane(const struct pprof_sample *sample);

/*
 * Does the time of the record alone decide whether the sample belongs to the run? That is so for
 * all sources but these:
 * - wall: the module itself limits these samples to the time of the run, and emits some late.
 * - thread and custom: they are requested at the end.
 */
bool sample_is_filtered_by_time(const struct pprof_sample *sample);

/*
 * Is the first frame of the user stack a return address? It is if the event happened in a system
 * call, or after an allocator returned. It is not for a tick, which counts the time at the address,
 * nor for a fault.
 */
bool sample_leaf_is_return(const struct pprof_sample *sample);

/*
 * For samples of the sources block and thread. Returns arg: the system call that the thread
 * waits in. Returns WAIT_CLASS_UNKNOWN for 32-bit code and for a thread without user registers,
 * where the module reports no call.
 */
uint64_t sample_wait(const struct pprof_sample *sample);

/* For samples of the source heap: will the module emit a record when the object is freed? */
bool sample_is_tracked(const struct pprof_sample *sample);

/*
 * Returns the labels that the program gave its thread, which follow the frames in the record.
 * Returns NULL if there are none. They are part of the record.
 */
const struct pprof_sample_labels *sample_labels(const struct pprof_sample *sample);

/*
 * Returns the context that the program keeps of its thread, which follows the labels in the record.
 * One of OTEL has at least PPROF_MIN_CONTEXT_BYTES. Returns NULL if there is none.
 */
const struct pprof_sample_context *sample_context(const struct pprof_sample *sample);

#endif /* COLLECTOR_SAMPLE_RECORD_H */
