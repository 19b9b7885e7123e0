/* SPDX-License-Identifier: GPL-2.0 */
/* The register from which user code finds the variables of its thread. */
#ifndef PPROF_ARCH_THREAD_POINTER_H
#define PPROF_ARCH_THREAD_POINTER_H

#if defined(__x86_64__)
#include "arch/x86/thread_pointer.h"
#else
#error "kmod/arch/ has no folder for this CPU"
#endif

#endif
