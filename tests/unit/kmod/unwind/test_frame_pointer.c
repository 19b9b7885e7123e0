// SPDX-License-Identifier: GPL-2.0
// sources: kmod/unwind/frame_pointer.c kmod/base/uretprobe.c
// include: -Itests/unit/shim
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "kmod/base/uretprobe.h"
#include "kmod/unwind/frame_pointer.h"
#include "pprof.h"

#define WORDS	256
#define STACK	0x7ffd12340000ULL
#define TOP	(TASK_SIZE_MAX - WORDS * 8)
#define IP	0x401000ULL
#define RET(n)	(0x402010ULL + (n))

/* The user memory of the task: what is elsewhere faults. */
static struct {
	u64 base;
	u64 words[WORDS];
	u64 fault_at;
	bool closed;		/* user_read_access_begin() says no */
	int reads;
	int disabled;
	int nr_disabled;
	int opened;
	u64 clamped;		/* the last address that went through the clamp */
} mem;

static const struct return_instance *awaited;

void pagefault_disable(void)
{
	mem.disabled++;
	mem.nr_disabled++;
}

void pagefault_enable(void)
{
	mem.disabled--;
}

bool user_read_access_begin(const void *at, size_t size)
{
	(void)at;
	assert_true(size < 4096);
	assert_int_equal(mem.disabled, 1);
	assert_int_equal(mem.opened, 0);
	mem.opened = !mem.closed;
	return mem.opened;
}

void user_read_access_end(void)
{
	assert_int_equal(mem.opened, 1);
	mem.opened = 0;
}

u64 shim_clamp(u64 index, u64 size)
{
	assert_true(index < size);
	mem.clamped = index;
	return index;
}

bool shim_read_u64(const u64 *at, u64 *to)
{
	u64 addr = (uintptr_t)at;

	assert_int_equal(mem.disabled, 1);
	assert_int_equal(mem.opened, 1);
	assert_true(addr == mem.clamped || addr == mem.clamped + 8);
	assert_true(addr < TASK_SIZE_MAX);
	mem.reads++;
	if (addr == mem.fault_at || addr < mem.base || addr >= mem.base + sizeof(mem.words))
		return false;
	*to = mem.words[(addr - mem.base) / 8];
	return true;
}

static int setup(void **state)
{
	(void)state;
	memset(&mem, 0, sizeof(mem));
	awaited = NULL;
	mem.base = STACK;
	return 0;
}

/* Writes a frame at word @at of the stack: the address of the next frame, the return address. */
static void put(int at, u64 caller_bp, u64 return_address)
{
	mem.words[at] = caller_bp;
	mem.words[at + 1] = return_address;
}

/* A chain of nr frames, one at every `step` words, that ends with rbp 0. */
static void put_chain(int nr, int step)
{
	for (int i = 0; i < nr; i++)
		put(i * step, i + 1 < nr ? mem.base + 8 * (i + 1) * step : 0, RET(i));
}

/* The walk from bp gives IP and RET(0) to RET(nr - 2), and the end. */
static void assert_walk(u64 bp, u32 max, u32 nr, u16 want_end)
{
	const struct pprof_regs regs = {
		.ip = IP, .sp = mem.base, .fp = bp, .uretprobes = awaited,
	};
	u64 frames[WORDS + 1];
	struct pprof_stack stack = { .frames = frames, .max = max, .end_reason = 99, .flags = 99 };

	memset(frames, 0xee, sizeof(frames));
	pprof_unwind_fp(&stack, &regs);
	assert_int_equal(stack.nr, nr);
	assert_int_equal(stack.end_reason, want_end);
	assert_int_equal(stack.flags, 0);
	assert_int_equal(frames[0], IP);
	for (u32 i = 1; i < nr; i++)
		assert_int_equal(frames[i], RET(i - 1));
	for (u32 i = max; i <= WORDS; i++)
		assert_int_equal(frames[i], 0xeeeeeeeeeeeeeeee);
	assert_int_equal(mem.disabled, 0);
	assert_int_equal(mem.nr_disabled, 1);
	assert_int_equal(mem.opened, 0);
	mem.nr_disabled = 0;
}

