/* SPDX-License-Identifier: GPL-2.0 */
/* Several tracepoint probes that are added and removed together. */
#ifndef PPROF_HOOKSET_H
#define PPROF_HOOKSET_H

#include <linux/tracepoint.h>

#include "base/tracepoints.h"

struct pprof_hook_probe {
	enum pprof_hook hook;
	void *probe;
};

/*
 * Removes @nr probes, the last one first. When it returns, none of them runs any more.
 * Sleeps.
 */
static inline void pprof_hookset_del(const struct pprof_hook_probe *probes, int nr, void *data)
{
	while (nr--)
		pprof_hook_del(probes[nr].hook, probes[nr].probe, data);
	tracepoint_synchronize_unregister();
}

/*
 * Adds all @nr probes, or none.
 * Returns: 0, or an error of pprof_hook_add().
 * Sleeps.
 */
static inline int pprof_hookset_add(const struct pprof_hook_probe *probes, int nr, void *data)
{
	int err;

	for (int i = 0; i < nr; i++) {
		err = pprof_hook_add(probes[i].hook, probes[i].probe, data);
		if (err) {
			pprof_hookset_del(probes, i, data);
			return err;
		}
	}
	return 0;
}

#endif
