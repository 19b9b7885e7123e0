/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stands for kmod/session/session.h, which asks for more of the kernel than there is here: what
 * the list of sessions takes of it. Included by a compiler's option.
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
