// SPDX-License-Identifier: GPL-2.0
#include "source/resume_sample.h"

#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/timex.h>

struct pprof_resume_cpu {
	struct irq_work work;
	struct pprof_resume *resume;
	const struct task_struct *task;	/* only compared: it may be freed */
	struct pprof_sample_info info;
	struct pprof_kernel_stack kernel;
};

static void sample_current(struct irq_work *work)
{
	struct pprof_resume_cpu *cpu = container_of(work, struct pprof_resume_cpu, work);
	struct pprof_resume *resume = cpu->resume;
	u64 begin = get_cycles();

	if (current != cpu->task || !pprof_target_has(resume->sink->target, current)) {
		pprof_record_lost(resume->sink, cpu->info.source, cpu->info.weight,
				  PPROF_LOST_QUEUE);
		return;
	}
	pprof_record_sample_from(resume->sink, &cpu->info, &cpu->kernel);
	if (resume->note_cost)
		resume->note_cost(resume, begin);
}

int pprof_resume_init(struct pprof_resume *resume, struct pprof_sink *sink,
		      void (*note_cost)(struct pprof_resume *resume, u64 begin))
{
	struct pprof_resume_cpu *this;
	int cpu;

	resume->cpus = alloc_percpu_gfp(struct pprof_resume_cpu,
					GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!resume->cpus)
		return -ENOMEM;
	resume->sink = sink;
	resume->note_cost = note_cost;
	for_each_possible_cpu(cpu) {
		this = per_cpu_ptr(resume->cpus, cpu);
		this->work = IRQ_WORK_INIT_HARD(sample_current);
		this->resume = resume;
	}
	return 0;
}

void pprof_resume_fini(struct pprof_resume *resume)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(resume->cpus, cpu)->work);
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		synchronize_rcu();	/* see pprof_session_free() */
	free_percpu(resume->cpus);
}

/*
 * Interrupts are off until the switch is done. So the interrupt of the last switch has run. There
 * is one exception: a machine whose CPUs cannot interrupt themselves. There the work waits for a
 * timer interrupt, and nothing of it may be changed.
 */
void pprof_resume_sample(struct pprof_resume *resume, struct task_struct *next,
			 const struct pprof_sample_info *info)
{
	struct pprof_resume_cpu *cpu = this_cpu_ptr(resume->cpus);

	if (irq_work_is_busy(&cpu->work)) {
		pprof_record_lost(resume->sink, info->source, info->weight, PPROF_LOST_QUEUE);
		return;
	}
	cpu->task = next;
	cpu->info = *info;
	if (resume->sink->max_kernel)
		cpu->kernel.nr = pprof_kernel_stack_of(next, cpu->kernel.frames,
						       resume->sink->max_kernel);
	irq_work_queue(&cpu->work);
}
