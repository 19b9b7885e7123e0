// SPDX-License-Identifier: GPL-2.0
#include "process/published_context.h"

#include <stdlib.h>

/*
 * The first and the longest time between two searches. The time grows by a quarter from one search
 * to the next. Most programs never publish a context, and a search reads all lines of
 * /proc/PID/maps. So the delay is a quarter of the time that the process took to publish its
 * context, or 102 s.
 */
#define FIRST_WAIT_NS	UINT64_C(100000000)
#define MAX_WAIT_NS	(1024 * FIRST_WAIT_NS)

/*
 * A known context is compared so often, which reads 32 bytes. One with names of attributes is
 * compared more often: names are added when threads first use them.
 */
#define COMPARE_NS	UINT64_C(5000000000)
#define COMPARE_NAMES_NS	UINT64_C(1000000000)

static uint64_t next_wait(struct published_context *p, int result, bool has_threads)
{
	if (result >= 0) {
		p->wait_ns = 0;
		return has_threads ? COMPARE_NAMES_NS : COMPARE_NS;
	}
	if (p->wait_ns < MAX_WAIT_NS)
		p->wait_ns = p->wait_ns ? p->wait_ns + p->wait_ns / 4 : FIRST_WAIT_NS;
	return p->wait_ns;
}

static bool is_due(const struct published_context *p, uint64_t now, bool is_urgent)
{
	if (is_urgent && p->wait_ns)
		return now >= p->next_ns - p->wait_ns + FIRST_WAIT_NS;
	return now >= p->next_ns;
}

bool published_context_read(struct published_context *p, pid_t pid, uint64_t now, bool is_urgent,
			    struct process_context *fresh)
{
	struct context_payload payload = { 0 };
	int result;

	if (!is_due(p, now, is_urgent))
		return false;
	result = context_mapping_read(pid, &p->mapping, &payload);
	if (result <= 0) {
		p->next_ns = now + next_wait(p, result, p->last.has_threads);
		return false;
	}
	process_context_decode(fresh, payload.data, payload.bytes);
	free(payload.data);
	p->next_ns = now + next_wait(p, result, fresh->has_threads);
	return true;
}

void published_context_set(struct published_context *p, struct process_context *fresh,
			   bool is_same)
{
	process_context_fini(is_same ? &p->last : fresh);
	if (is_same)
		p->last = *fresh;
}

void published_context_fini(struct published_context *p)
{
	process_context_fini(&p->last);
}
