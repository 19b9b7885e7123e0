// SPDX-License-Identifier: GPL-2.0
#include "record/record.h"

#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>

#include "base/user_regs.h"
#include "client/thread_labels.h"
#include "unwind/unwind.h"
#include "unwind/frame_pointer.h"

/* Room behind the frames of a sample that may have labels. */
#define LABELS_ROOM	(sizeof(struct pprof_sample_labels) + PPROF_MAX_LABEL_BYTES)

struct pprof_ring *pprof_record_ring(struct pprof_sink *sink)
{
	return &sink->rings[smp_processor_id()].ring;
}

/* The task has its numbers of the initial namespace: no walk is needed for them. */
static void set_pids(struct pprof_event *ev, struct pid_namespace *ns, struct task_struct *task)
{
	bool initial = ns == &init_pid_ns;

	ev->pid = initial ? task->tgid : task_tgid_nr_ns(task, ns);
	ev->tid = initial ? task->pid : task_pid_nr_ns(task, ns);
}

static __always_inline void open_record(struct pprof_event *ev, struct pid_namespace *ns,
					struct task_struct *task, u32 type, u64 time_ns)
{
	ev->rec.type = type;
	ev->time_ns = time_ns;
	ev->exec_id = pprof_exec_id(task);
	set_pids(ev, ns, task);
}

void pprof_record_open(struct pprof_event *ev, struct pid_namespace *ns,
		       struct task_struct *task, u32 type, u64 time_ns)
{
	open_record(ev, ns, task, type, time_ns);
}

static __always_inline void commit(struct pprof_sink *sink, struct pprof_ring *ring, void *record)
{
	if (unlikely(pprof_ring_commit(ring, record)))
		pprof_wakeup(&sink->wakeup);
}

void pprof_record_commit(struct pprof_sink *sink, void *record)
{
	commit(sink, pprof_record_ring(sink), record);
}

/*
 * The caller runs on @task's mm: current->mm is @task's. This is inline, as fill() is: on the hot
 * path the compiler knows that @task is current.
 */
static __always_inline void walk(struct pprof_stack *stack,
				 const struct pprof_session_tables *session_tables,
				 const struct task_struct *task, u32 tid,
				 const struct pprof_regs *regs)
{
	const struct pprof_process_ranges *process;

	if (!session_tables) {
		pprof_unwind_fp(stack, regs);
		return;
	}
	process = pprof_session_tables_find(session_tables, task->tgid);
	pprof_unwind(stack, regs, process, this_cpu_ptr(session_tables->caches),
		     pprof_known_stack_of(this_cpu_ptr(session_tables->known), tid));
	if (process && READ_ONCE(current->mm->exec_vm) != process->exec_pages)
		stack->flags |= PPROF_SAMPLE_STALE;
}

/*
 * Hides a system call from a session that may not read the stack of the thread, and from a session
 * that may read stacks, but see no system calls.
 */
static noinline u64 hide_call(const struct pprof_sample_info *info)
{
	switch (info->source) {
	case PPROF_SOURCE_WALL:
	case PPROF_SOURCE_BLOCK:
	case PPROF_SOURCE_GROWTH:
	case PPROF_SOURCE_THREAD:
		return info->arg < PPROF_THREAD_STOPPED ? PPROF_NO_SYSCALL : info->arg;
	}
	return info->arg;
}

static __always_inline void fill(struct pprof_sample *sample, struct task_struct *task,
				 const struct pprof_regs *regs, struct pid_namespace *ns,
				 const struct pprof_session_tables *session_tables, u32 max_frames,
				 const struct pprof_sample_info *info, bool sees_calls,
				 u32 nr_kernel)
{
	struct pprof_stack stack = {
		.frames = sample->frames + nr_kernel, .max = max_frames,
		.end_reason = PPROF_END_NO_USER,
	};

	open_record(&sample->ev, ns, task, PPROF_REC_SAMPLE, info->time_ns);
	sample->weight = info->weight;
	sample->arg = likely(regs && sees_calls) ? info->arg : hide_call(info);
	sample->value = info->value;
	sample->source = info->source;
	sample->nr_kernel = nr_kernel;
	/* __get_task_comm() is not used: it locks. A name that a rename has torn does no harm. */
	data_race(memcpy(sample->comm, task->comm, PPROF_COMM_LEN));
	sample->comm[PPROF_COMM_LEN - 1] = 0;
	if (regs)
		walk(&stack, session_tables, task, sample->ev.tid, regs);
	sample->end_reason = stack.end_reason;
	sample->nr_shared = stack.nr_shared;
	sample->nr_frames = nr_kernel + stack.nr;
	sample->flags = stack.flags;
	sample->ev.rec.size = struct_size(sample, frames, sample->nr_frames);
}

