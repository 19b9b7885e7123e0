/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module is written for the newest kernel; here older ones get its names.
 * The only place that asks for a kernel's version.
 */
#ifndef PPROF_COMPAT_H
#define PPROF_COMPAT_H

#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/version.h>

/* When @task came to its CPU: sched_clock(). Kernels without CONFIG_SCHED_INFO don't know: 0. */
static inline u64 task_last_arrival(const struct task_struct *task)
{
#ifdef CONFIG_SCHED_INFO
	return READ_ONCE(task->sched_info.last_arrival);
#else
	return 0;
#endif
}

/* 6.3: vma->vm_flags is read-only, and changed through helpers. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set, vm_flags_t clear)
{
	vma->vm_flags |= set;
	vma->vm_flags &= ~clear;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vm_flags_mod(vma, 0, flags);
}
#endif

/* 6.4: vhost's workers are threads of their process; before, kernel threads. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define PF_USER_WORKER 0
#endif

/* 6.8: a file of overlayfs is mapped as the layer's; this is what the user sees. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
static inline const struct path *file_user_path(struct file *file)
{
	return &file->f_path;
}

static inline const struct inode *file_user_inode(struct file *file)
{
	return file_inode(file);
}
#endif

/* 6.13: hrtimer_setup() replaces hrtimer_init() and the function's assignment. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

/*
 * 6.16: the tracepoint sched_process_exit tells whether the process ends with
 * this thread. Before, the count of live threads does; the last two threads
 * may both see it at zero.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define DEFINE_EXIT_PROBE(name)							\
	static void name(void *data, struct task_struct *task, bool group_dead);	\
	static void name##_hook(void *data, struct task_struct *task)		\
	{									\
		name(data, task, !atomic_read(&task->signal->live));		\
	}
#else
#define DEFINE_EXIT_PROBE(name)							\
	static void name(void *data, struct task_struct *task, bool group_dead);	\
	static void name##_hook(void *data, struct task_struct *task, bool group_dead) \
	{									\
		name(data, task, group_dead);					\
	}
#endif

/* 6.18: clone flags are 64 bits wide on every architecture. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
typedef unsigned long clone_flags_t;
#else
typedef u64 clone_flags_t;
#endif

#endif
