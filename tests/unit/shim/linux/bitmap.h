/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/bitops.h>

#define DECLARE_BITMAP(name, nr)	unsigned long name[((nr) + 63) / 64]

static inline void __set_bit(long nr, unsigned long *bits)
{
	test_and_set_bit(nr, bits);
}

static inline void __clear_bit(long nr, unsigned long *bits)
{
	test_and_clear_bit(nr, bits);
}

static inline unsigned long find_first_zero_bit(const unsigned long *bits, unsigned long nr)
{
	unsigned long i = 0;

	while (i < nr && test_bit(i, bits))
		i++;
	return i;
}

static inline bool bitmap_empty(const unsigned long *bits, unsigned long nr)
{
	unsigned long i = 0;

	while (i < nr && !test_bit(i, bits))
		i++;
	return i == nr;
}
