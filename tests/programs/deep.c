// SPDX-License-Identifier: GPL-2.0
/*
 * Works at a known call depth. main, descend (N - 2 times) and spin are N frames. Prints
 * depth, which is N, and cpu_ns, the CPU time of the process.
 *
 *	deep [--depth N] [SECONDS]
 *
 * N is 20 if it is left out. Without SECONDS it runs until it is killed.
 */
#include <inttypes.h>
#include <string.h>

#include "program.h"

static uint64_t end_ns = UINT64_MAX;

static KEEP void descend(unsigned int frames)
{
	if (frames > 1) {
		descend(frames - 1);
		return;
	}
	/* Long slices: almost no sample may hit the code that reads the clock. */
	do {
		spin(10 * SLICE);
	} while (cpu_ns() < end_ns);
}

int main(int argc, char **argv)
{
	unsigned int depth = 20;

	if (argc > 2 && !strcmp(argv[1], "--depth")) {
		depth = arg_scaled(argv[2], 1, 3, 10000);
		argc -= 2;
		argv += 2;
	}
	if (argc > 2 || (argc == 2 && argv[1][0] == '-'))
		usage("deep [--depth N] [SECONDS]");
	if (argc == 2)
		end_ns = cpu_ns() + arg_seconds(argv[1]);

	descend(depth - 2);
	printf("depth=%u\ncpu_ns=%" PRIu64 "\n", depth, cpu_ns());
	return 0;
}
