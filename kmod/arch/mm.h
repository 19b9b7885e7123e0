/* SPDX-License-Identifier: GPL-2.0 */
/* The memory of a process, as far as it depends on the CPU. */
#ifndef PPROF_ARCH_MM_H
#define PPROF_ARCH_MM_H

#if defined(__x86_64__)
#include "arch/x86/mm.h"
#else
#error "kmod/arch/ has no folder for this CPU"
#endif

#endif
