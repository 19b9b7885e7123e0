/* SPDX-License-Identifier: GPL-2.0 */
/* What the register numbers of unwind tables mean on the CPU. */
#ifndef PPROF_ARCH_UNWIND_REGS_H
#define PPROF_ARCH_UNWIND_REGS_H

#if defined(__x86_64__)
#include "arch/x86/unwind_regs.h"
#else
#error "kmod/arch/ has no folder for this CPU"
#endif

#endif
