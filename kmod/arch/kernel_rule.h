/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's unwinder of its own stacks. */
#ifndef PPROF_ARCH_KERNEL_RULE_H
#define PPROF_ARCH_KERNEL_RULE_H

#if defined(__x86_64__)
#include "arch/x86/kernel_rule.h"
#else
#error "kmod/arch/ has no folder for this CPU"
#endif

#endif
