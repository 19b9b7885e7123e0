/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_BITOPS_H
#define SHIM_BITOPS_H

#include <linux/compiler.h>
#include <linux/types.h>

#define BITS_PER_BYTE	8
#define __ffs(word)	((unsigned long)__builtin_ctzl(word))
#define ffz(word)	__ffs(~(word))

static inline bool test_bit(long nr, const unsigned long *bits)
{
	return bits[nr / 64] >> nr % 64 & 1;
}

static inline bool test_and_set_bit(long nr, unsigned long *bits)
{
	bool was = test_bit(nr, bits);

	bits[nr / 64] |= 1UL << nr % 64;
	return was;
}

static inline bool test_and_clear_bit(long nr, unsigned long *bits)
{
	bool was = test_bit(nr, bits);

	bits[nr / 64] &= ~(1UL << nr % 64);
	return was;
}

#endif
