/* SPDX-License-Identifier: GPL-2.0 */
/* Several tracepoint probes that are added and removed together. */
#ifndef PPROF_TRACEPOINT_SET_H
#define PPROF_TRACEPOINT_SET_H

#include <linux/tracepoint.h>

#include "base/tracepoints.h"

struct pprof_tracepoint_probe {
	enum pprof_tracepoint hook;
	void *probe;
};

/*
 * Removes @nr probes, the last one first. When it returns, none of them runs any more.
 * Sleeps.
 */
static inline void pprof_tracepoint_set_del(const struct pprof_tracepoint_probe *probes, int nr,
					    void *data)
{
	while (nr--)
		pprof_tracepoint_del(probes[nr].hook, probes[nr].probe, data);
	tracepoint_synchronize_unregister();
}

/*
 * Adds all @nr probes, or none.
 * Returns: 0, or an error of pprof_tracepoint_add().
 * Sleeps.
 */
static inline int pprof_tracepoint_set_add(const struct pprof_tracepoint_probe *probes, int nr,
					   void *data)
{
	int err;

	for (int i = 0; i < nr; i++) {
		err = pprof_tracepoint_add(probes[i].hook, probes[i].probe, data);
		if (err) {
			pprof_tracepoint_set_del(probes, i, data);
			return err;
		}
	}
	return 0;
}

#endif
