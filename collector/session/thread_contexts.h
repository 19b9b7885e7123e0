/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds where the threads of a process have the address of their thread context: the variable
 * otel_thread_ctx_v1 of OpenTelemetry Enhancement Proposal 4947, or custom_labels_current_set of
 * Polar Signals' Custom Label ABI.
 */
#ifndef COLLECTOR_THREAD_CONTEXTS_H
#define COLLECTOR_THREAD_CONTEXTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "pprof.h"

struct mapped_files;
struct processes_exec;
struct thread_contexts;

/*
 * Makes an empty list of files; thread_contexts_free() frees it. files is borrowed.
 * Returns: the list, or NULL with errno ENOMEM.
 */
struct thread_contexts *thread_contexts_new(const struct mapped_files *files);

/* Frees the list. c may be NULL. */
void thread_contexts_free(struct thread_contexts *c);

/*
 * Sets *context to where the threads of a process have the variable. Its kind is PPROF_TLS_NONE if
 * no file defines the variable, if several libraries do, or if it cannot be found. Of a process
 * with both variables it is that of OpenTelemetry.
 *
 * The first call for a file reads its symbols. The offset of a library's variable is chosen by the
 * dynamic linker, and is read from the memory of the process.
 * Returns: 0; -EAGAIN while the dynamic linker may not have finished; or -ENOMEM.
 */
int thread_contexts_find(struct thread_contexts *c, const struct processes_exec *exec,
			 struct pprof_tls_address *context);

/*
 * Forgets the files with keep[file] false, of nr. The number may stand for another file from now
 * on.
 */
void thread_contexts_keep(struct thread_contexts *c, const bool *keep, uint32_t nr);

#endif /* COLLECTOR_THREAD_CONTEXTS_H */
