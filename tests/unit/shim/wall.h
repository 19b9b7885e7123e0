/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the kernel that the source wall uses beside the shims: timers, and several CPUs. The
 * compiler's option -include adds it. The test sets shim_cpu to the CPU whose code runs, with
 * interrupts off.
 */
#ifndef SHIM_WALL_H
#define SHIM_WALL_H

#define SHIM_PERCPU_H

#include <asm/barrier.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <stdlib.h>
#include <time.h>

/* The kernel is built without these warnings: a source need not use all its parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"

#define SHIM_CPUS	2
#define __percpu

extern int shim_cpu;

#define alloc_percpu_gfp(type, flags)	((void)(flags), (type *)calloc(SHIM_CPUS, sizeof(type)))
#define free_percpu			free
#define per_cpu_ptr(pointer, cpu)	(&(pointer)[cpu])
#define this_cpu_ptr(pointer)		per_cpu_ptr(pointer, shim_cpu)
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < SHIM_CPUS; (cpu)++)

#define seqcount_t	unsigned int

#define seqcount_init(count)		(*(count) = 0)
#define raw_write_seqcount_begin(count)	__atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST)
#define raw_write_seqcount_end(count)	__atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST)
#define read_seqcount_retry(count, was)	(__atomic_load_n(count, __ATOMIC_SEQ_CST) != (was))

static inline unsigned int raw_read_seqcount_begin(const seqcount_t *count)
{
	unsigned int now;

	do
		now = __atomic_load_n(count, __ATOMIC_SEQ_CST);
	while (now & 1);
	return now;
}

#define ns_to_ktime(ns)	(ns)

#define HRTIMER_MODE_ABS_PINNED_HARD	0

enum hrtimer_restart { HRTIMER_NORESTART, HRTIMER_RESTART };

struct hrtimer {
	enum hrtimer_restart (*fires)(struct hrtimer *timer);
	u64 at_ns;
	bool queued;
};

static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fires)(struct hrtimer *timer),
				 clockid_t clock, int mode)
{
	timer->fires = fires;
}

static inline void hrtimer_start(struct hrtimer *timer, u64 at_ns, int mode)
{
	timer->at_ns = at_ns;
	timer->queued = true;
}

#define hrtimer_set_expires(timer, ns)		((timer)->at_ns = (ns))
#define hrtimer_is_queued(timer)		((timer)->queued)
#define hrtimer_cancel(timer)			((timer)->queued = false)

/* The test defines this and the functions below. In them, another CPU's code may run first. */
u32 shim_number(const struct task_struct *task);

#undef task_pid_nr_ns
#define task_pid_nr_ns(task, ns)	((void)(ns), shim_number(task))

u64 ktime_get_ns(void);
void on_each_cpu(void (*fn)(void *data), void *data, int wait);
u32 get_random_u32(void);

static inline u64 get_cycles(void)
{
	return 0;
}

#endif
