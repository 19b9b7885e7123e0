/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decodes the context of a thread (struct pprof_sample_context): the record of OpenTelemetry
 * Enhancement Proposal 4947, or the labels of Polar Signals' Custom Label ABI. The content is not
 * trusted.
 */
#ifndef COLLECTOR_THREAD_CONTEXT_H
#define COLLECTOR_THREAD_CONTEXT_H

#include <stddef.h>

#include "pprof.h"
#include "process/process_context.h"

/* Limit of attributes. Further ones are left out. */
#define THREAD_CONTEXT_MAX_ATTRIBUTES	16
/* Limit of labels: trace_id, span_id, and the attributes. */
#define THREAD_CONTEXT_MAX_LABELS	(2 + THREAD_CONTEXT_MAX_ATTRIBUTES)
/* Limit of the text: each label has a key and a value with their NULs. */
#define THREAD_CONTEXT_MAX_BYTES	\
	(THREAD_CONTEXT_MAX_LABELS * 2 * (PROCESS_CONTEXT_MAX_TEXT + 1))

/*
 * Writes the labels of a context to text, which has room for THREAD_CONTEXT_MAX_BYTES: key, NUL,
 * value, NUL, ... A key or value that is no valid label (process_context_is_label()) is left out.
 *
 * Of OpenTelemetry: these are trace_id and span_id, in hex as W3C Trace Context writes them, and
 * the attributes whose names are in process. A process that announces no thread contexts, or those
 * of another schema, has no labels. Both ids are left out if one is zero. Of several values of an
 * attribute the last one counts.
 *
 * Of the Custom Label ABI: these are its labels. process is not read. Of several values of a key
 * the first one counts.
 *
 * Returns: how many bytes it has written; 0 for no label.
 */
size_t thread_context_labels(const struct pprof_sample_context *context,
			     const struct process_context *process, char *text);

#endif /* COLLECTOR_THREAD_CONTEXT_H */
