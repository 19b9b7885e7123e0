/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stands for kmod/record/record.h, which asks for more of the kernel than there is here: what
 * those take of it that only want to know images. Included by a compiler's option.
 */
#ifndef PPROF_RECORD_H
#define PPROF_RECORD_H

#include <linux/sched.h>

u64 pprof_record_image(const struct task_struct *task);
u64 pprof_record_process_image(struct pid *process);

#endif
