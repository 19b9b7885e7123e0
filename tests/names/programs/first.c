// SPDX-License-Identifier: GPL-2.0
/* What makes names hard in C. second.c has static functions of the same names. */
#include <stdio.h>
#include <stdlib.h>

#include "both.h"

__thread int depth;
static int started;

__attribute__((constructor)) static void start(void)
{
	started = 1;
}

/* Inlined into two functions, through another one. */
static inline int inner(int x)
{
	depth += x & 1;
	return x * 31 + depth;
}

static inline int middle(int x)
{
	return inner(x) ^ inner(x + 1);
}

__attribute__((noinline)) static int step(int x)
{
	return middle(x) + started;
}

__attribute__((noinline)) int shared(int x)
{
	int sum = 0;

	for (int i = 0; i < x; i++)
		sum += middle(sum + i);
	return sum;
}

int shared_alias(int x) __attribute__((alias("shared")));
int weak_alias(int x) __attribute__((weak, alias("shared")));

__attribute__((weak, noinline)) int weak(int x)
{
	return x - 3;
}

/* -freorder-blocks-and-partition moves the end of it to another section. */
__attribute__((noinline)) int hot(int x)
{
	if (__builtin_expect(x == 123456, 0)) {
		fprintf(stderr, "odd: %d\n", step(x));
		abort();
	}
	return x + 5;
}

/* A constant argument: gcc makes a clone of it. */
__attribute__((noinline)) static int scale(int x, int factor)
{
	for (int i = 0; i < factor; i++)
		x = x * 7 + inner(i);
	return x;
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d %d %d\n", step(argc), shared(argc), second(argc));
	printf("%d %d %d\n", weak(argc), hot(argc), scale(argc, 9));
	printf("%d\n", shared_alias(argc) + weak_alias(argc) + chosen(argc));
	return 0;
}
