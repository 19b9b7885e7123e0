/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_CAPABILITY_H
#define SHIM_CAPABILITY_H

#include <linux/types.h>
#include <linux/user_namespace.h>

#define CAP_SYS_ADMIN	21
#define CAP_PERFMON	38

/* The test's to define. */
bool perfmon_capable(void);
bool ns_capable_noaudit(struct user_namespace *ns, int cap);

#endif
