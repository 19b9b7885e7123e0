/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_CACHE_H
#define SHIM_CACHE_H

#include <linux/types.h>

#define L1_CACHE_BYTES	64
#define ____cacheline_aligned_in_smp	__aligned(64)

#endif
