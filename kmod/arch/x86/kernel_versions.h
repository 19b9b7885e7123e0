/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Versions are KERNEL_VERSION() values. No function here has side effects.
 * Context of all functions here: any.
 */
#ifndef PPROF_ARCH_X86_KERNEL_VERSIONS_H
#define PPROF_ARCH_X86_KERNEL_VERSIONS_H

#include <linux/types.h>
#include <linux/version.h>

/*
 * Do uretprobes of this version work with shadow stacks? Shadow stacks came with 6.6. A uretprobe
 * replaced the return address on the stack, but not on the shadow stack. 1713b63a07a2 ("x86/shstk:
 * Make return uprobe work with shadow stack") in 6.11, 6.10.3 and 6.6.44 corrects that.
 */
static inline bool pprof_arch_uretprobes_know_shadow_stacks(u32 version)
{
	if (version < KERNEL_VERSION(6, 7, 0))
		return version < KERNEL_VERSION(6, 6, 0) || version >= KERNEL_VERSION(6, 6, 44);
	return version >= KERNEL_VERSION(6, 10, 3);
}

/*
 * Do uretprobes leave programs alone? Two faults of kernels end the program:
 * - The shadow stack differs from the stack: see pprof_arch_uretprobes_know_shadow_stacks().
 * - From 6.11 on a uretprobe returns by a system call, since ff474a78cef5 ("uprobe: Add uretprobe
 *   syscall to speed up return probe"). A seccomp filter of the program refuses it until
 *   cf6cb56ef244 ("seccomp: passthrough uretprobe systemcall without filtering") in 6.14, 6.13.3
 *   and 6.12.14.
 */
static inline bool pprof_arch_uprobes_are_safe(u32 version, bool has_shadow_stacks)
{
	if (version < KERNEL_VERSION(6, 11, 0))
		return !has_shadow_stacks || pprof_arch_uretprobes_know_shadow_stacks(version);
	if (version < KERNEL_VERSION(6, 13, 0))
		return version >= KERNEL_VERSION(6, 12, 14);
	return version >= KERNEL_VERSION(6, 13, 3);
}

#endif
