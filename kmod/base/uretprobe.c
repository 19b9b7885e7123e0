// SPDX-License-Identifier: GPL-2.0
#include "base/uretprobe.h"

#include <linux/nospec.h>
#include <linux/uaccess.h>

/*
 * The first bytes of the page of code to which calls with a uretprobe return. The kernel makes it
 * for each process, and exports its address to no module. It is a breakpoint instruction. From 6.11
 * on it is push %rax, %rcx, %r11 and the begin of mov $__NR_uretprobe,%rax. A compiler makes no
 * code with a return address at the start of a page that begins with these bytes.
 */
#define BREAKPOINT	0xcc
#define SYSTEM_CALL	0x4fc0c74853415150ULL

#define CODE_BYTES	32	/* at least the size of that code */

/* Returns: false if the page is not in memory. */
static bool read_code(u64 page, u64 *code)
{
	u64 limit = TASK_SIZE_MAX - sizeof(u64);

	if (page >= limit)
		return false;
	page = array_index_nospec(page, limit);
	if (!user_read_access_begin(NULL, sizeof(*code)))
		return false;
	unsafe_get_user(*code, (const u64 __user *)page, fault);
	user_read_access_end();
	return true;
fault:
	user_read_access_end();
	return false;
}

bool pprof_uretprobe_has_pc(u64 pc)
{
	u64 offset = pc & (SZ_4K - 1), code;

	if (offset >= CODE_BYTES || !read_code(pc - offset, &code))
		return false;
	return code == SYSTEM_CALL || ((u8)code == BREAKPOINT && offset <= 1);
}

/* The page is not in memory before a call has returned to it. */
u64 pprof_uretprobe_return(const struct return_instance **calls, u64 slot, u64 address)
{
	u64 code;
	bool is_there;

	if (!pprof_uretprobe_maybe(address))
		return address;
	is_there = read_code(address, &code);
	if (is_there && code != SYSTEM_CALL && (u8)code != BREAKPOINT)
		return address;
	while (*calls && (*calls)->stack < slot)
		*calls = (*calls)->next;
	if (*calls && (*calls)->stack == slot)
		return (*calls)->orig_ret_vaddr;
	return is_there ? 0 : address;
}
