/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_PID_NAMESPACE_H
#define SHIM_PID_NAMESPACE_H

struct pid_namespace {
	int level;
};

extern struct pid_namespace init_pid_ns;

#endif
