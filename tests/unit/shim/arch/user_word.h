/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ARCH_USER_WORD_H
#define SHIM_ARCH_USER_WORD_H

#include <linux/uaccess.h>

static inline bool pprof_arch_user_word_is(u64 address, u64 value)
{
	u64 word;

	return shim_read_u64((const u64 *)address, &word) && word == value;
}

#endif
