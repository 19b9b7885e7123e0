/* SPDX-License-Identifier: GPL-2.0 */
/* The code to which calls with a uretprobe return. */
#ifndef PPROF_ARCH_URETPROBE_CODE_H
#define PPROF_ARCH_URETPROBE_CODE_H

#if defined(__x86_64__)
#include "arch/x86/uretprobe_code.h"
#else
#error "kmod/arch/ has no folder for this CPU"
#endif

#endif
