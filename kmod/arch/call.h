/* SPDX-License-Identifier: GPL-2.0 */
/* Recognises calls by their bytes. */
#ifndef PPROF_ARCH_CALL_H
#define PPROF_ARCH_CALL_H

#if defined(__x86_64__)
#include "arch/x86/call.h"
#else
#error "kmod/arch/ has no folder for this CPU"
#endif

#endif
