/* SPDX-License-Identifier: GPL-2.0 */
/* Breakpoints (uprobes) in user programs, set and cleared where no signal reaches. */
#ifndef PPROF_BREAKPOINTS_H
#define PPROF_BREAKPOINTS_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/uprobes.h>

#include "heap/probe_list.h"

struct pprof_breakpoint {
	struct uprobe_consumer consumer;
	struct uprobe *uprobe;
	const struct pprof_probe *probe;
	void *owner;				/* the caller's, for its handlers */
};

struct pprof_breakpoints {
	/*
	 * They are about to be cleared: handlers should not ask for a removal any more
	 * (UPROBE_HANDLER_REMOVE, nor IGNORE, which is the same in 6.12).
	 */
	bool ending;
	u32 nr_set;	/* the first so many */
	u32 nr_last;	/* the first so many are cleared after settle() */
	u32 nr;
	/* All others are cleared, and their handlers have ended. In the worker; may sleep. */
	void (*settle)(struct pprof_breakpoints *breakpoints);
	struct pprof_breakpoint list[];
};

/* Once, for all. May sleep. -ENOMEM. */
int pprof_breakpoints_init(void);
void pprof_breakpoints_exit(void);

/*
 * The list was filled, but for uprobe. Sets all of them, in order, until one fails with
 * an error of uprobe_register(): clear them also then. May sleep, for as long as
 * somebody holds the mmap lock of a process that maps one of the files; no mmap lock is
 * held.
 */
int pprof_breakpoints_set(struct pprof_breakpoints *breakpoints);

/*
 * Clears them, the last one first. When it returns no handler runs, or will. Context
 * as above.
 */
void pprof_breakpoints_clear(struct pprof_breakpoints *breakpoints);

/*
 * Are all of this kind there that are in the same file as @near, whose breakpoint in
 * current's memory is at @ip, and is there one? The kernel sets none where memory is
 * low, or while code is written, and says so to nobody. Those of one file are as far
 * from one another as in it. A context of current's own that may sleep: in a handler, as
 * long as the page takes, as the kernel's own look at the stack does there.
 */
bool pprof_breakpoints_are_there(const struct pprof_breakpoints *breakpoints, u32 kind,
				 const struct pprof_probe *near, u64 ip);

/* What a handler may answer now; @verdict is what it wants to. Any context. */
static inline int pprof_breakpoints_verdict(const struct pprof_breakpoints *breakpoints,
					    int verdict)
{
	return READ_ONCE(breakpoints->ending) ? 0 : verdict;
}

#endif
