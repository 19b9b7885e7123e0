/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The thread context of OpenTelemetry Enhancement Proposal 4947: a program keeps the trace and span
 * for which a thread works in the memory of the thread. Only that thread changes the record. So
 * while the thread is stopped, the record is complete, or its byte `valid` is not 1.
 */
#ifndef PPROF_THREAD_CONTEXT_H
#define PPROF_THREAD_CONTEXT_H

#include <linux/types.h>

#include "uapi/pprof.h"

/* Room for a context in a record. */
#define PPROF_THREAD_CONTEXT_ROOM \
	(sizeof(struct pprof_sample_context) + PPROF_MAX_CONTEXT_BYTES)

/*
 * Copies current's context to @to, which has PPROF_THREAD_CONTEXT_ROOM. @tls is where current has
 * the address of its record. All of this memory is the program's, and may have any content.
 * Returns: false if there is none, if it is not valid, or if it cannot be read without a page
 * fault.
 * Context: interrupts off. current has an mm, which the session may read.
 */
bool pprof_thread_context_read(const struct pprof_tls_address *tls,
			       struct pprof_sample_context *to);

#endif
