// SPDX-License-Identifier: GPL-2.0
/*
 * The program that the tests make setuid. It works for 5 ms of CPU time. It is linked to an
 * address where no other program is (0x70000000), so that each of its addresses is known.
 */
#include <time.h>

int main(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 200;

	while (clock() < end)
		;
	return 0;
}
