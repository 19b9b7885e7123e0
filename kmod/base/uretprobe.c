// SPDX-License-Identifier: GPL-2.0
#include "base/uretprobe.h"

#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "arch/uretprobe_code.h"

const struct return_instance pprof_uretprobe_unknown = { .stack = ~0UL };

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

	if (offset >= PPROF_ARCH_URETPROBE_BYTES || !read_code(pc - offset, &code))
		return false;
	return pprof_arch_is_uretprobe_pc(code, offset);
}

/* The page with the code of uretprobes is not in memory before the first call returns to it. */
u64 pprof_uretprobe_return(const struct return_instance **calls, u64 slot, u64 address)
{
	u64 code;
	bool is_there;

	if (!pprof_uretprobe_maybe(address))
		return address;
	is_there = read_code(address, &code);
	if (is_there && !pprof_arch_is_uretprobe(code))
		return address;
	while (*calls && (*calls)->stack < slot)
		*calls = (*calls)->next;
	if (*calls && (*calls)->stack == slot)
		return (*calls)->orig_ret_vaddr;
	return is_there || *calls == &pprof_uretprobe_unknown ? 0 : address;
}
