/* SPDX-License-Identifier: GPL-2.0 */
/* Shadow stacks: the CPU compares return addresses with copies of its own. */
#ifndef PPROF_ARCH_SHADOW_STACK_H
#define PPROF_ARCH_SHADOW_STACK_H

#if defined(__x86_64__)
#include "arch/x86/shadow_stack.h"
#else
#error "kmod/arch/ has no folder for this CPU"
#endif

#endif
