// SPDX-License-Identifier: GPL-2.0
/*
 * Burns CPU in one place, makes itself undumpable, and burns as much in another.
 *
 *	hides SECONDS
 */
#include <sys/prctl.h>

#include "load.h"

static KEEP void open_work(uint64_t end_ns)
{
	while (cpu_ns() < end_ns)
		spin(SLICE);
}

static KEEP void hidden_work(uint64_t end_ns)
{
	while (cpu_ns() < end_ns)
		spin(SLICE);
}

int main(int argc, char **argv)
{
	uint64_t ns;

	if (argc != 2)
		usage("hides SECONDS");
	ns = arg_seconds(argv[1]);
	open_work(ns);
	if (prctl(PR_SET_DUMPABLE, 0UL)) {
		perror("PR_SET_DUMPABLE");
		return 1;
	}
	hidden_work(2 * ns);
	return 0;
}
