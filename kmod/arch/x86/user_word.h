/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PPROF_ARCH_X86_USER_WORD_H
#define PPROF_ARCH_X86_USER_WORD_H

#include <linux/types.h>

#include <asm/asm.h>

/*
 * Goes to @label if the u64 at the user address @address is not @value, or cannot be read. Three
 * instructions less than unsafe_get_user(): compilers that cannot return a value from an asm goto
 * check for a fault in each read.
 * Context: between user_read_access_begin() and user_read_access_end().
 */
#define pprof_arch_need_user_word(address, value, label)				\
	asm goto("1:	cmpq %[wanted], %[word]\n"					\
		 "	jne %l[" #label "]\n"						\
		 _ASM_EXTABLE_UA(1b, %l[label])						\
		 : : [word] "m" (*(const u64 __user *)(address)), [wanted] "r" (value)	\
		 : "cc" : label)

#endif
