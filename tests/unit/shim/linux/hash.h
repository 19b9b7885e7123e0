/* SPDX-License-Identifier: GPL-2.0 */
#define hash_64(value, bits)	((u32)(((u64)(value) * 0x61c8864680b583ebULL) >> (64 - (bits))))
