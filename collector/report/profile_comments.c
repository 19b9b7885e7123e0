// SPDX-License-Identifier: GPL-2.0
#include "report/profile_comments.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "device/end_reason.h"

static void __attribute__((format(printf, 2, 3)))
add(struct profile_comments *c, const char *format, ...)
{
	va_list args;

	if (c->nr == PROFILE_COMMENTS_MAX)
		return;
	va_start(args, format);
	vsnprintf(c->text[c->nr], sizeof(c->text[0]), format, args);
	va_end(args);
	c->list[c->nr] = c->text[c->nr];
	c->list[++c->nr] = NULL;
}

static void add_some(struct profile_comments *c, const char *what, uint64_t nr)
{
	if (nr)
		add(c, "%s: %" PRIu64, what, nr);
}

void profile_comments_fill(struct profile_comments *c, const struct profile_comments_input *in)
{
	const struct aggregator_counts *counts = in->counts;

	c->nr = 0;
	add(c, "lost: %" PRIu64, in->lost);
	add_some(c, "lost to --max-stacks", counts->over_max);
	add_some(c, "processes or names beyond the limit of files", in->nr_rest);
	if (in->lost_events)
		add(c, "lost records of mappings and processes: %" PRIu64
		    ": some names may be wrong", in->lost_events);
	if (in->lost_frees)
		add(c, "lost frees: %" PRIu64 ": less memory is in use than shown", in->lost_frees);
	if (counts->untracked)
		add(c, "allocations whose free is not reported: %" PRIu64
		    ": more memory may be in use than shown", counts->untracked);
	if (in->slowest_ns > in->period_ns)
		add(c, "overload: the rate fell from %.6g to %.6g Hz, and samples count more",
		    1e9 / in->period_ns, 1e9 / in->slowest_ns);
	add_some(c, "unwind tables that the module refused", in->refused_tables);
	add_some(c, "unopened files, whose code has no symbols", in->unopened_files);
	add_some(c, "callers guessed by frame pointers", counts->guessed);
	add_some(c, "sampled before new mappings were known", counts->stale);
	for (uint32_t end = 0; end < PPROF_NR_END_REASONS; end++)
		add_some(c, end_reason_root(end), counts->truncated[end]);
}
