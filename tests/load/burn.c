// SPDX-License-Identifier: GPL-2.0
/*
 * Burns CPU in one place: main, burn, spin.
 *
 *	burn SECONDS
 */
#include <inttypes.h>

#include "load.h"

static KEEP void burn(uint64_t end_ns)
{
	while (cpu_ns() < end_ns)
		spin(SLICE);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		usage("burn SECONDS");
	burn(arg_seconds(argv[1]));
	printf("cpu_ns=%" PRIu64 "\n", cpu_ns());
	return 0;
}
