/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stands for record.h, tracepoints.h and compat.h: what kmod/session/audit.c takes of them.
 * Included by a compiler's option.
 */
#ifndef PPROF_RECORD_H
#define PPROF_RECORD_H
#define PPROF_HOOKS_H
#define PPROF_COMPAT_H

#include <linux/overflow.h>
#include <linux/sched.h>

#include "kmod/ring/ring.h"

typedef u64 clone_flags_t;

struct pprof_spaces;

struct pprof_happening {
	u64 time_ns;
	u64 weight;
	u64 arg;
	u64 value;
	u16 source;
};

enum pprof_hook {
	PPROF_HOOK_NEWTASK,
};

bool pprof_is_user_thread(const struct task_struct *task, u64 clone_flags);
int pprof_hook_add(enum pprof_hook hook, void *probe, void *data);
void pprof_hook_del(enum pprof_hook hook, void *probe, void *data);
void pprof_record_fill_sample(struct pprof_sample *sample, struct pid_namespace *ns,
			      const struct pprof_spaces *spaces, u32 max_frames,
			      const struct pprof_happening *what);

#endif
