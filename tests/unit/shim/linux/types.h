/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The shims replace the kernel's headers for unit tests of kmod/. They have only the parts
 * that these tests need. Names with shim_ are defined by the test.
 */
#ifndef SHIM_TYPES_H
#define SHIM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include_next <linux/types.h>

typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;

#define U64_MAX	UINT64_MAX

#define __user
#define __packed	__attribute__((packed))
#define __percpu
#define __rcu
#define __aligned(bytes)	__attribute__((aligned(bytes)))

#endif
