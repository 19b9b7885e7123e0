// SPDX-License-Identifier: GPL-2.0
/*
 * A program to be made setuid, that works for some ms. It is linked where
 * nothing else ever is, so that each of its addresses gives it away.
 */
#include <time.h>

int main(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 200;

	while (clock() < end)
		;
	return 0;
}
