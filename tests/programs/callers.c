// SPDX-License-Identifier: GPL-2.0
/*
 * Calls functions of libc and libm in turns, each from a function of its own. The loop in
 * main() calls call_qsort(), call_memcpy() and so on, and the clock. Prints nothing: the
 * truth is that each stack of such a function goes through its caller to main().
 *
 *	callers [SECONDS]	(without SECONDS it runs until it is killed)
 */
#include <math.h>
#include <string.h>

#include "program.h"

#define BYTES	65536
#define ITEMS	2000

static char from[BYTES + 1], to[BYTES + 1];
static int items[ITEMS];
static FILE *null;
static volatile double number = 0.7;

static KEEP int compare(const void *a, const void *b)
{
	int left = *(const int *)a, right = *(const int *)b;

	return (left > right) - (left < right);
}

static KEEP void call_qsort(void)
{
	for (int i = 0; i < ITEMS; i++)
		items[i] = i * 7919 % ITEMS;
	qsort(items, ITEMS, sizeof(items[0]), compare);
}

static KEEP void call_memcpy(void)
{
	for (int i = 0; i < 8; i++) {
		memcpy(to, from, BYTES - i);
		__asm__ volatile("" : : "r"(to) : "memory");
	}
}

static KEEP void call_fprintf(void)
{
	for (int i = 0; i < 100; i++)
		fprintf(null, "%d %s %5.2f\n", i, "and so on", number);
}

static KEEP void call_strlen(void)
{
	size_t sum = 0;

	for (int i = 0; i < 20; i++)
		sum += strlen(from + i);
	__asm__ volatile("" : : "r"(sum));
}

static KEEP void call_malloc(void)
{
	char *blocks[100];

	for (int turn = 0; turn < 8; turn++) {
		for (int i = 0; i < 100; i++)
			blocks[i] = malloc(1 + i * 977 % 5000);
		for (int i = 0; i < 100; i++)
			free(blocks[i]);
	}
}

static KEEP void call_libm(void)
{
	for (int i = 0; i < 100; i++)
		number = fabs(sin(number) + pow(1.5, number) - exp(number) + cos(number)) + 0.1;
}

int main(int argc, char **argv)
{
	uint64_t end_ns = argc > 1 ? cpu_ns() + arg_seconds(argv[1]) : UINT64_MAX;

	if (argc > 2)
		usage("callers [SECONDS]");
	memset(from, 'x', BYTES);
	null = fopen("/dev/null", "w");
	if (!null)
		return 1;
	do {
		for (int i = 0; i < 10; i++) {
			call_qsort();
			call_memcpy();
			call_fprintf();
			call_strlen();
			call_malloc();
			call_libm();
		}
	} while (cpu_ns() < end_ns);
	return 0;
}
