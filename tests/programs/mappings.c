// SPDX-License-Identifier: GPL-2.0
/*
 * Works in main, work, spin until it is killed, with COUNT executable mappings of anonymous memory.
 * Prints "up" when it has them.
 *
 *	mappings COUNT
 */
#include <sys/mman.h>
#include <unistd.h>

#include "program.h"

#define PAGE	((size_t)4096)

/* No two of them are adjacent: the kernel would join them. */
static void map(size_t nr)
{
	char *memory = mmap(NULL, 2 * nr * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; memory != MAP_FAILED && i < nr; i++)
		if (mprotect(memory + 2 * i * PAGE, PAGE, PROT_READ | PROT_EXEC))
			memory = MAP_FAILED;
	if (memory == MAP_FAILED) {
		perror("mappings");
		exit(1);
	}
}

static KEEP void work(void)
{
	for (;;)
		spin(SLICE);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		usage("mappings COUNT");
	map(arg_count(argv[1]));
	if (write(STDOUT_FILENO, "up\n", 3) != 3)
		return 1;
	work();
	return 0;
}
