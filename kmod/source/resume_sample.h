/* SPDX-License-Identifier: GPL-2.0 */
/* Samples of threads that have just come back to a CPU. */
#ifndef PPROF_RESUME_H
#define PPROF_RESUME_H

#include "record/record.h"

struct pprof_resume_cpu;

/*
 * In sched_switch the next thread is not current yet, and the stack that could
 * be read there is another's. An interrupt that the CPU sends itself comes right
 * after the switch, when interrupts are on again: then it is.
 */
struct pprof_resume {
	struct pprof_resume_cpu __percpu *cpus;
	struct pprof_sink *sink;
	void (*note_cost)(struct pprof_resume *resume, u64 begin);
};

/*
 * @note_cost is called after each sample, on its CPU, interrupts off, for
 * pprof_overload_tick(); NULL for who has no rate that could fall.
 * May sleep. -ENOMEM.
 */
int pprof_resume_init(struct pprof_resume *resume, struct pprof_sink *sink,
		      void (*note_cost)(struct pprof_resume *resume, u64 begin));

/* Nobody asks for samples any more; waits for those that were. May sleep. */
void pprof_resume_fini(struct pprof_resume *resume);

/*
 * In a probe of sched_switch: a sample of @next as soon as it runs. Counted as
 * lost, for PPROF_LOST_QUEUE, if something else runs then.
 */
void pprof_resume_sample(struct pprof_resume *resume, const struct task_struct *next,
			 const struct pprof_happening *what);

#endif
