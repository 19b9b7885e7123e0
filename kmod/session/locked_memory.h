/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings are locked memory: they cannot be swapped. As with perf, some pages for each CPU are free
 * of charge (perf's default of perf_event_mlock_kb). Pages beyond these count for RLIMIT_MEMLOCK.
 */
#ifndef PPROF_LOCKED_MEMORY_H
#define PPROF_LOCKED_MEMORY_H

#include <linux/types.h>

struct mm_struct;
struct pprof_quota;

struct pprof_locked_memory {
	u64 pages;	/* charged to the user; 0: nothing is charged */
	u64 locked;	/* number of these pages that count for RLIMIT_MEMLOCK of mm */
	struct mm_struct *mm;	/* a reference to the struct; NULL: locked is 0 */
};

/*
 * Charges @bytes to @quota, and to current's memory. With CAP_PERFMON at open() nothing is charged.
 * Returns: 0, or -ENOMEM: over RLIMIT_MEMLOCK. Then nothing is charged.
 * Locks: takes current's mmap lock.
 * Sleeps.
 */
int pprof_locked_memory_charge(struct pprof_locked_memory *memory, struct pprof_quota *quota,
			       u64 bytes);

/*
 * Gives back what was charged. A zeroed @memory has nothing.
 * Locks: takes the mmap lock of memory->mm.
 * Sleeps.
 */
void pprof_locked_memory_uncharge(struct pprof_locked_memory *memory, struct pprof_quota *quota);

#endif