static __always_inline void fill_current(struct pprof_sample *sample, struct pid_namespace *ns,
					 const struct pprof_session_tables *session_tables,
					 u32 max_frames, const struct pprof_sample_info *info,
					 const struct pprof_sink *sink, u32 nr_kernel)
{
	struct pprof_regs regs __uninitialized;	/* not used if it is not set */
	bool readable = pprof_user_regs_of_current(&regs) &&
			(!sink || pprof_record_may_read(sink, current, current->mm));

	fill(sample, current, readable ? &regs : NULL, ns, session_tables, max_frames, info,
	     !sink || READ_ONCE(sink->sees_calls), nr_kernel);
}

void pprof_record_fill_sample(struct pprof_sample *sample, struct pid_namespace *ns,
			      const struct pprof_session_tables *session_tables, u32 max_frames,
			      const struct pprof_sample_info *info)
{
	fill_current(sample, ns, session_tables, max_frames, info, NULL, 0);
}

/*
 * Samples of mutex, heap and thread have none: the kernel's part of an unlock is always the same, a
 * heap function is called without the kernel, and a snapshot has no flag for kernel frames.
 */
static bool has_kernel_frames(u32 source)
{
	return BIT(source) & (BIT(PPROF_SOURCE_CPU) | BIT(PPROF_SOURCE_THREADCREATE) |
			      BIT(PPROF_SOURCE_WALL) | BIT(PPROF_SOURCE_BLOCK) |
			      BIT(PPROF_SOURCE_GROWTH));
}

/* Returns: the number of frames. */
static u32 add_kernel_frames(const struct pprof_sink *sink, struct pprof_sample *sample, u32 source,
			     const struct pprof_kernel_stack *kernel)
{
	if (!has_kernel_frames(source))
		return 0;
	if (!kernel)
		return pprof_kernel_stack_here(sample->frames, sink->max_kernel);
	memcpy(sample->frames, kernel->frames, kernel->nr * sizeof(*kernel->frames));
	return kernel->nr;
}

static struct pprof_sample_labels *labels_of(struct pprof_sample *sample)
{
	return (struct pprof_sample_labels *)&sample->frames[sample->nr_frames];
}

static struct pprof_sent_labels *sent_labels_here(struct pprof_sink *sink)
{
	return &sink->sent_labels[smp_processor_id()];
}

static noinline void add_label_set(struct pprof_sink *sink, struct pprof_sample *sample,
				   const struct task_struct *task,
				   const struct pprof_label_set *set)
{
	struct pprof_sample_labels *labels = labels_of(sample);

	if (!current->mm || !pprof_record_may_read(sink, task, current->mm))
		return;
	*labels = (struct pprof_sample_labels) { .set = set->id };
	if (!pprof_sent_labels_has(sent_labels_here(sink), set->id))
		labels->bytes = set->bytes;
	memcpy(labels->text, set->text, ALIGN(labels->bytes, 8));
	sample->flags |= PPROF_SAMPLE_LABELS;
	sample->ev.rec.size += struct_size(labels, text, ALIGN(labels->bytes, 8));
}

/*
 * current->mm is @task's, or NULL. The search is not part of add_label_set(): to save and restore
 * its registers would be a third of the cost of a thread without labels.
 */
static __always_inline void add_labels(struct pprof_sink *sink, struct pprof_sample *sample,
				       const struct task_struct *task)
{
	const struct pprof_label_set *set = pprof_thread_labels_find(task);

	if (set)
		add_label_set(sink, sample, task, set);
}

/* Without user registers there is no context. */
static __always_inline void add_context(struct pprof_sink *sink, struct pprof_sample *sample)
{
	const struct pprof_process_ranges *process =
		pprof_session_tables_find(sink->session_tables, current->tgid);
	struct pprof_sample_context *context = (void *)sample + sample->ev.rec.size;

	if (!process || process->context.kind == PPROF_TLS_NONE ||
	    sample->end_reason == PPROF_END_NO_USER || sample->end_reason == PPROF_END_COMPAT ||
	    !pprof_thread_context_read(&process->context, context))
		return;
	sample->flags |= PPROF_SAMPLE_CONTEXT;
	sample->ev.rec.size += struct_size(context, data, ALIGN(context->bytes, 8));
}

void pprof_record_fill_task(struct pprof_sink *sink, struct pprof_sample *sample,
			    struct task_struct *task, const struct pprof_regs *regs,
			    const struct pprof_sample_info *info)
{
	u32 nr_kernel = 0;

	if (sink->max_kernel && has_kernel_frames(info->source) && pprof_stacks_outlive_tasks())
		nr_kernel = pprof_kernel_stack_of(task, sample->frames, sink->max_kernel);
	fill(sample, task, regs, sink->target->ns, sink->session_tables, sink->max_frames, info,
	     READ_ONCE(sink->sees_calls), nr_kernel);
	if (pprof_thread_labels_any())
		add_labels(sink, sample, task);
}

static __always_inline struct pprof_sample *
reserve(const struct pprof_sink *sink, struct pprof_ring *ring, u32 max_kernel, u32 more)
{
	struct pprof_sample *sample;

	return pprof_ring_reserve(ring, struct_size(sample, frames, sink->max_frames +
							      max_kernel) + more);
}

