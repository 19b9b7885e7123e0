/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The thread context: a program keeps for what a thread works in the memory of the thread. That is
 * the trace and span of OpenTelemetry Enhancement Proposal 4947, or a set of labels of Polar
 * Signals' Custom Label ABI, version 1. Only that thread changes it. So while the thread is
 * stopped, a record is complete, or its byte `valid` is not 1; and each label of a set has a key
 * and a value, or no key.
 */
#ifndef PPROF_THREAD_CONTEXT_H
#define PPROF_THREAD_CONTEXT_H

#include <linux/types.h>

#include "uapi/pprof.h"

/* Room for a context in a record, and for the word with the NULs behind it. */
#define PPROF_THREAD_CONTEXT_ROOM \
	(sizeof(struct pprof_sample_context) + PPROF_MAX_CONTEXT_BYTES + sizeof(u64))

/*
 * Copies current's context to @to, which has PPROF_THREAD_CONTEXT_ROOM. @tls is where current has
 * the address of its record or label set. All of this memory is the program's, and may have any
 * content.
 * Returns: false if there is none, if it is not valid, or if it cannot be read without a page
 * fault. Labels that cannot be read are left out.
 * Context: interrupts off. current has an mm, which the session may read.
 */
bool pprof_thread_context_read(const struct pprof_tls_address *tls,
			       struct pprof_sample_context *to);

#endif
