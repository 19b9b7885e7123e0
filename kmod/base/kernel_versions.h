/* SPDX-License-Identifier: GPL-2.0 */
/* What is known of kernels by their versions, as of KERNEL_VERSION(). Pure. */
#ifndef PPROF_KERNELS_H
#define PPROF_KERNELS_H

#include <linux/types.h>
#include <linux/version.h>

/* The first and the last release that all tests have passed on. */
#define PPROF_TESTED_KERNELS	"5.10 to 7.3"

static inline bool pprof_kernel_is_tested(u32 version)
{
	return version >= KERNEL_VERSION(5, 10, 0) && version < KERNEL_VERSION(7, 4, 0);
}

/*
 * 6.6 has shadow stacks, and does not tell them of the return address that a uprobe puts
 * in another's place, until 1713b63a07a2 ("x86/shstk: Make return uprobe work with shadow
 * stack") in 6.11, 6.10.3 and 6.6.44.
 */
static inline bool pprof_shadow_stacks_are_told(u32 version)
{
	if (version < KERNEL_VERSION(6, 7, 0))
		return version < KERNEL_VERSION(6, 6, 0) || version >= KERNEL_VERSION(6, 6, 44);
	return version >= KERNEL_VERSION(6, 10, 3);
}

/*
 * Do uprobes that await a return leave programs alone, on a CPU that has shadow stacks
 * for them, or not? 6.11 returns by a system call, since ff474a78cef5 ("uprobe: Add
 * uretprobe syscall to speed up return probe"), which a program's seccomp filter does not
 * know until cf6cb56ef244 ("seccomp: passthrough uretprobe systemcall without filtering")
 * in 6.14, 6.13.3 and 6.12.14. Any context.
 */
static inline bool pprof_uprobes_are_safe(u32 version, bool has_shadow_stacks)
{
	if (version < KERNEL_VERSION(6, 11, 0))
		return !has_shadow_stacks || pprof_shadow_stacks_are_told(version);
	if (version < KERNEL_VERSION(6, 13, 0))
		return version >= KERNEL_VERSION(6, 12, 14);
	return version >= KERNEL_VERSION(6, 13, 3);
}

#endif
