/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stands for kmod/record.h and kmod/compat.h, which need more of the kernel than the unit
 * tests have. It has what kmod/client.c takes from them. Included by a compiler's option.
 */
#ifndef PPROF_RECORD_H
#define PPROF_RECORD_H
#define PPROF_COMPAT_H

#include <linux/sched.h>

u64 pprof_record_image(const struct task_struct *task);
u64 pprof_record_process_image(struct pid *process);

#endif
