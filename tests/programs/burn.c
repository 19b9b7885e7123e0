// SPDX-License-Identifier: GPL-2.0
/*
 * Burns CPU in one place: main, burn, spin.
 *
 *	burn SECONDS
 *	burn slices COUNT
 *
 * SECONDS are from main on: what the start of a program takes differs between kernels.
 * COUNT is of some 0.1 ms of work each; they are burnt twice, and of the second time it
 * is told how long it took by the wall clock.
 */
#include <inttypes.h>
#include <string.h>

#include "program.h"

static KEEP void burn(uint64_t end_ns)
{
	spin_until(end_ns);
}

/* What others do as it starts is done when it is measured. */
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
