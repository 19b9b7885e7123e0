// SPDX-License-Identifier: GPL-2.0
#include "device/end_reason.h"

#include <stddef.h>

#include "pprof.h"

#define TRUNCATED(name)	{ name, "[truncated: " name "]" }

static const struct {
	const char *name;
	const char *root;
} reasons[PPROF_NR_END_REASONS] = {
	/* This root is for a stack without any frame; Go uses the same name for it. */
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
	[PPROF_END_NOT_SHARED]	= TRUNCATED("earlier sample lost"),
};

const char *end_reason_name(uint32_t reason)
{
	return reason < PPROF_NR_END_REASONS ? reasons[reason].name : "unknown reason";
}

const char *end_reason_root(uint32_t reason)
{
	return reason < PPROF_NR_END_REASONS ? reasons[reason].root : "[truncated: unknown reason]";
}

const char *end_reason_explain(uint32_t source, uint32_t reason)
{
	if (source == PPROF_SOURCE_MUTEX && reason == PPROF_END_NO_USER)
		return "lostContendedLock";
	return end_reason_root(reason);
}
