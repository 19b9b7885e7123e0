// SPDX-License-Identifier: GPL-2.0
/*
 * Unusual frames: realigned frames, frames whose size is known at run time only, huge frames,
 * recursion deeper than the longest stack of a sample, tail calls, callbacks of libc, longjmp()
 * over many frames.
 */
#include <alloca.h>
#include <search.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP	__attribute__((noipa))

static jmp_buf landing;
static volatile int sum;

static KEEP void touch(void *memory, size_t size)
{
	memset(memory, 1, size);
	sum += *(char *)memory;
}

static KEEP void realigned(int n)
{
	char text[128] __attribute__((aligned(64)));

	touch(text, sizeof(text));
	if (n)
		realigned(n - 1);
	sum += text[n];
}

static KEEP void realigned_and_dynamic(int n, int a, int b, int c, int d, int e, int f, int g)
{
	char text[64] __attribute__((aligned(128)));
	char *more = alloca(n * 24 + 1);

	touch(text, sizeof(text));
	touch(more, n * 24 + 1);
	if (n)
		realigned_and_dynamic(n - 1, b, c, d, e, f, g, a);
	sum += text[n] + more[0];
}

static KEEP __attribute__((force_align_arg_pointer)) void from_anywhere(int n)
{
	realigned(n);
	sum++;
}

static KEEP void dynamic(int n)
{
	char text[n + 1];

	touch(text, n + 1);
	if (n)
		dynamic(n / 2);
	sum += text[0];
}

static KEEP void huge(int n)
{
	char text[300000];

	touch(text + n, 1);
	if (n)
		huge(n - 1);
	sum += text[n];
}

static KEEP int deep(int n)
{
	return n ? deep(n - 1) + 1 : 0;
}

static KEEP int tail_c(int n)
{
	return n + sum;
}

static KEEP int tail_b(int n)
{
	touch(&n, sizeof(n));
	return tail_c(n);
}

static KEEP int tail_a(int n)
{
	return tail_b(n + 1);
}

static KEEP int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static KEEP void callbacks(void)
{
	int values[100], key = 42;
	void *tree = NULL;

	for (int i = 0; i < 100; i++)
		values[i] = (i * 37) % 100;
	qsort(values, 100, sizeof(*values), compare);
	sum += *(int *)bsearch(&key, values, 100, sizeof(*values), compare);
	for (int i = 0; i < 10; i++)
		tsearch(&values[(i * 7) % 10], &tree, compare);
	while (tree)
		tdelete(*(void **)tree, &tree, compare);
}

static KEEP void jump(int n)
{
	if (n)
		jump(n - 1);
	else if (sum)
		longjmp(landing, 1);
	sum++;
}

int main(void)
{
	realigned(5);
	realigned_and_dynamic(5, 1, 2, 3, 4, 5, 6, 7);
	from_anywhere(3);
	dynamic(100);
	huge(3);
	deep(100);
	deep(300);
	sum += tail_a(1);
	callbacks();
	for (volatile int i = 0; i < 5; i++)
		if (!setjmp(landing))
			jump(i * 3);
	return 0;
}
