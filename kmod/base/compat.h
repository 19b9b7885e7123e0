/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module is written for the newest kernel. This header gives its names to older kernels. No
 * other file checks the version of the kernel. Kbuild includes it first in each file. A file that
 * uses a function with the prefix pprof_ of this header includes it itself.
 */
#ifndef PPROF_COMPAT_H
#define PPROF_COMPAT_H

#include <linux/version.h>
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 10, 0)
#error "pprof needs Linux 5.10 or newer."
#endif

#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/hardirq.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/sched/coredump.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uprobes.h>
#include <linux/workqueue.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
#include <linux/sched/exec_state.h>
#endif

#include "arch/kernel_versions.h"
#include "arch/shadow_stack.h"
#include "base/kernel_versions.h"

/*
 * Did all tests pass on a kernel of this release?
 * Context: any.
 */
static inline bool pprof_is_tested_here(void)
{
	return pprof_kernel_is_tested(LINUX_VERSION_CODE);
}

struct uprobe;	/* kernels without CONFIG_UPROBES do not declare it */

/*
 * Returns: when @task came to its CPU, in sched_clock() ns. 0 on kernels without CONFIG_SCHED_INFO.
 */
static inline u64 task_last_arrival(const struct task_struct *task)
{
#ifdef CONFIG_SCHED_INFO
	return READ_ONCE(task->sched_info.last_arrival);
#else
	return 0;
#endif
}

/* 5.11: in_hardirq() and the initializers of irq_work. The RT patch of 5.10 has them. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0) && !defined(in_hardirq)
#define in_hardirq() in_irq()
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0) && !defined(IRQ_WORK_INIT)
#define IRQ_WORK_INIT(function) ((struct irq_work) { .func = (function) })
#define IRQ_WORK_INIT_HARD(function) \
	((struct irq_work) { .func = (function), .flags = ATOMIC_INIT(IRQ_WORK_HARD_IRQ) })

static inline bool irq_work_is_busy(struct irq_work *work)
{
	return atomic_read(&work->flags) & IRQ_WORK_BUSY;
}
#endif

/*
 * 5.13: an instruction loads TASK_SIZE_MAX. Before 5.13 the compiler knows its two values. It would
 * put them into the cmp instruction of array_index_nospec(), which has no room for 64 bits. So the
 * value is hidden from it.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 13, 0)
static __always_inline unsigned long pprof_task_size_max(void)
{
	unsigned long size = TASK_SIZE_MAX;

	OPTIMIZER_HIDE_VAR(size);
	return size;
}

#undef TASK_SIZE_MAX
#define TASK_SIZE_MAX pprof_task_size_max()
#endif

/*
 * 5.14: task->state is renamed to __state. Acquire: the caller sees all writes before that of the
 * state. 5.14 also adds FUTEX_LOCK_PI2.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 14, 0)
#define FUTEX_LOCK_PI2 13

static inline unsigned int pprof_task_state(const struct task_struct *task)
{
	return smp_load_acquire(&task->state);	/* pairs with the writer of the state */
}
#else
static inline unsigned int pprof_task_state(const struct task_struct *task)
{
	return smp_load_acquire(&task->__state);	/* pairs with the writer of the state */
}
#endif

/* 5.14: file_open_root_mnt(). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 14, 0)
#define file_open_root_mnt(mnt, name, flags, mode)	\
	file_open_root((mnt)->mnt_root, mnt, name, flags, mode)
#endif

/*
 * 5.16: param_set_uint_minmax(). Stable kernels from 5.10.220 and 5.15.154 have it, and
 * distributions take it over at other versions. The macro hides it where it exists.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0)
static inline int pprof_param_set_uint_minmax(const char *text, const struct kernel_param *param,
					      unsigned int min, unsigned int max)
{
	unsigned int value;
	int error = kstrtouint(text, 0, &value);

	if (error)
		return error;
	if (value < min || value > max)
		return -EINVAL;
	*(unsigned int *)param->arg = value;
	return 0;
}

#define param_set_uint_minmax pprof_param_set_uint_minmax
#endif

/*
 * 5.18: the tracepoint sched_switch passes the state that the task had when it left. Before 5.18
 * task->state is still that state, but a waker may have set TASK_WAKING after the task blocked.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 18, 0)
#define DEFINE_SWITCH_PROBE(name)						\
	static void name(void *data, bool preempt, struct task_struct *prev,	\
			 struct task_struct *next, unsigned int prev_state);	\
	static void name##_hook(void *data, bool preempt, struct task_struct *prev,	\
				struct task_struct *next)			\
	{									\
		unsigned int state = READ_ONCE(prev->state);			\
										\
		name(data, preempt, prev, next,					\
		     state == TASK_WAKING ? TASK_UNINTERRUPTIBLE : state);	\
	}
#else
#define DEFINE_SWITCH_PROBE(name)						\
	static void name(void *data, bool preempt, struct task_struct *prev,	\
			 struct task_struct *next, unsigned int prev_state);	\
	static void name##_hook(void *data, bool preempt, struct task_struct *prev,	\
				struct task_struct *next, unsigned int prev_state)	\
	{									\
		name(data, preempt, prev, next, prev_state);			\
	}
#endif

/*
 * 5.18: the stack of a thread that ended is freed an RCU grace period later, or it is kept for
 * another thread. Before 5.18 its memory may be gone at once.
 * Context: any.
 */
