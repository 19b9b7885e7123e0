/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The process context of one exec id, over time. A program may publish it late, and change it. No
 * event reports that, so it is looked for again and again, but less often as time passes.
 */
#ifndef COLLECTOR_PUBLISHED_CONTEXT_H
#define COLLECTOR_PUBLISHED_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/process_context.h"
#include "procfs/context_mapping.h"

/* All zeroes: nothing is known, and the next read is due. */
struct published_context {
	struct context_mapping mapping;
	/* What was read last. It stays if the process removes its context. */
	struct process_context last;
	uint64_t next_ns;	/* when the next read is due, in ns of CLOCK_MONOTONIC */
	uint64_t wait_ns;	/* after a read without success: until the next one */
};

/*
 * Reads the context of pid if a read is due and it has changed. now is in ns of CLOCK_MONOTONIC. A
 * context that cannot be decoded is empty. is_urgent: the process seems to have a context. If the
 * last read found none, the next one is due after 0.1 s.
 * Returns: was one read into *fresh? The caller passes *fresh to published_context_set().
 */
bool published_context_read(struct published_context *p, pid_t pid, uint64_t now, bool is_urgent,
			    struct process_context *fresh);

/* Replaces p->last by *fresh, or frees *fresh if pid was another program by then. */
void published_context_set(struct published_context *p, struct process_context *fresh,
			   bool is_same);

/* Frees the memory of p. */
void published_context_fini(struct published_context *p);

#endif /* COLLECTOR_PUBLISHED_CONTEXT_H */
