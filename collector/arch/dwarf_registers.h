/* SPDX-License-Identifier: GPL-2.0 */
/* Registers of the CPU: their DWARF numbers, and their places in a struct ucontext. */
#ifndef COLLECTOR_ARCH_DWARF_REGISTERS_H
#define COLLECTOR_ARCH_DWARF_REGISTERS_H

#if defined(__x86_64__)
#include "arch/x86/dwarf_registers.h"
#else
#error "collector/arch/ has no folder for this CPU"
#endif

#endif /* COLLECTOR_ARCH_DWARF_REGISTERS_H */
