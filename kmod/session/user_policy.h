/* SPDX-License-Identifier: GPL-2.0 */
/*
 * May users without CAP_PERFMON profile at all? The parameter "users" says so, or else
 * kernel.perf_event_paranoid: an administrator who forbids perf to users means all profilers.
 */
#ifndef PPROF_USER_POLICY_H
#define PPROF_USER_POLICY_H

#include <linux/types.h>

/*
 * Opens the sysctl in a procfs mount of the module's own: a user may have another one at /proc.
 * Without a sysctl the policy is that of mainline's default, 2.
 * Returns: 0, or -ENODEV: this kernel has no procfs.
 * Sleeps.
 */
int pprof_user_policy_init(void);
void pprof_user_policy_exit(void);

/*
 * May users without CAP_PERFMON open sessions now?
 * Context: process context, no locks. Sleeps.
 */
bool pprof_user_policy_allows(void);

#endif
