// SPDX-License-Identifier: GPL-2.0
/*
 * Runs with nine stack pointers that lead nowhere, for 200 ms each, in a function that has
 * the name of the fault. Prints survived=9.
 *
 *	wildstack
 */
#include <stdint.h>
#include <sys/mman.h>

#include "../../programs/program.h"

#define STACK_BYTES	(64 * 1024)
#define MIDDLE		(STACK_BYTES / 2)

static uint64_t *stack;		/* nothing is mapped around it */

/* Nothing may push to the stack while rsp is wrong: no call, no signal. */
#define RUN_WITH_RSP(name)								\
static void __attribute__((noinline, noipa)) name(uint64_t rsp, uint64_t turns)		\
{											\
	__asm__ volatile("mov %%rsp, %%r15\n"						\
			 "mov %1, %%rsp\n"						\
			 "1: dec %0\n"							\
			 "jnz 1b\n"							\
			 "mov %%r15, %%rsp\n"						\
			 : "+r"(turns) : "r"(rsp) : "r15", "cc");			\
}

RUN_WITH_RSP(near_zero)
RUN_WITH_RSP(unaligned)
RUN_WITH_RSP(unmapped)
RUN_WITH_RSP(in_the_kernel)
RUN_WITH_RSP(not_canonical)
RUN_WITH_RSP(below_the_kernel)
RUN_WITH_RSP(at_its_end)
RUN_WITH_RSP(on_garbage)
RUN_WITH_RSP(in_a_loop)

static void run(void (*with)(uint64_t rsp, uint64_t turns), uint64_t rsp)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + 200 * NSEC_PER_MSEC;

	while (clock_ns(CLOCK_MONOTONIC) < end_ns)
		with(rsp, 1000000);
}

static void fill(uint64_t word)
{
	for (unsigned int i = 0; i < STACK_BYTES / sizeof(*stack); i++)
		stack[i] = word;
}

int main(void)
{
	char *memory = mmap(NULL, 3 * STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t base;

	stack = (uint64_t *)(memory + STACK_BYTES);
	if (memory == MAP_FAILED || mprotect(stack, STACK_BYTES, PROT_READ | PROT_WRITE))
		return 1;
	base = (uintptr_t)stack;
	run(near_zero, 8);
	run(unaligned, base + MIDDLE + 4);
	run(unmapped, base - 4096);
	run(in_the_kernel, 0xffff888000001000);
	run(not_canonical, 0x8000000000001000);
	run(below_the_kernel, 0x7fffffffeff8);
	run(at_its_end, base + STACK_BYTES - 8);
	fill(0x0123456789abcdef);
	run(on_garbage, base + MIDDLE);
	fill((uintptr_t)in_a_loop + 20);
	run(in_a_loop, base);
	puts("survived=9");
	return 0;
}