/*
 * Notes which frames the reader has now. Without user frames there was no walk for this sample:
 * nr_walked may be that of an earlier one, which was given up.
 */
static void note_stack(struct pprof_sink *sink, const struct pprof_sample *sample)
{
	struct pprof_known_stacks *known = this_cpu_ptr(sink->session_tables->known);
	struct pprof_known_stack *stack = pprof_known_stack_of(known, sample->ev.tid);
	u16 nr_walked = stack->nr_walked;

	stack->nr_sent = sample->nr_frames > sample->nr_kernel ? nr_walked : 0;
}

/* Labels and frames count as sent only now, since the caller may give up a sample before. */
static __always_inline void emit(struct pprof_sink *sink, struct pprof_ring *ring,
				 struct pprof_sample *sample)
{
	u32 source = sample->source;
	u64 weight = sample->weight;

	if (sample->flags & PPROF_SAMPLE_LABELS)
		pprof_sent_labels_add(sent_labels_here(sink), labels_of(sample)->set);
	if (sink->shares_frames)
		note_stack(sink, sample);
	pprof_ring_produced(ring, source, weight);
	pprof_ring_ended(ring, source, sample->end_reason, weight);
	commit(sink, ring, sample);
}

struct pprof_sample *pprof_record_reserve(struct pprof_sink *sink)
{
	return reserve(sink, pprof_record_ring(sink), sink->max_kernel, LABELS_ROOM);
}

void pprof_record_emit(struct pprof_sink *sink, struct pprof_sample *sample)
{
	emit(sink, pprof_record_ring(sink), sample);
}

/* @max_kernel is a constant 0 on the hot path: kernel frames that are not wanted cost nothing. */
static __always_inline bool sample_current(struct pprof_sink *sink,
					   const struct pprof_sample_info *info, u32 max_kernel,
					   const struct pprof_kernel_stack *kernel)
{
	struct pprof_ring *ring = pprof_record_ring(sink);
	bool labels = pprof_thread_labels_any();
	struct pprof_sample *sample;
	u32 nr_kernel = 0;

	if (unlikely(!pid_alive(current)))
		return false;
	sample = reserve(sink, ring, max_kernel, (labels ? LABELS_ROOM : 0) + sink->context_room);
	if (!sample) {
		pprof_ring_produced(ring, info->source, info->weight);
		pprof_record_full(sink, info->source, info->weight);
		return false;
	}
	if (max_kernel)
		nr_kernel = add_kernel_frames(sink, sample, info->source, kernel);
	fill_current(sample, sink->target->ns, sink->session_tables, sink->max_frames, info, sink,
		     nr_kernel);
	if (labels)
		add_labels(sink, sample, current);
	if (unlikely(sink->context_room))
		add_context(sink, sample);
	emit(sink, ring, sample);
	return true;
}

/* Out of line, as most sessions have no kernel frames. */
static noinline bool sample_with_kernel(struct pprof_sink *sink,
					const struct pprof_sample_info *info,
					const struct pprof_kernel_stack *kernel)
{
	return sample_current(sink, info, sink->max_kernel, kernel);
}

bool pprof_record_sample(struct pprof_sink *sink, const struct pprof_sample_info *info)
{
	if (unlikely(sink->max_kernel))
		return sample_with_kernel(sink, info, NULL);
	return sample_current(sink, info, 0, NULL);
}

bool pprof_record_sample_from(struct pprof_sink *sink, const struct pprof_sample_info *info,
			      const struct pprof_kernel_stack *kernel)
{
	return sink->max_kernel ? sample_with_kernel(sink, info, kernel) :
				  pprof_record_sample(sink, info);
}

void pprof_record_lost(struct pprof_sink *sink, u32 source, u64 weight, u32 reason)
{
	struct pprof_ring *ring = pprof_record_ring(sink);

	pprof_ring_produced(ring, source, weight);
	pprof_ring_lost(ring, source, reason, weight);
}

void pprof_record_full(struct pprof_sink *sink, u32 class, u64 n)
{
	struct pprof_ring *ring = pprof_record_ring(sink);

	pprof_ring_lost(ring, class, PPROF_LOST_FULL, n);
	if (pprof_ring_is_due(ring))
		return;
	pprof_ring_set_urgent(ring);
	pprof_wakeup(&sink->wakeup);
}

void *pprof_record_event(struct pprof_sink *sink, struct task_struct *task, u32 type, u32 bytes)
{
	u32 class = type == PPROF_REC_FREE ? PPROF_CLASS_FREE : PPROF_CLASS_EVENT;
	struct pprof_ring *ring = pprof_record_ring(sink);
	struct pprof_event *ev;

	pprof_ring_produced(ring, class, 1);
	ev = pprof_ring_reserve(ring, bytes);
	if (!ev) {
		pprof_record_full(sink, class, 1);
		return NULL;
	}
	pprof_record_open(ev, sink->target->ns, task, type, ktime_get_mono_fast_ns());
	ev->rec.size = bytes;
	return ev;
}
