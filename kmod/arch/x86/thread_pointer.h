/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PPROF_ARCH_X86_THREAD_POINTER_H
#define PPROF_ARCH_X86_THREAD_POINTER_H

#include <linux/types.h>

#include <asm/fsgsbase.h>

/*
 * Returns the thread pointer of current, which is user code of 64 bits, or was before it entered
 * the kernel. User code may have set any value. The kernel itself does not use fs.
 * Context: any in which current is a user thread.
 */
static inline u64 pprof_arch_thread_pointer(void)
{
	return x86_fsbase_read_cpu();
}

#endif
