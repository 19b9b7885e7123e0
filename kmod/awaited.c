// SPDX-License-Identifier: GPL-2.0
#include "awaited.h"

#include <linux/nospec.h>
#include <linux/uaccess.h>

#define INT3	0xcc

/*
 * The kernel's page for this has a breakpoint at its start; it tells nobody where
 * that page is. No compiler makes code to return to that begins so.
 */
static bool is_breakpoint(u64 address)
{
	u64 limit = TASK_SIZE_MAX - sizeof(u64), code;

	if (address >= limit)
		return false;
	address = array_index_nospec(address, limit);
	if (!user_read_access_begin(NULL, sizeof(code)))
		return false;
	unsafe_get_user(code, (const u64 __user *)address, fault);
	user_read_access_end();
	return (u8)code == INT3;
fault:
	user_read_access_end();
	return false;
}

u64 pprof_awaited_return(const struct return_instance **calls, u64 slot, u64 address)
{
	if (!pprof_awaited_maybe(address) || !is_breakpoint(address & ~1ULL))
		return address;
	while (*calls && (*calls)->stack < slot)
		*calls = (*calls)->next;
	return *calls && (*calls)->stack == slot ? (*calls)->orig_ret_vaddr : 0;
}
