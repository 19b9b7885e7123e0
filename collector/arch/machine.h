/* SPDX-License-Identifier: GPL-2.0 */
/* How ELF files, the kernel and messages name the CPU. */
#ifndef COLLECTOR_ARCH_MACHINE_H
#define COLLECTOR_ARCH_MACHINE_H

#if defined(__x86_64__)
#include "arch/x86/machine.h"
#else
#error "collector/arch/ has no folder for this CPU"
#endif

#endif /* COLLECTOR_ARCH_MACHINE_H */
