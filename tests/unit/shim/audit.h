/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replaces record.h, tracepoints.h and compat.h for the test of kmod/session/audit.c: it has
 * the parts that audit.c uses. The compiler's option -include adds it.
 */
#ifndef PPROF_RECORD_H
#define PPROF_RECORD_H
#define PPROF_TRACEPOINTS_H
#define PPROF_COMPAT_H

#include <linux/overflow.h>
#include <linux/sched.h>

#include "kmod/ring/ring.h"

typedef u64 clone_flags_t;

struct pprof_session_tables;

struct pprof_sample_info {
	u64 time_ns;
	u64 weight;
	u64 arg;
	u64 value;
	u16 source;
};

enum pprof_tracepoint {
	PPROF_TRACEPOINT_NEWTASK,
};

bool pprof_is_user_thread(const struct task_struct *task, u64 clone_flags);
int pprof_tracepoint_add(enum pprof_tracepoint hook, void *probe, void *data);
void pprof_tracepoint_del(enum pprof_tracepoint hook, void *probe, void *data);
void pprof_record_fill_sample(struct pprof_sample *sample, struct pid_namespace *ns,
			      const struct pprof_session_tables *session_tables, u32 max_frames,
			      const struct pprof_sample_info *what);

#endif
