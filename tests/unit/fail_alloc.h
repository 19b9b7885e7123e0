/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes allocations of the code under test fail. The test must be linked with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
 */
#ifndef TESTS_FAIL_ALLOC_H
#define TESTS_FAIL_ALLOC_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

/* The number of allocations that still succeed. Negative: all succeed. */
static long allocations_left = -1;

/* After the first failure, all allocations succeed again. */
static bool fails_once;

void *__real_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__real_realloc(void *mem, size_t size);
void *__real_reallocarray(void *mem, size_t nr, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t nr, size_t size);
void *__wrap_realloc(void *mem, size_t size);
void *__wrap_reallocarray(void *mem, size_t nr, size_t size);

static inline bool may_allocate(void)
{
	if (!allocations_left) {
		errno = ENOMEM;
		allocations_left = fails_once ? -1 : 0;
		return false;
	}
	allocations_left--;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t nr, size_t size)
{
	return may_allocate() ? __real_calloc(nr, size) : NULL;
}

void *__wrap_realloc(void *mem, size_t size)
{
	return may_allocate() ? __real_realloc(mem, size) : NULL;
}

void *__wrap_reallocarray(void *mem, size_t nr, size_t size)
{
	return may_allocate() ? __real_reallocarray(mem, nr, size) : NULL;
}

#endif /* TESTS_FAIL_ALLOC_H */