/* Uprobes hide RET(1) and RET(2), behind a breakpoint that begins the page of the stack. */
static void test_awaited(void **state)
{
	struct return_instance outer = { .stack = STACK + 8 * 13, .orig_ret_vaddr = RET(2) };
	struct return_instance inner = { .stack = STACK + 8 * 9, .orig_ret_vaddr = RET(1),
					 .next = &outer };

	(void)state;
	mem.words[0] = 0xcc;
	for (int i = 0; i < 5; i++)
		put(4 + 4 * i, i < 4 ? STACK + 8 * (8 + 4 * i) : 0, RET(i));
	mem.words[9] = STACK;
	mem.words[13] = STACK;
	awaited = &inner;
	assert_walk(STACK + 8 * 4, 127, 6, PPROF_END_COMPLETE);
	awaited = &outer;
	assert_walk(STACK + 8 * 4, 127, 2, PPROF_END_URETPROBE);
	awaited = NULL;
	assert_walk(STACK + 8 * 4, 127, 2, PPROF_END_URETPROBE);
	outer.stack -= 8;
	awaited = &inner;
	assert_walk(STACK + 8 * 4, 127, 3, PPROF_END_URETPROBE);
	/* The page is in memory only when a call has returned there. */
	mem.words[9] = STACK + (1 << 20);
	awaited = &pprof_uretprobe_unknown;
	assert_walk(STACK + 8 * 4, 127, 2, PPROF_END_URETPROBE);
}

/* What leads to no memory is asked for a few times, however many such there are. */
static void test_starts_of_pages(void **state)
{
	const struct pprof_regs regs = { .ip = IP, .sp = STACK, .fp = STACK };
	struct pprof_stack stack = { .max = 127 };
	u64 frames[WORDS];

	(void)state;
	stack.frames = frames;
	put_chain(100, 2);
	for (int i = 0; i < 100; i++)
		mem.words[2 * i + 1] = 0x10000;
	pprof_unwind_fp(&stack, &regs);
	assert_int_equal(stack.nr, 8);
	assert_int_equal(stack.end_reason, PPROF_END_BAD_FRAME);
	assert_int_equal(mem.reads, 8 * 3);
	assert_int_equal(mem.opened, 0);
}

static void test_complete_chain(void **state)
{
	(void)state;
	put_chain(10, 4);
	assert_walk(STACK, 127, 11, PPROF_END_COMPLETE);
	assert_int_equal(mem.reads, 20);
}

static void test_frames_may_touch(void **state)
{
	(void)state;
	put_chain(10, 2);
	assert_walk(STACK, 127, 11, PPROF_END_COMPLETE);
}

/* Code without frame pointers has in rbp what it likes, and often 0. */
static void test_no_frame_at_all(void **state)
{
	(void)state;
	assert_walk(0, 127, 1, PPROF_END_BAD_FRAME);
	assert_walk(0, 1, 1, PPROF_END_BAD_FRAME);
	assert_int_equal(mem.reads, 0);
}

static void test_depth(void **state)
{
	(void)state;
	put_chain(10, 2);
	for (u32 max = 1; max < 11; max++)
		assert_walk(STACK, max, max, PPROF_END_DEPTH);
	assert_walk(STACK, 11, 11, PPROF_END_COMPLETE);
}

static void test_a_loop_ends(void **state)
{
	(void)state;
	put_chain(3, 4);
	put(8, STACK + 64, RET(2));
	assert_walk(STACK, 127, 4, PPROF_END_BAD_FRAME);
	put(8, STACK, RET(2));
	assert_walk(STACK, 127, 4, PPROF_END_BAD_FRAME);
}

/* One frame cannot lie in another one, nor below it. */
static void test_the_chain_climbs(void **state)
{
	(void)state;
	put_chain(3, 4);
	put(4, STACK + 8 * 4 + 8, RET(1));
	assert_walk(STACK, 127, 3, PPROF_END_BAD_FRAME);
	put(4, STACK + 8 * 2, RET(1));
	assert_walk(STACK, 127, 3, PPROF_END_BAD_FRAME);
}

/* Fails if a frame below sp is read: that part of the stack is not in use. */
static void test_the_first_frame_is_not_below_sp(void **state)
{
	(void)state;
	assert_walk(STACK - 8, 127, 1, PPROF_END_BAD_FRAME);
	assert_walk(8, 127, 1, PPROF_END_BAD_FRAME);
	assert_int_equal(mem.reads, 0);
	put_chain(1, 2);
	assert_walk(STACK, 127, 2, PPROF_END_COMPLETE);
}