static inline bool pprof_stacks_outlive_tasks(void)
{
	return LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0);
}

/*
 * 6.1: kmalloc_size_roundup() is the memory that an allocation takes. 6.1 also adds resv_start_op:
 * from this netlink operation on the kernel checks the reserved fields.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
static inline size_t kmalloc_size_roundup(size_t bytes)
{
	if (bytes > KMALLOC_MAX_CACHE_SIZE)
		return PAGE_SIZE << get_order(bytes);
	if (bytes > 64 && bytes <= 96)
		return 96;
	if (bytes > 128 && bytes <= 192)
		return 192;
	return max_t(size_t, roundup_pow_of_two(bytes), KMALLOC_MIN_SIZE);
}

#define PPROF_RESV_START_OP(op)
#else
#define PPROF_RESV_START_OP(op) .resv_start_op = (op),
#endif

/* 6.3: vma->vm_flags is read-only. Helpers change it. */
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

/* 6.4: vhost's workers are threads of their process. Before 6.4 they are kernel threads. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define PF_USER_WORKER 0
#endif

/* 6.6: the ctime of an inode is read by a function. Stable releases have it before 6.6, too. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
static inline struct timespec64 pprof_inode_ctime(const struct inode *inode)
{
	return inode->i_ctime;
}
#else
static inline struct timespec64 pprof_inode_ctime(const struct inode *inode)
{
	return inode_get_ctime(inode);
}
#endif

/*
 * 6.8: file_user_path() is the path that the user sees. A file of overlayfs is mapped as the file
 * of its layer.
 */
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

/*
 * 6.12: uprobe_register() returns a uprobe. Removal has two parts, and the second one waits. Before
 * 6.12 the inode and the offset identify the uprobe.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
static inline int pprof_uprobe_add(struct inode *inode, loff_t offset,
				   struct uprobe_consumer *consumer, struct uprobe **uprobe)
{
	*uprobe = NULL;
	return uprobe_register(inode, offset, consumer);
}

static inline void pprof_uprobe_del(struct uprobe *uprobe, struct inode *inode, loff_t offset,
				    struct uprobe_consumer *consumer)
{
	uprobe_unregister(inode, offset, consumer);
}

static inline void pprof_uprobe_sync(void)
{
}

#define DEFINE_UPROBE_FILTER(name)						\
	static bool name(struct uprobe_consumer *self, struct mm_struct *mm);	\
	static bool name##_hook(struct uprobe_consumer *self,			\
				enum uprobe_filter_ctx ctx, struct mm_struct *mm)	\
	{									\
		return name(self, mm);						\
	}
#else
static inline int pprof_uprobe_add(struct inode *inode, loff_t offset,
				   struct uprobe_consumer *consumer, struct uprobe **uprobe)
{
	*uprobe = uprobe_register(inode, offset, 0, consumer);
	return PTR_ERR_OR_ZERO(*uprobe);
}

static inline void pprof_uprobe_del(struct uprobe *uprobe, struct inode *inode, loff_t offset,
				    struct uprobe_consumer *consumer)
{
	uprobe_unregister_nosync(uprobe, consumer);
}

static inline void pprof_uprobe_sync(void)
{
	uprobe_unregister_sync();
}

#define DEFINE_UPROBE_FILTER(name)						\
	static bool name(struct uprobe_consumer *self, struct mm_struct *mm);	\
	static bool name##_hook(struct uprobe_consumer *self, struct mm_struct *mm)	\
	{									\
		return name(self, mm);						\
	}
#endif

/*
 * 6.13: a handler gets data of the call, and may answer that it does not want the return. In 6.12 a
 * handler that answers UPROBE_HANDLER_REMOVE gets no return either. The kernel does not remove the
 * uprobe while the consumer's filter wants it. Before 6.12 all returns come.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#define UPROBE_HANDLER_IGNORE 0
#else
#define UPROBE_HANDLER_IGNORE UPROBE_HANDLER_REMOVE
#endif

#define DEFINE_UPROBE_HANDLER(name)						\
	static int name(struct uprobe_consumer *self, struct pt_regs *regs, __u64 *data);	\
	static int name##_hook(struct uprobe_consumer *self, struct pt_regs *regs)	\
	{									\
		return name(self, regs, NULL);					\
	}
#define DEFINE_UPROBE_RET_HANDLER(name)						\
	static int name(struct uprobe_consumer *self, unsigned long func,	\
			struct pt_regs *regs, __u64 *data);			\
	static int name##_hook(struct uprobe_consumer *self, unsigned long func,	\
			       struct pt_regs *regs)				\
	{									\
		return name(self, func, regs, NULL);				\
	}
#else
#define DEFINE_UPROBE_HANDLER(name)						\
	static int name(struct uprobe_consumer *self, struct pt_regs *regs, __u64 *data);	\
	static int name##_hook(struct uprobe_consumer *self, struct pt_regs *regs, __u64 *data) \
	{									\
		return name(self, regs, data);					\
	}
#define DEFINE_UPROBE_RET_HANDLER(name)						\
	static int name(struct uprobe_consumer *self, unsigned long func,	\
			struct pt_regs *regs, __u64 *data);			\
	static int name##_hook(struct uprobe_consumer *self, unsigned long func,	\
			       struct pt_regs *regs, __u64 *data)		\
	{									\
		return name(self, func, regs, data);				\
	}
#endif

/*
 * pprof_has_uprobes(): can source HEAP place uprobes here, without harm to programs?
 *
 * pprof_mm_owner() returns the task that owns @mm, or NULL: it has ended. The caller is in an RCU
 * read section. Without CONFIG_UPROBES or CONFIG_MEMCG it returns NULL, as HEAP cannot run there.
 * Context of both: any.
 */
