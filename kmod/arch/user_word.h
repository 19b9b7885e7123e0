/* SPDX-License-Identifier: GPL-2.0 */
/* Comparing words of user memory, as far as it depends on the CPU. */
#ifndef PPROF_ARCH_USER_WORD_H
#define PPROF_ARCH_USER_WORD_H

#if defined(__x86_64__)
#include "arch/x86/user_word.h"
#else
#error "kmod/arch/ has no folder for this CPU"
#endif

#endif
