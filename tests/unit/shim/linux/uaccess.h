/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_UACCESS_H
#define SHIM_UACCESS_H

#include <errno.h>
#include <linux/types.h>

/*
 * The test defines these if it calls an ioctl.
 * Returns: the number of bytes that were not copied, as in the kernel.
 */
unsigned long copy_from_user(void *to, const void *from, unsigned long bytes);
unsigned long copy_to_user(void *to, const void *from, unsigned long bytes);

/* Returns: 0, or -EFAULT. */
#define get_user(to, at)	(copy_from_user(&(to), at, sizeof(to)) ? -EFAULT : 0)

/* The rest of a shorter struct becomes zero. The rest of a longer one must be zero. */
static inline int copy_struct_from_user(void *to, size_t bytes, const void *from, size_t from_bytes)
{
	u8 rest;

	for (size_t i = bytes; i < from_bytes; i++) {
		if (copy_from_user(&rest, (const u8 *)from + i, 1))
			return -EFAULT;
		if (rest)
			return -E2BIG;
	}
	if (from_bytes < bytes)
		memset((u8 *)to + from_bytes, 0, bytes - from_bytes);
	return copy_from_user(to, from, from_bytes < bytes ? from_bytes : bytes) ? -EFAULT : 0;
}

#define u64_to_user_ptr(at)	((void *)(uintptr_t)(at))

#define TASK_SIZE_MAX	((1ULL << 47) - 4096)

void pagefault_disable(void);
void pagefault_enable(void);
bool user_read_access_begin(const void *at, size_t size);
void user_read_access_end(void);

/* Returns: false if the address faults. Not every user of this header defines both. */
bool shim_read_u64(const u64 *at, u64 *to);
bool shim_read_u8(const u8 *at, u8 *to);

#define shim_read_any(at, to)								\
	(sizeof(*(to)) == 1 ? shim_read_u8((const void *)(at), (void *)(to))		\
			    : shim_read_u64((const void *)(at), (void *)(to)))

#define SHIM_GET(type, to, at, fault)							\
do {											\
	if (!shim_read_##type(at, &(to)))						\
		goto fault;								\
} while (0)

#define unsafe_get_user(to, at, fault)	SHIM_GET(any, to, at, fault)

#endif
