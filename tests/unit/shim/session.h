/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replaces kmod/session/session.h, which needs more of the kernel than the shims have. It has
 * the parts that the list of sessions uses. The compiler's option -include adds it.
 */
#ifndef PPROF_SESSION_H
#define PPROF_SESSION_H

#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/types.h>

struct pprof_session {
	struct list_head node;
	bool hidden;
	u64 id;
	u32 owner_uid;
	struct {
		atomic64_t cost;
	} session_tables;
};

#endif
