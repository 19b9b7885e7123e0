/* SPDX-License-Identifier: GPL-2.0 */
/* Uprobes in user programs. A worker adds and removes them, because no signal can stop it. */
#ifndef PPROF_UPROBES_H
#define PPROF_UPROBES_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/uprobes.h>

#include "heap/probe_list.h"

struct pprof_uprobe {
	struct uprobe_consumer consumer;
	struct uprobe *uprobe;
	const struct pprof_probe *probe;
	void *owner;				/* the caller's data, for its handlers */
};

struct pprof_uprobes {
	/*
	 * Removal is about to begin. Handlers must not ask for a removal any more: neither
	 * UPROBE_HANDLER_REMOVE, nor IGNORE, which is the same in 6.12.
	 */
	bool ending;
	u32 nr_set;	/* number of registered uprobes: the first nr_set entries of the list */
	u32 nr_last;	/* the first nr_last entries of the list are removed after settle() */
	u32 nr;		/* of entries in the list */
	/*
	 * Called when the uprobes after the first nr_last are removed, and their handlers have
	 * ended.
	 * Context: the worker. Sleeps.
	 */
	void (*settle)(struct pprof_uprobes *uprobes);
	struct pprof_uprobe list[];
};

/*
 * Creates the worker of the module.
 * Returns: 0, or -ENOMEM.
 * Sleeps.
 */
int pprof_uprobes_init(void);

/*
 * Ends the worker. No uprobe of the module is left.
 * Sleeps.
 */
void pprof_uprobes_exit(void);

/*
 * Registers all uprobes of the list, in order, until one fails. The caller has filled all fields of
 * the list, except uprobe. After an error the caller calls pprof_uprobes_clear().
 * Returns: 0, or an error of uprobe_register().
 * Locks: the caller holds no mmap lock.
 * Sleeps, as long as another task holds the mmap lock of a process that maps one of the files.
 */
int pprof_uprobes_set(struct pprof_uprobes *uprobes);

/*
 * Removes all uprobes, the last one first. When it returns, no handler runs.
 * Locks: the caller holds no mmap lock.
 * Sleeps, as pprof_uprobes_set() does.
 */
void pprof_uprobes_clear(struct pprof_uprobes *uprobes);

/*
 * Does the file of @near have a uprobe of @function, and are all of them in current's memory? The
 * uprobe of @near is at @ip there. The others are as far from it in memory as in the file. The
 * kernel places no uprobe where memory is low, or while code is written, and reports no error.
 * Context: current may sleep. A handler may call it. It then waits for a page, as the kernel's own
 * access to the stack does.
 */
bool pprof_uprobes_are_installed(const struct pprof_uprobes *uprobes, u32 function,
				 const struct pprof_probe *near, u64 ip);

/*
 * Returns what a handler must answer: @verdict, or 0 if ending is set.
 * Context: any.
 */
static inline int pprof_uprobes_verdict(const struct pprof_uprobes *uprobes, int verdict)
{
	return READ_ONCE(uprobes->ending) ? 0 : verdict;
}

#endif
