/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NAMES_BOTH_HH
#define NAMES_BOTH_HH

int second(int x);

template <typename T> inline T twice(T x)
{
	return x * 2;
}

#endif /* NAMES_BOTH_HH */
