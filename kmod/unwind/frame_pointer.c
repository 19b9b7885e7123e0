// SPDX-License-Identifier: GPL-2.0
#include "unwind/frame_pointer.h"

#include <linux/compiler.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "base/uretprobe.h"
#include "uapi/pprof.h"

/* The two words at the address in fp. On x86-64 "push %rbp; mov %rsp,%rbp" leaves them there. */
struct frame {
	u64 caller_fp;
	u64 return_address;
};

/*
 * The bound on return addresses that look like those of a uretprobe, at the start of a page, but
 * are not. A program has hardly one. In a stack that is made of them, each may cost a page fault.
 */
#define MAX_ODD	8

/*
 * Frame addresses must rise. So a loop ends, and each frame is read once. Only this check keeps a
 * hostile fp from kernel memory: user_access_begin() does not see these addresses.
 */
static __always_inline bool frame_is_sane(u64 fp, u64 floor, u64 limit)
{
	return !(fp & 7) && fp >= floor && fp < limit;
}

/*
 * One user_access_begin() for the whole walk halves the cost, compared with __get_user() for each
 * word. No call may stand between it and user_access_end() (objtool). array_index_nospec() is for
 * speculation: each word is the next address, which is a Spectre v1 gadget otherwise.
 *
 * An fp of 0 ends a chain, but does not begin one: code without frame pointers may have any value
 * there.
 *
 * The loop is most of the cost of a sample, about 24 instructions a frame. So *end is not written
 * for each frame. Newer kernels compute the limit at run time. It is hidden from gcc, which would
 * compute it at each use.
 */
static __always_inline u32 walk(const struct pprof_regs *regs, u64 *frames, u32 max, u16 *end)
{
	u64 fp = regs->fp, floor = regs->sp, return_address, real;
	u64 limit = TASK_SIZE_MAX - sizeof(struct frame);
	u64 *next = frames + 1, *last = frames + max;
	const struct return_instance *uretprobes = regs->uretprobes;
	unsigned int odd_left = MAX_ODD;
	const struct frame __user *frame;

	OPTIMIZER_HIDE_VAR(limit);
	*end = PPROF_END_FAULT;
	if (!user_read_access_begin(NULL, sizeof(*frame)))
		return 1;
	while (frame_is_sane(fp, floor, limit)) {
		if (next == last)
			goto depth;
		frame = (const struct frame __user *)array_index_nospec(fp, limit);
		floor = fp + sizeof(*frame);
		unsafe_get_user(return_address, &frame->return_address, fault);
		unsafe_get_user(fp, &frame->caller_fp, fault);
		if (unlikely(pprof_uretprobe_maybe(return_address))) {
			if (!return_address)
				goto bad;
			user_read_access_end();
			real = pprof_uretprobe_return(&uretprobes, floor - sizeof(u64),
						      return_address);
			if (!real) {
				*end = PPROF_END_URETPROBE;
				return next - frames;
			}
			if (real == return_address && !--odd_left) {
				*end = PPROF_END_BAD_FRAME;
				return next - frames;
			}
			return_address = real;
			if (!user_read_access_begin(NULL, sizeof(*frame)))
				return next - frames;
		}
		*next++ = return_address;
	}
	*end = PPROF_END_COMPLETE;
	if (!fp && next > frames + 1)
		goto out;
bad:
	*end = PPROF_END_BAD_FRAME;
	goto out;
depth:
	*end = PPROF_END_DEPTH;
	goto out;
fault:
	*end = PPROF_END_FAULT;
out:
	user_read_access_end();
	return next - frames;
}

void pprof_unwind_fp(struct pprof_stack *stack, const struct pprof_regs *regs)
{
	stack->flags = 0;
	stack->frames[0] = regs->ip;
	if (regs->compat) {
		stack->nr = 1;
		stack->end_reason = PPROF_END_COMPAT;
		return;
	}
	pagefault_disable();
	stack->nr = walk(regs, stack->frames, stack->max, &stack->end_reason);
	pagefault_enable();
}
