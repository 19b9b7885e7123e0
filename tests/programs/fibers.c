// SPDX-License-Identifier: GPL-2.0
/*
 * Works in fibers that makecontext() made, one after the other, until SECONDS of CPU time:
 * __start_context, fiber, work, spin.
 *
 *	fibers SECONDS
 */
#include <ucontext.h>

#include "program.h"

#define STACK_BYTES	65536
#define NR_SLICES	100

static ucontext_t caller;

static KEEP void work(void)
{
	for (int i = 0; i < NR_SLICES; i++)
		spin(SLICE);
}

/* Enough arguments that some of them are on the stack. */
static KEEP void fiber(int a, int b, int c, int d, int e, int f, int g)
{
	work();
	if (a + b + c + d + e + f + g != 7)
		exit(1);
}

static void run(char *stack, int has_next)
{
	ucontext_t context;

	if (getcontext(&context))
		exit(1);
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = STACK_BYTES;
	context.uc_link = has_next ? &caller : NULL;
	makecontext(&context, (void (*)(void))fiber, 7, 1, 1, 1, 1, 1, 1, 1);
	swapcontext(&caller, &context);
}

int main(int argc, char **argv)
{
	char *stack = malloc(STACK_BYTES);
	uint64_t end_ns;

	if (argc != 2 || !stack)
		usage("fibers SECONDS");
	end_ns = cpu_ns() + arg_seconds(argv[1]);
	while (cpu_ns() < end_ns)
		run(stack, 1);
	/* The program ends with this fiber. */
	run(stack, 0);
	return 1;
}
