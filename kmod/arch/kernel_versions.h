/* SPDX-License-Identifier: GPL-2.0 */
/* Which kernel versions have a known fault on this CPU alone. */
#ifndef PPROF_ARCH_KERNEL_VERSIONS_H
#define PPROF_ARCH_KERNEL_VERSIONS_H

#if defined(__x86_64__)
#include "arch/x86/kernel_versions.h"
#else
#error "kmod/arch/ has no folder for this CPU"
#endif

#endif
