/* SPDX-License-Identifier: GPL-2.0 */
/* Properties of the kernel's unwinder of its own stacks. */
#ifndef PPROF_ARCH_KERNEL_UNWIND_H
#define PPROF_ARCH_KERNEL_UNWIND_H

#if defined(__x86_64__)
#include "arch/x86/kernel_unwind.h"
#else
#error "kmod/arch/ has no folder for this CPU"
#endif

#endif
