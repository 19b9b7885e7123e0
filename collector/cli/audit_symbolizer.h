/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the symbols of stacks of any process, for `pprof-collect audit`. It follows the process
 * events of the whole system through a session of its own. So it also knows processes that have
 * ended.
 */
#ifndef COLLECTOR_NAMER_H
#define COLLECTOR_NAMER_H

#include <stdint.h>
#include <sys/types.h>

#include "cli/cmd_audit.h"

struct namer;

/*
 * Opens the session; namer_free() closes it.
 * Returns: the symbolizer, or NULL with errno: of dev_open() or dev_setup(), or ENOMEM.
 */
struct namer *namer_new(void);

/* Closes the session and frees all. n may be NULL. */
void namer_free(struct namer *n);

/* Returns a descriptor. When it is readable, call namer_prepare(). n owns it. */
int namer_fd(const struct namer *n);

/*
 * Reads the process events. ctx is the struct namer. Without memory, symbols are missing: that
 * is no reason to end an audit.
 */
void namer_prepare(void *ctx);

/* An audit_name_fn; ctx is the struct namer. All addresses are return addresses. */
int namer_name(void *ctx, pid_t pid, uint64_t image, const uint64_t *addresses, uint32_t nr,
	       struct audit_frame *out, uint32_t max);

#endif /* COLLECTOR_NAMER_H */
