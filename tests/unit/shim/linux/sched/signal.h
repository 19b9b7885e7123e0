/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_SCHED_SIGNAL_H
#define SHIM_SCHED_SIGNAL_H

#include <linux/atomic.h>
#include <linux/sched.h>

struct signal_struct {
	atomic_t live;
};

/* The test's to define. */
bool fatal_signal_pending(const struct task_struct *task);

#endif
