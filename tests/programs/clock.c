// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the clock, which is code of the vDSO, in read_clock(), for SECONDS of CPU time
 * from main() on. Prints cpu_ns, the CPU time of the process.
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
