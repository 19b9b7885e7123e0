/* SPDX-License-Identifier: GPL-2.0 */
/* The fs base of the thread, which the test sets. */
#ifndef SHIM_ASM_FSGSBASE_H
#define SHIM_ASM_FSGSBASE_H

unsigned long shim_fs_base(void);

static inline unsigned long x86_fsbase_read_cpu(void)
{
	return shim_fs_base();
}

#endif
