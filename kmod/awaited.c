// SPDX-License-Identifier: GPL-2.0
#include "awaited.h"

#include <linux/nospec.h>
#include <linux/uaccess.h>

/*
 * What begins the page of code that awaited calls return to, which the kernel makes
 * for each process: a breakpoint, and from 6.11 on push %rax, %rcx, %r11 and the
 * beginning of mov $__NR_uretprobe,%rax. It tells nobody where that page is. No
 * compiler makes code to return to, at the start of a page, that begins so.
 */
#define BREAKPOINT	0xcc
#define SYSTEM_CALL	0x4fc0c74853415150ULL

#define CODE_BYTES	32	/* not less than there is */

bool pprof_awaited_has_pc(u64 pc)
{
	u64 limit = TASK_SIZE_MAX - sizeof(u64), page = pc & ~(SZ_4K - 1ULL), code;

	if (page >= limit || pc - page >= CODE_BYTES)
		return false;
	page = array_index_nospec(page, limit);
	if (!user_read_access_begin(NULL, sizeof(code)))
		return false;
	unsafe_get_user(code, (const u64 __user *)page, fault);
	user_read_access_end();
	return code == SYSTEM_CALL || ((u8)code == BREAKPOINT && pc - page <= 1);
fault:
	user_read_access_end();
	return false;
}

u64 pprof_awaited_return(const struct return_instance **calls, u64 slot, u64 address)
{
	if (!pprof_awaited_maybe(address) || !pprof_awaited_has_pc(address))
		return address;
	while (*calls && (*calls)->stack < slot)
		*calls = (*calls)->next;
	return *calls && (*calls)->stack == slot ? (*calls)->orig_ret_vaddr : 0;
}
