/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PPROF_REGS_H
#define PPROF_REGS_H

#include <linux/types.h>

struct return_instance;

/* The user registers of a task. */
struct pprof_regs {
	u64 ip;
	u64 sp;
	u64 bp;
	const unsigned long *all;	/* in the order of struct pt_regs; they outlive the walk */
	const struct return_instance *awaited;	/* for pprof_awaited_return() */
	bool compat;			/* 32-bit code */
};

#endif
