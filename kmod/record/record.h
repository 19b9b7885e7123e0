/* SPDX-License-Identifier: GPL-2.0 */
/* Where sources put what they find: the hot path that all of them share. */
#ifndef PPROF_RECORD_H
#define PPROF_RECORD_H

#include <linux/cache.h>
#include <linux/sched.h>

#include "base/compat.h"
#include "base/exec_id.h"
#include "ring/ring_pages.h"
#include "unwind/session_tables.h"
#include "unwind/stack.h"
#include "record/sched_switch.h"
#include "record/target.h"
#include "record/sent_labels.h"
#include "ring/wakeup.h"

struct pprof_probes;

/*
 * All that a source sees of a session. Everything but the rings' contents is
 * constant while a source runs; and but the wake-up, which is apart from what every
 * CPU reads as it switches.
 */
struct pprof_sink {
	struct pprof_ringmem *rings;	/* by CPU */
	struct pprof_told *told;	/* by CPU: used there, interrupts off */
	struct pprof_target *target;
	struct pprof_spaces *spaces;	/* NULL: frame pointers, not tables */
	const struct pprof_probes *probes;	/* of the source heap; NULL: none yet */
	struct pprof_switches switches;
	atomic64_t last_object;		/* numbers those of the source heap, over its restarts */
	u64 only_image;	/* that the target may execute; 0: hooks follow what it does */
	u32 max_frames;
	bool trusted;	/* by who attached the targets, to look into every process */
	/*
	 * Likewise, where the right to trace those that are not dumpable was asked for:
	 * NULL: nowhere, or not for all. A reference, to compare; but for the trusted.
	 */
	struct user_namespace *traced;
	struct pprof_wakeup wakeup ____cacheline_aligned_in_smp;
};

/*
 * The functions below run with interrupts off, on the CPU whose ring they
 * write; they never sleep, lock, allocate or print. What doesn't fit is counted
 * as lost.
 */

/* What a source knows of a sample: see struct pprof_sample. */
struct pprof_happening {
	u64 time_ns;
	u64 weight;
	u64 arg;
	u64 value;
	u16 source;
};

/*
 * A sample of current's user stack. False: it was lost; or current is dead, and nothing is
 * told of it.
 */
bool pprof_record_sample(struct pprof_sink *sink, const struct pprof_happening *what);

/* Counts @weight of a source, which could not be sampled, as produced and lost for PPROF_LOST_*. */
void pprof_record_lost(struct pprof_sink *sink, u32 source, u64 weight, u32 reason);

/*
 * Counts @n of PPROF_SOURCE_* or PPROF_CLASS_*, already counted as produced, as lost to a full
 * ring. Its reader is due then: there are watermarks that no ring gets to, as what has no
 * room is larger than what is free. Interrupts are off.
 */
void pprof_record_full(struct pprof_sink *sink, u32 class, u64 n);

/*
 * A sample in three steps, for who does not want it lost: room for one, NULL if
 * there is none now; what is in it; its being told. Between the steps the caller
 * may give up, and nothing was produced.
 */
struct pprof_sample *pprof_record_reserve(struct pprof_sink *sink);
/*
 * Of @task, with these user registers (NULL: none worth reading). It is current, or
 * current uses its mm; it was seen alive in this RCU read section.
 */
void pprof_record_fill_task(struct pprof_sink *sink, struct pprof_sample *sample,
			    struct task_struct *task, const struct pprof_regs *regs,
			    const struct pprof_happening *what);
void pprof_record_tell(struct pprof_sink *sink, struct pprof_sample *sample);

/*
 * May the session read @mm, the memory of @task, which is a target? A new ptrace would ask
 * the same: the target may have become undumpable since it was attached, or may execute a
 * program that its user cannot read. Context: any.
 */
static inline bool pprof_record_may_read(const struct pprof_sink *sink,
					 const struct task_struct *task, struct mm_struct *mm)
{
	return pprof_is_dumpable(task, mm) || READ_ONCE(sink->trusted) ||
	       pprof_is_in_user_ns(task, mm, READ_ONCE(sink->traced));
}

/*
 * Is a target with @image still the one that was attached? Without hooks nobody removes
 * what has executed something else, or has ended and left its pid to another. An exec is
 * counted before anything of the new program runs. Any context.
 */
static inline bool pprof_record_is_followed(const struct pprof_sink *sink, u64 image)
{
	return !sink->only_image || image == sink->only_image;
}

/*
 * A sample of current into @sample, which has room for @max_frames frames,
 * found by @spaces (NULL: by frame pointers); its pids are those of @ns.
 */
void pprof_record_fill_sample(struct pprof_sample *sample, struct pid_namespace *ns,
			      const struct pprof_spaces *spaces, u32 max_frames,
			      const struct pprof_happening *what);

/*
 * Room for a life record, or one of a free, of @bytes about @task, opened and counted as produced;
 * NULL: counted as lost. pprof_record_commit() hands it over.
 */
void *pprof_record_life(struct pprof_sink *sink, struct task_struct *task, u32 type, u32 bytes);

/*
 * Opens an event of @type about @task, at @time_ns; its size is the caller's to
 * set.
 */
void pprof_record_open(struct pprof_event *ev, struct pid_namespace *ns,
		       struct task_struct *task, u32 type, u64 time_ns);

void pprof_record_commit(struct pprof_sink *sink, void *record);

/* This CPU's ring. */
struct pprof_ring *pprof_record_ring(struct pprof_sink *sink);

#endif
