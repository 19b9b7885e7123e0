// SPDX-License-Identifier: GPL-2.0
#include "waits.h"

#include <linux/vmalloc.h>

int pprof_waits_init(struct pprof_waits *waits)
{
	waits->slots = __vmalloc(PPROF_WAITS_SLOTS * sizeof(*waits->slots),
				 GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	return waits->slots ? 0 : -ENOMEM;
}

void pprof_waits_fini(struct pprof_waits *waits)
{
	vfree(waits->slots);
	waits->slots = NULL;
}

/* Two threads of one bucket may leave two CPUs at once. */
static struct pprof_wait *claim(const struct pprof_waits *waits, u32 tid)
{
	struct pprof_wait *wait = pprof_waits_bucket(waits, tid);
	struct pprof_wait *end = wait + PPROF_WAITS_BUCKET;

	for (; wait < end; wait++)
		if (!READ_ONCE(wait->tid) && !cmpxchg(&wait->tid, 0, PPROF_WAITS_BUSY))
			return wait;
	return NULL;
}

bool pprof_waits_add(struct pprof_waits *waits, u32 tid, u64 since_ns, void *on)
{
	struct pprof_wait *wait = claim(waits, tid);

	if (!wait)
		return false;
	WRITE_ONCE(wait->since_ns, since_ns);
	wait->on = on;
	smp_store_release(&wait->tid, tid);	/* with pprof_waits_find() */
	return true;
}
