/* SPDX-License-Identifier: GPL-2.0 */
/* The registers with which user code entered the kernel, as the CPU names them. */
#ifndef PPROF_ARCH_REGS_H
#define PPROF_ARCH_REGS_H

#if defined(__x86_64__)
#include "arch/x86/regs.h"
#else
#error "kmod/arch/ has no folder for this CPU"
#endif

#endif
