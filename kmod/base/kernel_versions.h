/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which kernel versions are tested. Versions are KERNEL_VERSION() values. No function here has side
 * effects. Versions with a fault on one CPU alone are in arch/kernel_versions.h.
 */
#ifndef PPROF_KERNEL_VERSIONS_H
#define PPROF_KERNEL_VERSIONS_H

#include <linux/types.h>
#include <linux/version.h>

/* The first and the last release on which all tests passed */
#define PPROF_TESTED_KERNELS	"5.10 to 7.3"

static inline bool pprof_kernel_is_tested(u32 version)
{
	return version >= KERNEL_VERSION(5, 10, 0) && version < KERNEL_VERSION(7, 4, 0);
}

#endif
