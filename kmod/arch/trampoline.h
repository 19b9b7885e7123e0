/* SPDX-License-Identifier: GPL-2.0 */
/* Recognises gcc's trampolines for nested functions, by their bytes. */
#ifndef PPROF_ARCH_TRAMPOLINE_H
#define PPROF_ARCH_TRAMPOLINE_H

#if defined(__x86_64__)
#include "arch/x86/trampoline.h"
#else
#error "kmod/arch/ has no folder for this CPU"
#endif

#endif
