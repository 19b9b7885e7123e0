/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_HASH_H
#define SHIM_HASH_H

#include <linux/types.h>

/* A test wants to know what falls together: pages of the same number. */
static inline u32 hash_64(u64 value, unsigned int bits)
{
	return value >> 12 & ((1U << bits) - 1);
}

#endif
