// SPDX-License-Identifier: GPL-2.0
/* Linked with first.c: static functions of the same names, and an IFUNC. */
#include "both.h"

__attribute__((noinline)) static int step(int x)
{
	return of_header(x) - 7;
}

__attribute__((noinline)) static int scale(int x, int factor)
{
	return x << factor;
}

static int with_one(int x)
{
	return of_header(x) + 1;
}

static int with_two(int x)
{
	return of_header(x) + 2;
}

/* The choice for an IFUNC. */
static int (*choose(void))(int)
{
	return __builtin_cpu_supports("sse4.2") ? with_two : with_one;
}

int chosen(int x) __attribute__((ifunc("choose")));

int second(int x)
{
	return step(x) + scale(x, 3);
}
