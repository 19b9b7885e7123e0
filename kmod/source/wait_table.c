// SPDX-License-Identifier: GPL-2.0
#include "source/wait_table.h"

#include <linux/vmalloc.h>

int pprof_wait_table_init(struct pprof_wait_table *waits)
{
	waits->slots = __vmalloc(PPROF_WAIT_TABLE_SLOTS * sizeof(*waits->slots),
				 GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	return waits->slots ? 0 : -ENOMEM;
}

void pprof_wait_table_fini(struct pprof_wait_table *waits)
{
	vfree(waits->slots);
	waits->slots = NULL;
}

/* Two threads may leave two CPUs at once. */
static struct pprof_wait *claim_in(struct pprof_wait *bucket)
{
	struct pprof_wait *end = bucket + PPROF_WAIT_TABLE_BUCKET;

	for (; bucket < end; bucket++)
		if (!READ_ONCE(bucket->tid) && !cmpxchg(&bucket->tid, 0, PPROF_WAIT_TABLE_BUSY))
			return bucket;
	return NULL;
}

/* A reader that finds a wait, or none, sees the marks: the thread left its CPU before. */
static struct pprof_wait *claim(const struct pprof_wait_table *waits, u32 tid)
{
	struct pprof_wait *home = pprof_wait_table_bucket(waits, tid);
	struct pprof_wait *wait = claim_in(home);

	if (wait)
		return wait;
	WRITE_ONCE(home[PPROF_WAIT_TABLE_SPILLED].mark, 1);
	for (u32 n = 1; !wait && n < PPROF_WAIT_TABLE_REACH; n++)
		wait = claim_in(pprof_wait_table_bucket(waits, tid + n));
	if (!wait)
		WRITE_ONCE(home[PPROF_WAIT_TABLE_FULL].mark, 1);
	return wait;
}

struct pprof_wait *pprof_wait_table_find_spilled(const struct pprof_wait_table *waits, u32 tid)
{
	struct pprof_wait *wait = NULL;

	for (u32 n = 1; !wait && n < PPROF_WAIT_TABLE_REACH; n++)
		wait = pprof_wait_table_find_in(pprof_wait_table_bucket(waits, tid + n), tid);
	return wait;
}

bool pprof_wait_table_add(struct pprof_wait_table *waits, u32 tid, u64 since_ns, void *on)
{
	struct pprof_wait *wait = claim(waits, tid);

	if (!wait)
		return false;
	WRITE_ONCE(wait->since_ns, since_ns);
	wait->on = on;
	smp_store_release(&wait->tid, tid);	/* pairs with pprof_wait_table_find() */
	return true;
}
