/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keeps the kernel's hooks in place for a while after a user's session.
 *
 * The first probe of a hook, and the removal of the last one, change the kernel's code. For that
 * the kernel interrupts all CPUs: 116 times for the SETUP and close of a session on 7.3, as
 * /proc/interrupts showed for commit 3b365f6e on 27 Nov 2026. While other probes are there, it does
 * not. perf delays the end of its static keys for the same reason (perf_sched_delayed in
 * kernel/events/core.c).
 */
#ifndef PPROF_KEPT_HOOKS_H
#define PPROF_KEPT_HOOKS_H

/*
 * Keeps all hooks for 20 seconds from now on. The caller removes hooks of a session next, and is
 * without CAP_PERFMON. Without memory nothing is kept.
 * Sleeps.
 */
void pprof_kept_hooks_keep(void);

/* Removes what is kept. No session is left. Sleeps. */
void pprof_kept_hooks_exit(void);

#endif
