/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_UACCESS_H
#define SHIM_UACCESS_H

#include <linux/types.h>

/*
 * The test defines these if it calls an ioctl.
 * Returns: the number of bytes that were not copied, as in the kernel.
 */
unsigned long copy_from_user(void *to, const void *from, unsigned long bytes);
unsigned long copy_to_user(void *to, const void *from, unsigned long bytes);

#define u64_to_user_ptr(at)	((void *)(uintptr_t)(at))

#define TASK_SIZE_MAX	((1ULL << 47) - 4096)

void pagefault_disable(void);
void pagefault_enable(void);
bool user_read_access_begin(const void *at, size_t size);
void user_read_access_end(void);

/* Returns: false if the address faults. */
bool shim_read_u64(const u64 *at, u64 *to);

#define SHIM_GET(type, to, at, fault)						\
do {										\
	if (!shim_read_##type(at, &(to)))					\
		goto fault;							\
} while (0)

#define unsafe_get_user(to, at, fault)	SHIM_GET(u64, to, at, fault)

#endif
