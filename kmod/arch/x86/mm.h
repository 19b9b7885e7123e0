/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PPROF_ARCH_X86_MM_H
#define PPROF_ARCH_X86_MM_H

#include <linux/types.h>

#include <asm/mmu_context.h>

/* Has @mm a program of 32-bit code? Context: any. */
static inline bool pprof_arch_is_compat_mm(struct mm_struct *mm)
{
	return !is_64bit_mm(mm);
}

#endif
