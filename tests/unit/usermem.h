/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The user memory of a task, for code of kmod/ that walks stacks without a kernel. Each read
 * must be below TASK_SIZE_MAX, with page faults disabled, and between
 * user_read_access_begin() and user_read_access_end().
 */
#ifndef TESTS_USERMEM_H
#define TESTS_USERMEM_H

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include <linux/nospec.h>
#include <linux/uaccess.h>

#define USERMEM_WORDS	2048
#define USERMEM_FAULTS	16

static struct {
	u64 base;		/* address of words; all other addresses fault */
	u64 words[USERMEM_WORDS];
	u64 faults[USERMEM_FAULTS];	/* addresses that fault */
	bool closed;		/* user_read_access_begin() fails */
	int disabled;
	int opened;
	int nr_reads;
	int nr_faults;
} usermem;

void pagefault_disable(void)
{
	usermem.disabled++;
}

void pagefault_enable(void)
{
	usermem.disabled--;
}

bool user_read_access_begin(const void *at, size_t size)
{
	(void)at;
	assert(size < 4096 && usermem.disabled == 1 && !usermem.opened);
	usermem.opened = !usermem.closed;
	return usermem.opened;
}

void user_read_access_end(void)
{
	assert(usermem.opened == 1);
	usermem.opened = 0;
}

u64 shim_clamp(u64 index, u64 size)
{
	assert(index < size);
	return index;
}

static bool usermem_has(u64 address)
{
	u64 at = address - usermem.base;

	for (int i = 0; i < USERMEM_FAULTS; i++)
		if (usermem.faults[i] && usermem.faults[i] == address)
			return false;
	return at <= sizeof(usermem.words) - 8;
}

bool shim_read_u64(const u64 *from, u64 *to)
{
	u64 address = (uintptr_t)from;

	assert(usermem.disabled == 1 && usermem.opened == 1);
	assert(address <= TASK_SIZE_MAX - 8);
	usermem.nr_reads++;
	if (!usermem_has(address)) {
		usermem.nr_faults++;
		return false;
	}
	memcpy(to, (char *)usermem.words + (address - usermem.base), 8);
	return true;
}

#endif
