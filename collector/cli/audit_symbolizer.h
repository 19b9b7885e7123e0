/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names stacks of any process for `pprof-collect audit`. It follows the lives
 * of all processes through a session of its own, so that those that are gone by
 * then are named too.
 */
#ifndef COLLECTOR_NAMER_H
#define COLLECTOR_NAMER_H

#include <stdint.h>
#include <sys/types.h>

#include "cli/cmd_audit.h"

struct namer;

/* NULL with errno: that of dev_open() or dev_setup(), or ENOMEM. */
struct namer *namer_new(void);

/* NULL is fine. */
void namer_free(struct namer *n);

/* When it is readable, namer_prepare() is due. */
int namer_fd(const struct namer *n);

/* Takes what the module tells of processes; ctx is the namer. */
void namer_prepare(void *ctx);

/* An audit_name_fn; ctx is the namer. All addresses are return addresses. */
int namer_name(void *ctx, pid_t pid, uint64_t image, const uint64_t *addresses, uint32_t nr,
	       struct audit_frame *out, uint32_t max);

#endif /* COLLECTOR_NAMER_H */
