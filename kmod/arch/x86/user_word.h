/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PPROF_ARCH_X86_USER_WORD_H
#define PPROF_ARCH_X86_USER_WORD_H

#include <linux/types.h>

#include <asm/asm.h>

/*
 * Returns: false if the u64 at the user address @address is not @value, or cannot be read. It takes
 * three instructions less than unsafe_get_user(): compilers that cannot return a value from an asm
 * goto check for a fault in each read.
 * Context: between user_read_access_begin() and user_read_access_end().
 */
static __always_inline bool pprof_arch_user_word_is(u64 address, u64 value)
{
	asm goto("1:	cmpq %[value], %[word]\n"
		 "	jne %l[no]\n"
		 _ASM_EXTABLE_UA(1b, %l[no])
		 : : [word] "m" (*(const u64 __user *)address), [value] "r" (value)
		 : "cc" : no);
	return true;
no:
	return false;
}

#endif
