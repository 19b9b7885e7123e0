/* SPDX-License-Identifier: GPL-2.0 */
/* The return addresses that uretprobes replaced on the stack. */
#ifndef PPROF_URETPROBE_H
#define PPROF_URETPROBE_H

#include <linux/sizes.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>

/* Without CONFIG_UPROBES no list has an entry. */
#ifndef CONFIG_UPROBES
struct return_instance {
	unsigned long func;
	unsigned long stack;
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
};
#endif

/*
 * Stands for a list that is not empty, but cannot be read now. No address of the stack is its
 * entry's.
 */
extern const struct return_instance pprof_uretprobe_unknown;

/*
 * May a uretprobe have put @address on the stack? It puts the start of a page there. True for 0,
 * too.
 */
static inline bool pprof_uretprobe_maybe(u64 address)
{
	return !(address & (SZ_4K - 1));
}

/*
 * Is @pc in the page of code to which a call with a uretprobe returns?
 * Context: any, page faults disabled.
 */
bool pprof_uretprobe_has_pc(u64 pc);

/*
 * Returns the true return address for @address, which is at @slot of the stack:
 * - @address itself, if no uretprobe put it there.
 * - The original return address, from the list *calls.
 * - 0, if a uretprobe put it there, and the original is not known.
 *
 * *calls is current's list of calls with a uretprobe, innermost first; NULL: there are none. It may
 * also be &pprof_uretprobe_unknown. current must not change the list meanwhile. The function
 * advances *calls to calls further out than @slot. So a walk with rising slots takes no more steps
 * in all than the list has calls. The kernel bounds that number to 64.
 * Context: any, page faults disabled.
 */
u64 pprof_uretprobe_return(const struct return_instance **calls, u64 slot, u64 address);

/*
 * Did a uretprobe put @address at @slot?
 * Context: any. Disables page faults itself.
 */
static inline bool pprof_uretprobe_is_hidden(const struct return_instance **calls, u64 slot,
					     u64 address)
{
	u64 real;

	pagefault_disable();
	real = pprof_uretprobe_return(calls, slot, address);
	pagefault_enable();
	return real != address;
}

#endif
