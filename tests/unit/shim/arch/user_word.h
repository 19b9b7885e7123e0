/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ARCH_USER_WORD_H
#define SHIM_ARCH_USER_WORD_H

#include <linux/uaccess.h>

#define pprof_arch_need_user_word(address, value, label)	\
do {								\
	u64 shim_word;						\
								\
	unsafe_get_user(shim_word, (const u64 *)(address), label);	\
	if (shim_word != (value))				\
		goto label;					\
} while (0)

#endif
