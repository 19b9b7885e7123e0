/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls in which threads wait, and which not every CPU has: those that are not in the
 * kernel's include/uapi/asm-generic/unistd.h. The folder of the CPU defines ARCH_SYSTEM_CALLS, an
 * initializer of an array. Each call has its number, its name, and a class of device/wait_class.h.
 *
 * ARCH_REFUSED_CALLS and ARCH_PARSER_CALLS are for the lists in process/syscall_filter.c, and are
 * initializers of arrays of numbers.
 */
#ifndef COLLECTOR_ARCH_SYSTEM_CALLS_H
#define COLLECTOR_ARCH_SYSTEM_CALLS_H

#if defined(__x86_64__)
#include "arch/x86/system_calls.h"
#else
#error "collector/arch/ has no folder for this CPU"
#endif

#endif /* COLLECTOR_ARCH_SYSTEM_CALLS_H */
