// SPDX-License-Identifier: GPL-2.0
#include "heap/uretprobe_stack.h"

#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>

#include "base/uretprobe.h"
#include "base/compat.h"

bool pprof_uretprobe_stack_has(const struct return_instance *call)
{
	const struct return_instance *from = call;
	u64 word;

	return copy_from_user_nofault(&word, (const void __user *)call->stack, sizeof(word)) ||
	       pprof_uretprobe_is_hidden(&from, call->stack, word);
}

bool pprof_uretprobe_stack_has_below(u64 sp)
{
	const struct return_instance *call;

	for (call = pprof_return_instances(current); call; call = call->next)
		if (call->stack < sp && pprof_uretprobe_stack_has(call))
			return true;
	return false;
}

void pprof_uretprobe_stack_restore(const struct return_instance *call)
{
	const struct return_instance *from = call;
	u64 word;

	if (!get_user(word, (u64 __user *)call->stack) &&
	    pprof_uretprobe_is_hidden(&from, call->stack, word))
		put_user((u64)call->orig_ret_vaddr, (u64 __user *)call->stack);
}

void pprof_uretprobe_stack_restore_below(u64 sp)
{
	const struct return_instance *call;

	for (call = pprof_return_instances(current); call; call = call->next)
		if (call->stack < sp)
			pprof_uretprobe_stack_restore(call);
}
