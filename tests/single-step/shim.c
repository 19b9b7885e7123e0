// SPDX-License-Identifier: GPL-2.0
/* The kernel's functions for user memory, for kmod/. They read the process of memory_select(). */
#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "memory.h"

void pagefault_disable(void)
{
}

void pagefault_enable(void)
{
}

bool user_read_access_begin(const void *at, size_t size)
{
	(void)at;
	(void)size;
	return true;
}

void user_read_access_end(void)
{
}

u64 shim_clamp(u64 index, u64 size)
{
	return index < size ? index : 0;
}

bool shim_read_u64(const u64 *at, u64 *to)
{
	uint64_t word;

	if (!memory_word((uintptr_t)at, &word))
		return false;
	*to = word;
	return true;
}
