/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the symbols of the stacks of any process, for `pprof-collect audit`. It follows the process
 * events of the whole system in a session of its own. So it also knows processes that have ended.
 */
#ifndef COLLECTOR_AUDIT_SYMBOLIZER_H
#define COLLECTOR_AUDIT_SYMBOLIZER_H

#include <stdint.h>
#include <sys/types.h>

#include "cli/cmd_audit.h"

struct audit_symbolizer;

/*
 * Opens the session; audit_symbolizer_free() closes it.
 * Returns: the symbolizer, or NULL with errno: of device_open() or device_setup(), or ENOMEM.
 */
struct audit_symbolizer *audit_symbolizer_new(void);

/* Closes the session and frees all. n may be NULL. */
void audit_symbolizer_free(struct audit_symbolizer *n);

/* Returns a descriptor. When it is readable, call audit_symbolizer_prepare(). n owns it. */
int audit_symbolizer_fd(const struct audit_symbolizer *n);

/*
 * Reads the process events. ctx is the struct audit_symbolizer. Without memory, symbols are
 * missing: that is no reason to end an audit.
 */
void audit_symbolizer_prepare(void *ctx);

/* An audit_name_fn; ctx is the struct audit_symbolizer. All addresses are return addresses. */
int audit_symbolizer_name(void *ctx, pid_t pid, uint64_t exec_id, const uint64_t *addresses,
			  uint32_t nr, struct audit_frame *out, uint32_t max);

#endif /* COLLECTOR_AUDIT_SYMBOLIZER_H */
