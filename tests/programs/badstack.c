// SPDX-License-Identifier: GPL-2.0
/*
 * Burns MS of CPU with each of eight frame pointers that lead nowhere: null, unaligned,
 * in the kernel, not canonical, unmapped, two kinds of circle, at the end of the stack.
 * Prints survived=8. A profiler that follows them must survive, too.
 *
 *	badstack MS
 */
#include <string.h>
#include <sys/mman.h>

#include "program.h"

/* While rbp is wrong, the code touches no memory. rbp is restored after it. */
static KEEP void spin_with_rbp(uint64_t rbp, uint64_t iters)
{
	uint64_t saved;

	__asm__ volatile("mov %%rbp, %[saved]\n\t"
			 "mov %[rbp], %%rbp\n"
			 "1:\n\t"
			 "dec %[iters]\n\t"
			 "jnz 1b\n\t"
			 "mov %[saved], %%rbp"
			 : [saved] "=&r"(saved), [iters] "+&r"(iters)
			 : [rbp] "r"(rbp)
			 : "cc");
}

static uint64_t unmapped_address(void)
{
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	munmap(page, 4096);
	return (uint64_t)page;
}

static uint64_t stack_end(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long end = 0;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[stack]") && sscanf(line, "%*x-%lx", &end) == 1)
			break;
	if (!end) {
		fputs("badstack: no [stack] in /proc/self/maps\n", stderr);
		exit(1);
	}
	fclose(maps);
	return end;
}

int main(int argc, char **argv)
{
	uint64_t self[2], ring_a[2], ring_b[2], burn_ns, start_ns;
	unsigned int i;

	/* A frame has two words: the address of the caller's frame, and the return address. */
	self[0] = (uint64_t)self;
	ring_a[0] = (uint64_t)ring_b;
	ring_b[0] = (uint64_t)ring_a;
	self[1] = (uint64_t)main;
	ring_a[1] = (uint64_t)main;
	ring_b[1] = (uint64_t)main;

	const uint64_t values[] = {
		0, (uint64_t)self | 1, 0xffff888000000000, 0x8000000000000000,
		unmapped_address(), (uint64_t)self, (uint64_t)ring_a, stack_end() - 8,
	};

	if (argc != 2)
		usage("badstack MS");
	burn_ns = arg_msec(argv[1]);
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		for (start_ns = cpu_ns(); cpu_ns() - start_ns < burn_ns;)
			spin_with_rbp(values[i], SLICE);
	printf("survived=%u\n", i);
	return 0;
}
