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
#define USERMEM_CODE_BYTES	2048
#define USERMEM_FAULTS	16

static struct {
	u64 base;		/* address of words; addresses beside it and code fault */
	u64 words[USERMEM_WORDS];
	u64 code_base;		/* address of code; 0: there is none */
	u8 code[USERMEM_CODE_BYTES];
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

/* Returns what is at address, or NULL if it faults. */
static const void *usermem_find(u64 address, u64 bytes)
{
	u64 at = address - usermem.base, at_code = address - usermem.code_base;

	for (int i = 0; i < USERMEM_FAULTS; i++)
		if (usermem.faults[i] && usermem.faults[i] == address)
			return NULL;
	if (usermem.code_base && at_code <= sizeof(usermem.code) - bytes)
		return usermem.code + at_code;
	return at <= sizeof(usermem.words) - bytes ? (const char *)usermem.words + at : NULL;
}

static bool usermem_read(const void *from, void *to, u64 bytes)
{
	u64 address = (uintptr_t)from;
	const void *found = usermem_find(address, bytes);

	assert(usermem.disabled == 1 && usermem.opened == 1);
	assert(address <= TASK_SIZE_MAX - bytes);
	usermem.nr_reads++;
	if (!found) {
		usermem.nr_faults++;
		return false;
	}
	memcpy(to, found, bytes);
	return true;
}

bool shim_read_u64(const u64 *from, u64 *to)
{
	return usermem_read(from, to, sizeof(*to));
}

bool shim_read_u8(const u8 *from, u8 *to)
{
	return usermem_read(from, to, sizeof(*to));
}

#endif
