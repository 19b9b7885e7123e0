// SPDX-License-Identifier: GPL-2.0
#include "session/locked_memory.h"

#include <linux/cpumask.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>

#include "base/user_quota.h"

/* perf's default, 516 KiB, and one page: a ring has two pages beside its data, perf's has one. */
#define FREE_PAGES	((u64)(520 * 1024 / PAGE_SIZE))

/* Returns how many of @pages are beyond the free ones. */
static u64 count_locked(struct pprof_quota *quota, u64 pages)
{
	u64 all = pprof_quota_add_pages(quota, pages), free = num_possible_cpus() * FREE_PAGES;

	return all > free ? min(pages, all - free) : 0;
}

int pprof_locked_memory_charge(struct pprof_locked_memory *memory, struct pprof_quota *quota,
			       u64 bytes)
{
	u64 pages = DIV_ROUND_UP(bytes, PAGE_SIZE), locked;
	int err;

	if (pprof_quota_is_privileged(quota))
		return 0;
	locked = count_locked(quota, pages);
	err = locked ? account_locked_vm(current->mm, locked, true) : 0;
	if (err) {
		pprof_quota_sub_pages(quota, pages);
		return err;
	}
	if (locked) {
		mmgrab(current->mm);
		memory->mm = current->mm;
	}
	memory->pages = pages;
	memory->locked = locked;
	return 0;
}

void pprof_locked_memory_uncharge(struct pprof_locked_memory *memory, struct pprof_quota *quota)
{
	if (memory->mm) {
		account_locked_vm(memory->mm, memory->locked, false);
		mmdrop(memory->mm);
	}
	if (memory->pages)
		pprof_quota_sub_pages(quota, memory->pages);
	*memory = (struct pprof_locked_memory) { 0 };
}
