/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_NOSPEC_H
#define SHIM_NOSPEC_H

#include <linux/types.h>

u64 shim_clamp(u64 index, u64 size);

#define array_index_nospec(index, size)	shim_clamp(index, size)

#endif
