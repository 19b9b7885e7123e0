/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PPROF_ARCH_X86_SHADOW_STACK_H
#define PPROF_ARCH_X86_SHADOW_STACK_H

#include <linux/sched.h>
#include <linux/types.h>

#include <asm/cpufeature.h>
#include <asm/prctl.h>

/*
 * Can threads have a shadow stack here? Kernels before 6.6 do not know the feature.
 * Context of both functions: any.
 */
static inline bool pprof_arch_has_shadow_stacks(void)
{
#ifdef X86_FEATURE_USER_SHSTK
	return cpu_feature_enabled(X86_FEATURE_USER_SHSTK);
#else
	return false;
#endif
}

/* Does current have a shadow stack? */
static inline bool pprof_arch_has_shadow_stack(void)
{
#ifdef CONFIG_X86_USER_SHADOW_STACK
	return current->thread.features & ARCH_SHSTK_SHSTK;
#else
	return false;
#endif
}

#endif
