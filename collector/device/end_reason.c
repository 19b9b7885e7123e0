// SPDX-License-Identifier: GPL-2.0
#include "device/end_reason.h"

#include <stddef.h>

#include "pprof.h"

#define TRUNCATED(why)	{ why, "[truncated: " why "]" }

static const struct {
	const char *name;
	const char *root;
} ends[PPROF_NR_END_REASONS] = {
	/* As a root, it stands for a stack without a frame, as in Go. */
	[PPROF_END_COMPLETE]	= { NULL, "lostProfileEvent" },
	[PPROF_END_NO_USER]	= TRUNCATED("no user stack"),
	[PPROF_END_FAULT]	= TRUNCATED("stack not readable"),
	[PPROF_END_BAD_FRAME]	= TRUNCATED("no frame pointer"),
	[PPROF_END_DEPTH]	= TRUNCATED("too deep"),
	[PPROF_END_COMPAT]	= TRUNCATED("32-bit code"),
	[PPROF_END_NO_RANGES]	= TRUNCATED("process not known yet"),
	[PPROF_END_NO_RANGE]	= TRUNCATED("no mapping"),
	[PPROF_END_NO_RULE]	= TRUNCATED("no unwind information"),
	[PPROF_END_BAD_CFA]	= TRUNCATED("bad frame"),
	[PPROF_END_UNSUPPORTED]	= TRUNCATED("unwind rule not supported"),
	[PPROF_END_LOST_REG]	= TRUNCATED("register lost"),
	[PPROF_END_URETPROBE]	= TRUNCATED("return awaited by a uprobe"),
};

const char *end_reason_name(uint32_t end)
{
	return end < PPROF_NR_END_REASONS ? ends[end].name : "unknown reason";
}

const char *end_reason_root(uint32_t end)
{
	return end < PPROF_NR_END_REASONS ? ends[end].root : "[truncated: unknown reason]";
}

const char *end_reason_explain(uint32_t source, uint32_t end)
{
	if (source == PPROF_SOURCE_MUTEX && end == PPROF_END_NO_USER)
		return "lostContendedLock";
	return end_reason_root(end);
}
