// SPDX-License-Identifier: GPL-2.0
/*
 * Burns CPU in one stack: main, burn, spin; or main, burn_slices, spin.
 *
 *	burn SECONDS		prints cpu_ns, the CPU time of the process
 *	burn slices COUNT	does COUNT slices of some 0.1 ms of work, twice, and
 *				prints elapsed_ns, the wall time of the second pass
 *
 * SECONDS count from main() on: the CPU time that the start of a program takes differs
 * between kernels.
 */
#include <inttypes.h>
#include <string.h>

#include "program.h"

static KEEP void burn(uint64_t end_ns)
{
	spin_until(end_ns);
}

/* The first pass is a warm-up: meanwhile a profiler finishes the work that a start causes. */
static KEEP uint64_t burn_slices(uint64_t nr)
{
	uint64_t begin_ns = 0;

	for (int i = 0; i < 2; i++) {
		begin_ns = clock_ns(CLOCK_MONOTONIC);
		for (uint64_t n = 0; n < nr; n++)
			spin(SLICE);
	}
	return clock_ns(CLOCK_MONOTONIC) - begin_ns;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "slices")) {
		printf("elapsed_ns=%" PRIu64 "\n", burn_slices(arg_count(argv[2])));
		return 0;
	}
	if (argc != 2)
		usage("burn SECONDS | burn slices COUNT");
	burn(cpu_ns() + arg_seconds(argv[1]));
	printf("cpu_ns=%" PRIu64 "\n", cpu_ns());
	return 0;
}
