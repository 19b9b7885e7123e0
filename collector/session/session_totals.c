// SPDX-License-Identifier: GPL-2.0
#include "session/session_totals.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "aggregate/aggregator.h"
#include "device/device.h"

struct session_totals *session_totals_new(void)
{
	void *t = mmap(NULL, sizeof(struct session_totals), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (t != MAP_FAILED)
		return t;
	errno = ENOMEM;
	return NULL;
}

void session_totals_seal(struct session_totals *t)
{
	mprotect(t, sizeof(*t), PROT_READ);
}

/* If a counter is lower than at the last call, nothing is added until it exceeds that value. */
static void add(uint64_t *total, uint64_t *before, uint64_t now)
{
	if (now <= *before)
		return;
	__atomic_add_fetch(total, now - *before, __ATOMIC_RELAXED);
	*before = now;
}

void session_totals_add(struct session_totals *t, struct session_totals *before,
			const struct aggregator *a, const struct device *d)
{
	uint64_t truncated[PPROF_NR_END_REASONS] = { 0 };

	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++) {
		const struct aggregator_counts counts = aggregator_total(a, source);

		add(&t->samples[source], &before->samples[source],
		    counts.consumed - counts.ignored);
		for (uint32_t end = 0; end < PPROF_NR_END_REASONS; end++)
			truncated[end] += counts.truncated[end];
	}
	for (uint32_t end = 0; end < PPROF_NR_END_REASONS; end++)
		add(&t->truncated[end], &before->truncated[end], truncated[end]);
	for (uint32_t class = 0; class < PPROF_NR_CLASSES; class++)
		add(&t->lost[class], &before->lost[class], device_nr_lost(d, class));
}
