/* SPDX-License-Identifier: GPL-2.0 */
/* A kprobe in perf_event_mmap(), which the kernel calls for each new mapping. */
#ifndef PPROF_MMAP_PROBE_H
#define PPROF_MMAP_PROBE_H

#include <linux/types.h>

struct kprobe;

/*
 * Can perf_event_mmap() be probed?
 * Returns: 0, or an error of register_kprobe(). The cause is in the kernel log.
 * Sleeps.
 */
int pprof_mmap_probe_check(void);

/*
 * Adds @probe. The caller has zeroed it and set its pre_handler, or none. The memory must not be
 * the module's: see pprof_mmap_probe_del().
 * Returns: 0, -ENOMEM, or an error of register_kprobe().
 * Sleeps.
 */
int pprof_mmap_probe_add(struct kprobe *probe);

/*
 * Removes @probe, and waits for its handler. The kernel may lack memory for that.
 * Returns: true, or false: the kernel still has @probe in its lists. Then it does not call the
 * handler any more, but the caller must never free @probe.
 * Sleeps.
 */
bool pprof_mmap_probe_del(struct kprobe *probe);

#endif
