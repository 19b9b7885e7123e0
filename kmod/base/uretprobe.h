/* SPDX-License-Identifier: GPL-2.0 */
/* The return addresses that uprobes took off the stack, as they await the return. */
#ifndef PPROF_AWAITED_H
#define PPROF_AWAITED_H

#include <linux/sizes.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>

/* Nobody has one then. */
#ifndef CONFIG_UPROBES
struct return_instance {
	unsigned long func;
	unsigned long stack;
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
};
#endif

/*
 * May @address be what a uprobe put in the place of a return address? That is the
 * start of a page. 0, too.
 */
static inline bool pprof_awaited_maybe(u64 address)
{
	return !(address & (SZ_4K - 1));
}

/* Is @pc in the code that awaited calls return to? Any context, page faults disabled. */
bool pprof_awaited_has_pc(u64 pc);

/*
 * What stood at @slot of the stack, where @address stands now: @address itself if no
 * uprobe put it there; 0: one did, and it is not known. *calls are those whose
 * returns are awaited, innermost first, of current, which does not change them; it
 * moves on to those further out than @slot. So asked for ever higher slots, it takes no
 * more steps in all than there are calls, which the kernel bounds (64). NULL: none are
 * known. Any context, page faults disabled.
 */
u64 pprof_awaited_return(const struct return_instance **calls, u64 slot, u64 address);

/* Has a uprobe put @address there? Otherwise as above; page faults are as they are. */
static inline bool pprof_awaited_is_hidden(const struct return_instance **calls, u64 slot,
					   u64 address)
{
	u64 real;

	pagefault_disable();
	real = pprof_awaited_return(calls, slot, address);
	pagefault_enable();
	return real != address;
}

#endif
