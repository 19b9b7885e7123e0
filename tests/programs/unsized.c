// SPDX-License-Identifier: GPL-2.0
/*
 * Burns CPU in a static function, which has no symbol once the program is stripped. The exported
 * symbol before it, marker, has no size.
 *
 *	unsized SECONDS
 */
#include "program.h"

__asm__(".text\n.globl marker\nmarker:\n\tret\n");

static KEEP void hidden(uint64_t end_ns)
{
	spin_until(end_ns);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		usage("unsized SECONDS");
	hidden(cpu_ns() + arg_seconds(argv[1]));
	return 0;
}
