// SPDX-License-Identifier: GPL-2.0
/*
 * Calls a nested function through a pointer until SECONDS of CPU time: main, outer, apply, inner.
 * The pointer is to a trampoline that gcc writes to the stack, which must be executable.
 *
 *	nested SECONDS
 */
#include "program.h"

#define CALLS	100000

static volatile unsigned long sink;

static KEEP void apply(int (*function)(int), int nr)
{
	int sum = 0;

	for (int i = 0; i < nr; i++)
		sum += function(i);
	sink += sum;
}

static KEEP void outer(int factor)
{
	int inner(int x) { sink += x * factor; return x; }

	apply(inner, CALLS);
	sink++;
}

int main(int argc, char **argv)
{
	uint64_t end_ns;

	if (argc != 2)
		usage("nested SECONDS");
	end_ns = cpu_ns() + arg_seconds(argv[1]);
	while (cpu_ns() < end_ns)
		outer(3);
	return 0;
}
