/* SPDX-License-Identifier: GPL-2.0 */
#define GOLDEN_RATIO_64		0x61c8864680b583ebULL
#define hash_64(value, bits)	((u32)(((u64)(value) * GOLDEN_RATIO_64) >> (64 - (bits))))
#define hash_ptr(at, bits)	hash_64((uintptr_t)(at), bits)
