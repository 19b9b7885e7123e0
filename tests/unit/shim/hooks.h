/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replaces kmod/base/tracepoints.h and kmod/base/compat.h, which need more of the kernel than
 * the shims have. The compiler's option -include adds it.
 */
#ifndef PPROF_TRACEPOINTS_H
#define PPROF_TRACEPOINTS_H
#define PPROF_COMPAT_H

#include <linux/list.h>
#include <linux/sched.h>

#define ARRAY_SIZE(array)		((int)(sizeof(array) / sizeof(*(array))))
#include <linux/container_of.h>

/* The kernel is built without this warning: a probe need not use all its parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

enum pprof_tracepoint {
	PPROF_TRACEPOINT_NEWTASK,
	PPROF_TRACEPOINT_EXEC,
	PPROF_TRACEPOINT_EXIT,
	PPROF_NR_TRACEPOINTS,
};

struct linux_binprm;

#define clone_flags_t	unsigned long

#define DEFINE_EXIT_PROBE(name)							\
	static void name(void *data, struct task_struct *task, bool group_dead);	\
	static void name##_hook(void *data, struct task_struct *task)		\
	{									\
		name(data, task, false);					\
	}

/* The test defines these. */
bool pprof_is_user_thread(const struct task_struct *task, u64 clone_flags);
int pprof_tracepoint_add(enum pprof_tracepoint hook, void *probe, void *data);
void pprof_tracepoint_del(enum pprof_tracepoint hook, void *probe, void *data);

#endif