#if defined(CONFIG_UPROBES) && defined(CONFIG_MEMCG)
static inline bool pprof_has_uprobes(void)
{
	return pprof_arch_uprobes_are_safe(LINUX_VERSION_CODE, pprof_arch_has_shadow_stacks());
}

static inline struct task_struct *pprof_mm_owner(struct mm_struct *mm)
{
	return rcu_dereference(mm->owner);
}

#else
static inline bool pprof_has_uprobes(void)
{
	return false;
}

static inline struct task_struct *pprof_mm_owner(struct mm_struct *mm)
{
	return NULL;
}
#endif

/* Returns the calls of @task that have a uretprobe, innermost first. */
#ifdef CONFIG_UPROBES
static inline const struct return_instance *pprof_return_instances(const struct task_struct *task)
{
	return task->utask ? task->utask->return_instances : NULL;
}
#else
static inline const struct return_instance *pprof_return_instances(const struct task_struct *task)
{
	return NULL;
}
#endif

/* Early stable releases of 5.10 lack this name: Debian's 5.10.0-30 does, 5.10.0-32 has it. */
#ifndef __uninitialized
#if __has_attribute(__uninitialized__)
#define __uninitialized __attribute__((__uninitialized__))
#else
#define __uninitialized
#endif
#endif

/* 6.13: hrtimer_setup() replaces hrtimer_init() and the assignment of the function. */
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
 * 7.2: this flag is for a timer that stops and starts at each context switch. The hardware timer is
 * not programmed again, and may fire once for nothing.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
#define HRTIMER_MODE_LAZY_REARM 0
#endif

/*
 * 6.16: the tracepoint sched_process_exit passes whether the process ends with this thread. Before
 * 6.16 the count of live threads says so. The last two threads may both see it at zero.
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

/* 6.17: the new name of the queue. 7.2 warns when code uses the old one. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define system_dfl_wq system_unbound_wq
#endif

/* 6.18: clone flags are 64 bits wide on every architecture. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
typedef unsigned long clone_flags_t;
#else
typedef u64 clone_flags_t;
#endif

/*
 * 7.2: dumpability and the user namespace move from the mm to task->exec_state, which all tasks
 * with the same mm share. An exec replaces it together with the mm. The kernel does not export its
 * accessors.
 *
 * In the functions below @mm is @task's. A kernel thread that uses @mm for a while has an
 * exec_state of its own.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
/*
 * Locks: @task is current, or the caller holds the RCU read lock. Only current replaces its own
 * exec_state. So the hot path takes no lock.
 */
static inline bool pprof_is_dumpable(const struct task_struct *task, struct mm_struct *mm)
{
	return get_dumpable(mm) == SUID_DUMP_USER;
}

/* Locks: the caller holds the RCU read lock or task_lock(@task), while it uses the result. */
static inline struct user_namespace *pprof_exec_user_ns(const struct task_struct *task,
							const struct mm_struct *mm)
{
	return mm->user_ns;
}
#else
static inline bool pprof_is_dumpable(const struct task_struct *task, struct mm_struct *mm)
{
	return READ_ONCE(rcu_dereference_check(task->exec_state, task == current)->dumpable) ==
	       TASK_DUMPABLE_OWNER;
}

static inline struct user_namespace *pprof_exec_user_ns(const struct task_struct *task,
							const struct mm_struct *mm)
{
	return rcu_dereference_check(task->exec_state,
				     lockdep_is_held(&task->alloc_lock))->user_ns;
}
#endif

/*
 * Was the program of @task executed in the user namespace @ns?
 * Context: any.
 */
static inline bool pprof_is_in_user_ns(const struct task_struct *task, const struct mm_struct *mm,
				       const struct user_namespace *ns)
{
	bool in;

	rcu_read_lock();
	in = pprof_exec_user_ns(task, mm) == ns;
	rcu_read_unlock();
	return in;
}

#endif
