// SPDX-License-Identifier: GPL-2.0
#include "record/session_rings.h"

#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/slab.h>

void pprof_session_rings_fini(struct pprof_sink *sink)
{
	int cpu;

	if (!sink->rings)
		return;
	for_each_possible_cpu(cpu)
		pprof_ring_pages_fini(&sink->rings[cpu]);
	kvfree(sink->sent_labels);
	kvfree(sink->rings);
	sink->rings = NULL;
}

static int init_all(struct pprof_sink *sink, u32 bytes, u32 watermark_bytes)
{
	int cpu, err = 0;

	sink->sent_labels =
		kvcalloc(nr_cpu_ids, sizeof(*sink->sent_labels), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!sink->sent_labels)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		err = pprof_ring_pages_init(&sink->rings[cpu], cpu, bytes, watermark_bytes);
		if (err)
			break;
	}
	return err;
}

int pprof_session_rings_init(struct pprof_sink *sink, u32 bytes, u32 watermark_bytes)
{
	int err;

	sink->rings = kvcalloc(nr_cpu_ids, sizeof(*sink->rings), GFP_KERNEL_ACCOUNT);
	if (!sink->rings)
		return -ENOMEM;
	err = init_all(sink, bytes, watermark_bytes);
	if (err)
		pprof_session_rings_fini(sink);
	return err;
}

bool pprof_session_rings_any_is_due(const struct pprof_sink *sink)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (pprof_ring_is_due(&sink->rings[cpu].ring))
			return true;
	return false;
}
