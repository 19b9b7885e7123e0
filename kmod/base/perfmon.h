/* SPDX-License-Identifier: GPL-2.0 */
/* CAP_PERFMON, asked for without a trace. */
#ifndef PPROF_PERFMON_H
#define PPROF_PERFMON_H

#include <linux/capability.h>
#include <linux/user_namespace.h>

/*
 * As perfmon_capable(), but without an audit record if it is not granted. It is for code that only
 * chooses a bound, and goes on either way. Code that grants or refuses something asks
 * perfmon_capable().
 * Context: process context.
 */
static inline bool pprof_perfmon_noaudit(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
}

#endif
