// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the clock, which is code of the vdso, for SECONDS of CPU from main on.
 *
 *	clock SECONDS
 */
#include <inttypes.h>

#include "program.h"

#define READS	10000

static KEEP void read_clock(uint64_t end_ns)
{
	while (cpu_ns() < end_ns)
		for (int i = 0; i < READS; i++)
			clock_ns(CLOCK_MONOTONIC);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		usage("clock SECONDS");
	read_clock(cpu_ns() + arg_seconds(argv[1]));
	printf("cpu_ns=%" PRIu64 "\n", cpu_ns());
	return 0;
}
