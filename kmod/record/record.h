/* SPDX-License-Identifier: GPL-2.0 */
/* The way from a source to a ring. All sources share this hot path. */
#ifndef PPROF_RECORD_H
#define PPROF_RECORD_H

#include <linux/cache.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>

#include "base/compat.h"
#include "base/exec_id.h"
#include "ring/ring_pages.h"
#include "unwind/kernel_stack.h"
#include "unwind/session_tables.h"
#include "unwind/stack.h"
#include "record/sched_switch.h"
#include "record/target.h"
#include "record/sent_labels.h"
#include "record/thread_context.h"
#include "ring/wakeup.h"

struct pprof_probe_list;

/*
 * The part of a session that a source uses. While a source runs, these fields change: the rings'
 * contents, the label sets sent, switches, last_object and wakeup. The field wakeup has a cache
 * line of its own: every CPU reads the fields before it at each context switch.
 */
struct pprof_sink {
	struct pprof_ring_pages *rings;	/* by CPU */
	/* By CPU: label sets that were sent; used on that CPU, interrupts off */
	struct pprof_sent_labels *sent_labels;
	struct pprof_target *target;
	struct pprof_session_tables *session_tables;	/* NULL: unwind by frame pointers */
	const struct pprof_probe_list *probes;	/* of source HEAP; NULL: none yet */
	struct pprof_switches switches;
	/* Last number of an object of source HEAP; goes on when the source restarts */
	atomic64_t last_object;
	/*
	 * Of a snapshot: its only target, a reference, and that target's exec id. NULL: process
	 * events follow the targets
	 */
	struct pid *only_process;
	u64 only_exec_id;
	u32 max_frames;		/* of a user stack */
	u32 max_kernel;		/* frames of the kernel in addition; 0: none */
	u32 context_room;	/* bytes of a sample for the thread context; 0: samples have none */
	bool shares_frames;	/* samples leave out frames: PPROF_SETUP_SHARED */
	bool trusted;	/* all callers of ATTACH were trusted: see pprof_access_is_trusted() */
	bool sees_calls;	/* all of these callers may see their targets' system calls */
	/*
	 * The user namespace of all targets that callers without CAP_PERFMON attached, if these
	 * callers had CAP_SYS_PTRACE there. The session may read memory of that namespace that is
	 * not dumpable. NULL: none, or several. It is a reference, only to be compared. Not used if
	 * trusted is set.
	 */
	struct user_namespace *traced;
	struct pprof_wakeup wakeup ____cacheline_aligned_in_smp;
};

/*
 * Context of the functions below: interrupts off, on the CPU of the ring that they write. They do
 * not sleep, lock, allocate or print. A record without room is counted as lost.
 */

/* The values that a source passes for a sample. See struct pprof_sample. */
struct pprof_sample_info {
	u64 time_ns;
	u64 weight;
	u64 arg;
	u64 value;
	u16 source;
};

/*
 * Writes a sample of current's user stack.
 * Returns: false if it was lost, or if current is dead: then nothing is counted.
 */
bool pprof_record_sample(struct pprof_sink *sink, const struct pprof_sample_info *info);

/*
 * The same, but with these frames of the kernel. A session without kernel frames ignores them.
 */
bool pprof_record_sample_from(struct pprof_sink *sink, const struct pprof_sample_info *info,
			      const struct pprof_kernel_stack *kernel);

/*
 * Counts @weight of a source, which could not be sampled, as produced, and as lost for
 * PPROF_LOST_*.
 */
void pprof_record_lost(struct pprof_sink *sink, u32 source, u64 weight, u32 reason);

/*
 * Counts @n of a class as lost to a full ring. The caller has counted them as produced. It also
 * wakes the reader: a ring with no room for a large record may still be below its watermark.
 */
void pprof_record_full(struct pprof_sink *sink, u32 class, u64 n);

/*
 * Three steps to write a sample that must not be lost: reserve, fill, send. The caller may give up
 * between the steps. Then nothing is counted.
 *
 * pprof_record_reserve() returns room for a sample, or NULL: there is no room now.
 */
struct pprof_sample *pprof_record_reserve(struct pprof_sink *sink);

/*
 * Fills the sample of @task. @regs are its user registers; NULL: none to read. @task is current, or
 * current uses its mm. The caller has seen @task alive in this RCU read section.
 */
void pprof_record_fill_task(struct pprof_sink *sink, struct pprof_sample *sample,
			    struct task_struct *task, const struct pprof_regs *regs,
			    const struct pprof_sample_info *info);

/* Counts the sample as produced, and sends it. */
void pprof_record_emit(struct pprof_sink *sink, struct pprof_sample *sample);

/*
 * May the session read @mm, the memory of the target @task? A new ptrace would ask the same. Since
 * ATTACH the target may have become undumpable, or may have called exec of a program that its user
 * cannot read.
 * Locks: @task is current, or the caller holds the RCU read lock.
 */
static inline bool pprof_record_may_read(const struct pprof_sink *sink,
					 const struct task_struct *task, struct mm_struct *mm)
{
	return pprof_is_dumpable(task, mm) || READ_ONCE(sink->trusted) ||
	       pprof_is_in_user_ns(task, mm, READ_ONCE(sink->traced));
}

/*
 * Is the target @task still the process that was attached, and in the same run of a program? With
 * PPROF_SETUP_SNAPSHOT no hook removes a target that calls exec, or that ends and leaves its pid to
 * another process. The exec id alone does not tell them apart: a process chooses how many execs it
 * calls, and its children begin with that number. A process keeps its struct pid, and no other
 * process gets it. The kernel counts an exec before any code of the new program runs.
 *
 * The caller has seen @task alive in this RCU read section.
 * Context: any.
 */
static inline bool pprof_record_is_followed(const struct pprof_sink *sink, struct task_struct *task)
{
	const struct pid *only = READ_ONCE(sink->only_process);

	return !only || (task_tgid(task) == only &&
			 pprof_exec_id(task) == READ_ONCE(sink->only_exec_id));
}

/*
 * Fills a sample of current. @sample has room for @max_frames frames. @session_tables has the
 * ranges of the processes; NULL: unwind by frame pointers. Pids are numbers of @ns.
 */
void pprof_record_fill_sample(struct pprof_sample *sample, struct pid_namespace *ns,
			      const struct pprof_session_tables *session_tables, u32 max_frames,
			      const struct pprof_sample_info *info);

/*
 * Reserves and opens a record of @bytes about @task: a process event, or PPROF_REC_FREE. Counts it
 * as produced. pprof_record_commit() sends it.
 * Returns: the record, or NULL: it was counted as lost.
 */
void *pprof_record_event(struct pprof_sink *sink, struct task_struct *task, u32 type, u32 bytes);

/* Fills in the first part of a record. The caller sets its size. */
void pprof_record_open(struct pprof_event *ev, struct pid_namespace *ns,
		       struct task_struct *task, u32 type, u64 time_ns);

/* Sends the record. If the ring reaches its watermark by it, this wakes the reader. */
void pprof_record_commit(struct pprof_sink *sink, void *record);

/* Returns this CPU's ring. */
struct pprof_ring *pprof_record_ring(struct pprof_sink *sink);

#endif
