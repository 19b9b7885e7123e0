/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_EXEC_STATE_H
#define SHIM_EXEC_STATE_H

#define TASK_DUMPABLE_OWNER	1

struct task_exec_state {
	int dumpable;
	struct user_namespace *user_ns;
};

#endif
