/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the rule by which the kernel's unwinder steps from one of its frames to the caller. */
#ifndef PPROF_ARCH_KERNEL_RULE_H
#define PPROF_ARCH_KERNEL_RULE_H

#if defined(__x86_64__)
#include "arch/x86/kernel_rule.h"
#else
#error "kmod/arch/ has no folder for this CPU"
#endif

#endif
