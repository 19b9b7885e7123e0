/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replaces the headers of kmod/ and of the kernel that the source wall includes. They need
 * more of the kernel than the shims have. The compiler's option -include adds it. The test
 * sets shim_cpu to the CPU whose code runs, with interrupts off.
 */
#ifndef SHIM_WALL_H
#define SHIM_WALL_H

#define PPROF_USER_REGS_H
#define PPROF_COMPAT_H
#define PPROF_RESUME_SAMPLE_H
#define PPROF_SOURCE_H
#define PPROF_THREAD_SNAPSHOT_H
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

#define local_irq_save(flags)		((flags) = 0)
#define local_irq_restore(flags)	((void)(flags))

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

struct pprof_ring {
	u64 begin_ns, end_ns;
};

struct pprof_ring_pages {
	struct pprof_ring ring;
};

struct pprof_target {
	struct pid_namespace *ns;
};

struct pprof_switches {
	void *state;
};

struct pprof_sink {
	struct pprof_ring_pages rings[SHIM_CPUS];
	struct pprof_target *target;
	struct pprof_switches switches;
};

struct pprof_sample_info {
	u64 time_ns;
	u64 weight;
	u64 arg;
	u64 value;
	u16 source;
};

#define PPROF_SWITCH_PREV	1
#define PPROF_SWITCH_NEXT	2
#define PPROF_SWITCH_BLOCKS	4

typedef void pprof_switch_fn(void *state, struct task_struct *prev, struct task_struct *next,
			     u32 flags);

int pprof_switches_add(struct pprof_switches *switches, pprof_switch_fn *fn, void *state);
void pprof_switches_del(struct pprof_switches *switches, void *state);

struct pprof_resume {
	struct pprof_sink *sink;
};

int pprof_resume_init(struct pprof_resume *resume, struct pprof_sink *sink,
		      void (*note_cost)(struct pprof_resume *resume, u64 begin));
void pprof_resume_fini(struct pprof_resume *resume);
void pprof_resume_sample(struct pprof_resume *resume, const struct task_struct *next,
			 const struct pprof_sample_info *info);

#define PPROF_SNAPSHOT_COMES	U64_MAX

struct pprof_snapshot_options {
	u16 source;
	u64 (*weigh)(void *ctx, struct task_struct *task);
	bool (*claim)(void *ctx, struct task_struct *task);
	void (*done)(void *ctx, struct task_struct *task);
	void *ctx;
};

int pprof_snapshot_sample(struct pprof_sink *sink, const struct pprof_snapshot_options *options,
			  u32 *next);

struct pprof_source {
	int (*start)(struct pprof_sink *sink, u64 period, void **state);
	int (*finish)(void *state);
	void (*stop)(void *state);
};

extern const struct pprof_source pprof_src_wall;

bool pprof_record_sample(struct pprof_sink *sink, const struct pprof_sample_info *info);
void pprof_record_lost(struct pprof_sink *sink, u32 source, u64 weight, u32 reason);

static inline struct pprof_ring *pprof_record_ring(struct pprof_sink *sink)
{
	return &sink->rings[shim_cpu].ring;
}

static inline void pprof_ring_set_wall_period(struct pprof_ring *ring, u64 period_ns)
{
}

static inline void pprof_ring_set_wall_span(struct pprof_ring *ring, u64 begin_ns, u64 end_ns)
{
	ring->begin_ns = begin_ns;
	ring->end_ns = end_ns;
}

static inline bool pprof_target_has(const struct pprof_target *target,
				    const struct task_struct *task)
{
	return task->pid;
}

static inline u64 pprof_syscall_of(struct task_struct *task)
{
	return 0;
}

#endif
