/* SPDX-License-Identifier: GPL-2.0 */
/* Samples of threads that have just come back to a CPU. */
#ifndef PPROF_RESUME_SAMPLE_H
#define PPROF_RESUME_SAMPLE_H

#include "record/record.h"

struct pprof_resume_cpu;

/*
 * In sched_switch the next thread is not current yet, and the readable stack is that of the
 * previous one. So the CPU sends itself an interrupt. It comes right after the switch, when
 * interrupts are on again. Then the thread is current. Its kernel frames are taken in sched_switch,
 * where they are those of its wait.
 */
struct pprof_resume {
	struct pprof_resume_cpu __percpu *cpus;
	struct pprof_sink *sink;
	void (*note_cost)(struct pprof_resume *resume, u64 begin);
};

/*
 * @note_cost is called after each sample, with the get_cycles() of its start, for
 * pprof_throttle_tick(). It runs on the CPU of the sample, with interrupts off. NULL: the source
 * has no rate to halve.
 * Returns: 0, or -ENOMEM.
 * Sleeps.
 */
int pprof_resume_init(struct pprof_resume *resume, struct pprof_sink *sink,
		      void (*note_cost)(struct pprof_resume *resume, u64 begin));

/*
 * Waits for the samples that were asked for, and frees @resume's memory. No code may ask for
 * samples any more.
 * Sleeps.
 */
void pprof_resume_fini(struct pprof_resume *resume);

/*
 * For a probe of sched_switch: samples @next as soon as it runs. If another thread runs then, or
 * another sample is still due on this CPU, the sample is lost for PPROF_LOST_QUEUE.
 * Context: interrupts off.
 */
void pprof_resume_sample(struct pprof_resume *resume, struct task_struct *next,
			 const struct pprof_sample_info *info);

#endif