static void test_unaligned(void **state)
{
	(void)state;
	put_chain(2, 4);
	for (u64 off = 1; off < 8; off++)
		assert_walk(STACK + off, 127, 1, PPROF_END_BAD_FRAME);
	put(0, STACK + 8 * 4 + 4, RET(0));
	assert_walk(STACK, 127, 2, PPROF_END_BAD_FRAME);
	assert_int_equal(mem.reads, 2);
}

static void test_kernel_addresses(void **state)
{
	static const u64 addresses[] = {
		TASK_SIZE_MAX, TASK_SIZE_MAX + 8, 1ULL << 47, 1ULL << 63, 0xffff888000000000,
		0xffffffff81000000, UINT64_MAX - 7, UINT64_MAX - 15,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
		mem.reads = 0;
		assert_walk(addresses[i], 127, 1, PPROF_END_BAD_FRAME);
		assert_int_equal(mem.reads, 0);
		put(0, addresses[i], RET(0));
		assert_walk(STACK, 127, 2, PPROF_END_BAD_FRAME);
		assert_int_equal(mem.reads, 2);
	}
}

/* Both words of the last frame lie below the end of user memory. */
static void test_the_end_of_user_memory(void **state)
{
	(void)state;
	mem.base = TOP;
	put(WORDS - 4, 0, RET(0));
	put(WORDS - 3, 0, RET(0));
	assert_walk(TASK_SIZE_MAX - 24, 127, 2, PPROF_END_COMPLETE);
	assert_int_equal(mem.reads, 2);
	assert_walk(TASK_SIZE_MAX - 8, 127, 1, PPROF_END_BAD_FRAME);
	assert_int_equal(mem.reads, 2);
}

/* Either word of any frame: what was read before stays. */
static void test_faults(void **state)
{
	(void)state;
	put_chain(10, 4);
	for (int i = 0; i < 10; i++) {
		for (int word = 0; word < 2; word++) {
			mem.fault_at = STACK + 8 * (4 * i + word);
			assert_walk(STACK, 127, i + 1, PPROF_END_FAULT);
		}
	}
}

static void test_no_access_at_all(void **state)
{
	(void)state;
	put_chain(3, 4);
	mem.closed = true;
	assert_walk(STACK, 127, 1, PPROF_END_FAULT);
	assert_int_equal(mem.reads, 0);
}

static void test_zero_return_address(void **state)
{
	(void)state;
	put_chain(4, 4);
	put(8, STACK + 8 * 12, 0);
	assert_walk(STACK, 127, 3, PPROF_END_BAD_FRAME);
	put(8, 0, 0);
	assert_walk(STACK, 127, 3, PPROF_END_BAD_FRAME);
}

static void test_a_bad_frame_is_told_even_at_the_limit(void **state)
{
	(void)state;
	put_chain(3, 4);
	put(8, 12345, RET(2));
	assert_walk(STACK, 4, 4, PPROF_END_BAD_FRAME);
}

static void test_compat(void **state)
{
	const struct pprof_regs regs = {
		.ip = 0x8049000, .sp = STACK, .fp = STACK, .compat = true,
	};
	u64 frames[4] = { 0 };
	struct pprof_stack stack = { .frames = frames, .max = 4 };

	(void)state;
	put_chain(3, 4);
	pprof_unwind_fp(&stack, &regs);
	assert_int_equal(stack.nr, 1);
	assert_int_equal(frames[0], 0x8049000);
	assert_int_equal(stack.end_reason, PPROF_END_COMPAT);
	assert_int_equal(mem.reads, 0);
	assert_int_equal(mem.disabled, 0);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup(test, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_complete_chain),
		WITH_SETUP(test_awaited),
		WITH_SETUP(test_starts_of_pages),
		WITH_SETUP(test_frames_may_touch),
		WITH_SETUP(test_no_frame_at_all),
		WITH_SETUP(test_depth),
		WITH_SETUP(test_a_loop_ends),
		WITH_SETUP(test_the_chain_climbs),
		WITH_SETUP(test_the_first_frame_is_not_below_sp),
		WITH_SETUP(test_unaligned),
		WITH_SETUP(test_kernel_addresses),
		WITH_SETUP(test_the_end_of_user_memory),
		WITH_SETUP(test_faults),
		WITH_SETUP(test_no_access_at_all),
		WITH_SETUP(test_zero_return_address),
		WITH_SETUP(test_a_bad_frame_is_told_even_at_the_limit),
		WITH_SETUP(test_compat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
