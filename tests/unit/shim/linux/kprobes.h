/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_KPROBES_H
#define SHIM_KPROBES_H

#include <linux/ptrace.h>

#define KPROBE_FLAG_DISABLED	2

struct kprobe {
	const char *symbol_name;
	void *addr;
	int (*pre_handler)(struct kprobe *probe, struct pt_regs *regs);
	u32 flags;
};

#define NOKPROBE_SYMBOL(function)	extern int shim_nokprobe_##function

/* The test defines these. */
int register_kprobe(struct kprobe *probe);
int enable_kprobe(struct kprobe *probe);
void unregister_kprobe(struct kprobe *probe);

#endif
