/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PPROF_REGS_H
#define PPROF_REGS_H

#include <linux/types.h>

struct return_instance;

/* The user registers of a task. */
struct pprof_regs {
	u64 ip;
	u64 sp;
	u64 fp;
	/* In the order of struct pt_regs; the memory outlives the walk */
	const unsigned long *all;
	/* current's calls with a uretprobe, as pprof_uretprobe_return() takes them */
	const struct return_instance *uretprobes;
	bool compat;			/* 32-bit code */
	/* An exception of user code is being handled, maybe a uprobe's breakpoint */
	bool in_exception;
};

#endif
