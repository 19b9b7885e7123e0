// SPDX-License-Identifier: GPL-2.0
#include "report/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define NS_PER_SECOND	UINT64_C(1000000000)

bool progress_is_due(const struct progress *p, uint64_t now_ns)
{
	return now_ns >= p->due_ns && isatty(STDERR_FILENO);
}

void progress_show(struct progress *p, uint64_t now_ns, uint64_t begin_ns, uint64_t samples,
		   uint64_t lost)
{
	p->due_ns = now_ns + NS_PER_SECOND;
	fprintf(stderr, "\r%" PRIu64 " s  %" PRIu64 " samples  %" PRIu64 " lost \033[K",
		(now_ns - begin_ns) / NS_PER_SECOND, samples, lost);
}

void progress_clear(const struct progress *p)
{
	if (p->due_ns)
		fprintf(stderr, "\r\033[K");
}
