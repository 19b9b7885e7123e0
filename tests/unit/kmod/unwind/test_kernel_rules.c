// SPDX-License-Identifier: GPL-2.0
// sources: kmod/unwind/kernel_rules.c
// include: -Itests/unit/shim -include tests/unit/shim/kernel_unwind.h -DCONFIG_UNWINDER_ORC
// include: -include kmod/base/compat.h -Wno-unused-parameter -Wno-missing-field-initializers
/* Which rules are learned from the unwinder, and which stacks are walked by them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "kmod/unwind/kernel_rules.h"

#define IMAGE		0xffffffff81000000UL
#define MODULE		0xffffffffc1000000UL
/* A function of 256 bytes each, with one rule. */
#define IN(function)	(IMAGE + 256 * (function) + 16)
#define MAX		8
#define STACK_WORDS	(THREAD_SIZE / sizeof(unsigned long))

enum {
	LEAF,		/* CFA: sp + 8 */
	FRAME,		/* CFA: sp + 32 */
	SAVES,		/* the same, and the caller's bp is at CFA - 24 */
	HAS_FP,		/* CFA: bp + 16, the caller's bp is at bp */
	KEEPS_FP,	/* CFA: bp + 16, bp is unchanged */
	ALIGNED,	/* CFA: at bp - 40, the caller's bp is at bp */
	FROM_BP,	/* CFA: sp + 144, the caller's bp is at bp */
	ABOVE,		/* CFA: sp + 8, the caller's bp is there */
	INDIRECT,	/* CFA: the word at sp */
	SYSCALL,	/* registers at sp */
	PARTIAL,	/* the same, but some are not valid */
	INTERRUPT,	/* CFA: sp + 8, but the caller was interrupted */
	LARGE,		/* CFA: sp + 2048 */
	NO_RULE,
};

struct task_struct *current;
bool shim_irqs_are_off = true;

static struct task_struct task;
static unsigned long stack[STACK_WORDS] __attribute__((aligned(THREAD_SIZE)));
static struct pt_regs regs;
static u64 out[MAX + 1];
static int nr_steps;	/* of the unwinder */

void *task_stack_page(const struct task_struct *of)
{
	assert_ptr_equal(of, &task);
	return stack;
}

static void fail_step(struct unwind_state *state)
{
	state->error = true;
	state->frame = NULL;
}

static void step_to(struct unwind_state *state, unsigned long cfa)
{
	state->sp = cfa;
	if (cfa < 4096)
		fail_step(state);
}

static void load_bp(struct unwind_state *state, unsigned long at)
{
	if (at < 4096)
		fail_step(state);
	else
		state->bp = *(unsigned long *)at;
}

/* Takes one step, as the kernel's does if it is given registers. */
void unwind_start(struct unwind_state *state, struct task_struct *of, struct pt_regs *from,
		  unsigned long *first_frame)
{
	static const struct shim_frame some;

	assert_ptr_equal(of, &task);
	assert_false(user_mode(from));
	assert_in_range(from->ip, IMAGE, MODULE - 1);
	nr_steps++;
	*state = (struct unwind_state) { .frame = &some, .full_regs = true, .bp = from->bp };
	switch ((from->ip - IMAGE) / 256) {
	case LEAF:
		return step_to(state, from->sp + 8);
	case FRAME:
		return step_to(state, from->sp + 32);
	case SAVES:
		load_bp(state, from->sp + 8);
		return step_to(state, from->sp + 32);
	case HAS_FP:
		load_bp(state, from->bp);
		return step_to(state, from->bp + 16);
	case KEEPS_FP:
		return step_to(state, from->bp + 16);
	case ALIGNED:
		load_bp(state, from->bp);
		return step_to(state, from->bp < 4096 ? 0 : *(unsigned long *)(from->bp - 40));
	case FROM_BP:
		load_bp(state, from->bp);
		return step_to(state, from->sp + 144);
	case ABOVE:
		load_bp(state, from->sp + 8);
		return step_to(state, from->sp + 8);
	case INDIRECT:
		return step_to(state, *(unsigned long *)from->sp);
	case PARTIAL:
	case SYSCALL:
		state->regs = (struct pt_regs *)from->sp;
		state->full_regs = from->ip == IN(SYSCALL) || from->ip == IN(SYSCALL) - 1;
		state->signal = true;
		return;
	case INTERRUPT:
		state->signal = true;
		return step_to(state, from->sp + 8);
	case LARGE:
		return step_to(state, from->sp + 2048);
	}
	fail_step(state);
}

bool unwind_next_frame(struct unwind_state *state)
{
	fail();
	return false;
}

static int begin(void **state)
{
	current = &task;
	assert_int_equal(pprof_kernel_rules_init(), 0);
	memset(stack, 0, sizeof(stack));
	for (int i = 0; i <= MAX; i++)
		out[i] = 7;
	return 0;
}

static int end(void **state)
{
	pprof_kernel_rules_exit();
	return 0;
}

/*
 * Makes the stack of a leaf that FRAME has called, in a system call. The frames' return addresses
 * are in words 1, 5 and, for the entry, behind it.
 */
static void make_stack(unsigned long *at, unsigned long leaf)
{
	regs = (struct pt_regs) { .ip = leaf, .sp = (unsigned long)at, .cs = __KERNEL_CS };
	at[0] = IN(FRAME);
	at[4] = IN(SYSCALL);
	((struct pt_regs *)(at + 5))->cs = SHIM_USER_CS;
}

static void learn(void)
{
	pprof_kernel_rules_learn(IN(FRAME));
	pprof_kernel_rules_learn(IN(SYSCALL));
}

static u32 walk(u32 max)
{
	return pprof_kernel_rules_walk(&regs, out, max);
}

/* Fails if a step goes wrong, if rules are asked for again, or if frames are written behind. */
static void test_a_system_call(void **state)
{
	static const u64 want[] = { IN(LEAF), IN(FRAME), IN(SYSCALL) };

	make_stack(stack + 100, IN(LEAF));
	assert_int_equal(walk(MAX), 0);
	learn();
	nr_steps = 0;
	assert_int_equal(walk(MAX), 3);
	assert_memory_equal(out, want, sizeof(want));
	assert_int_equal(out[3], 7);
	assert_int_equal(walk(3), 3);
	assert_int_equal(walk(2), 0);
	assert_int_equal(nr_steps, 0);
}

/* Fails if a rule is learned twice, or one of code that may make room for other code. */
static void test_what_is_learned(void **state)
{
	assert_true(pprof_kernel_rules_learn(IN(FRAME)));
	assert_false(pprof_kernel_rules_learn(IN(FRAME)));
	assert_true(pprof_kernel_rules_learn(IN(NO_RULE)));
	assert_false(pprof_kernel_rules_learn(IN(NO_RULE)));
	assert_false(pprof_kernel_rules_learn(MODULE));
	assert_false(pprof_kernel_rules_learn(0));
	make_stack(stack + 100, MODULE);
	learn();
	nr_steps = 0;
	assert_int_equal(walk(MAX), 0);
	assert_int_equal(nr_steps, 0);
}

/* Fails if the rule of a return address is taken from the instruction behind the call. */
static void test_a_call_at_the_end_of_a_function(void **state)
{
	make_stack(stack + 100, IN(LEAF));
	learn();
	stack[100] = IMAGE + 256 * (FRAME + 1);
	pprof_kernel_rules_learn(stack[100]);
	assert_int_equal(walk(MAX), 3);
	assert_int_equal(out[1], stack[100]);
}

/*
 * Fails if an interrupted instruction and a return address with the same number share a rule. The
 * second may be a trampoline's. Nor may a word of the stack be taken for an offset in the image.
 */
static void test_an_interrupted_address(void **state)
{
	make_stack(stack + 100, IN(LEAF));
	learn();
	assert_int_equal(walk(MAX), 3);
	stack[100] = IN(LEAF);
	assert_int_equal(walk(MAX), 0);
	stack[100] = IN(LEAF) + (1UL << 30);
	assert_int_equal(walk(MAX), 0);
	stack[100] = IN(FRAME) & 0xffffffff;
	assert_int_equal(walk(MAX), 0);
	stack[100] = IN(LEAF) & 0x3fffffff;
	assert_int_equal(walk(MAX), 0);
}

/* Fails if a rule that needs more than the stack pointer is followed. */
static void test_rules_for_the_unwinder(void **state)
{
	static const int others[] = {
		KEEPS_FP, FROM_BP, ABOVE, INDIRECT, PARTIAL, INTERRUPT, LARGE, NO_RULE,
	};

	learn();
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		make_stack(stack + 100, IN(others[i]));
		assert_int_equal(walk(MAX), 0);
		make_stack(stack + 100, IN(LEAF));
		assert_int_equal(walk(MAX), 3);
		stack[100] = IN(others[i]);
		pprof_kernel_rules_learn(IN(others[i]));
		assert_int_equal(walk(MAX), 0);
	}
}

/* Fails if the frame pointer is not followed through functions that save it, or leave it alone. */
static void test_frame_pointers(void **state)
{
	static const u64 want[] = { IN(LEAF), IN(SAVES), IN(HAS_FP), IN(FRAME), IN(HAS_FP),
				    IN(SYSCALL) };
	unsigned long *at = stack + 100;

	make_stack(at + 20, IN(LEAF));
	for (size_t i = 1; i < sizeof(want) / sizeof(*want); i++)
		pprof_kernel_rules_learn(want[i]);
	regs.sp = (unsigned long)at;
	regs.bp = 7;
	at[0] = IN(SAVES);
	at[2] = (unsigned long)(at + 9);
	at[4] = IN(HAS_FP);
	at[9] = (unsigned long)(at + 23);
	at[10] = IN(FRAME);
	at[14] = IN(HAS_FP);
	assert_int_equal(walk(MAX), 6);
	assert_memory_equal(out, want, sizeof(want));
	at[2] = (unsigned long)(at + 4);	/* below the stack pointer */
	assert_int_equal(walk(MAX), 0);
	at[2] = 0;
	assert_int_equal(walk(MAX), 0);
	at[2] = (unsigned long)(at + 9) + 1;
	assert_int_equal(walk(MAX), 0);
	at[2] = (unsigned long)(stack + STACK_WORDS - 1);
	assert_int_equal(walk(MAX), 0);
	at[2] = (unsigned long)(stack + STACK_WORDS + 1000);
	assert_int_equal(walk(MAX), 0);
}

/* Fails if the CFA of a function that aligns its stack is of another word, or not checked. */
static void test_an_aligned_stack(void **state)
{
	static const u64 want[] = { IN(ALIGNED), IN(FRAME), IN(SYSCALL) };
	unsigned long *at = stack + 100;

	make_stack(at + 20, IN(LEAF));
	learn();
	regs.ip = IN(ALIGNED);
	regs.sp = (unsigned long)at;
	regs.bp = (unsigned long)(at + 8);
	at[3] = (unsigned long)(at + 21);
	assert_int_equal(walk(MAX), 3);
	assert_memory_equal(out, want, sizeof(want));
	at[3] = (unsigned long)at;
	assert_int_equal(walk(MAX), 0);
	at[3] = (unsigned long)(stack + STACK_WORDS + 1);
	assert_int_equal(walk(MAX), 0);
	regs.bp = (unsigned long)(at + 4);
	at[-1] = (unsigned long)(at + 21);
	assert_int_equal(walk(MAX), 0);
}

/* Fails if a word outside of the stack is read, or code that no user entered is a good end. */
static void test_the_bounds_of_the_stack(void **state)
{
	const size_t entry_words = sizeof(struct pt_regs) / sizeof(unsigned long);
	unsigned long *top = stack + STACK_WORDS;

	learn();
	make_stack(top - 5 - entry_words, IN(LEAF));
	assert_int_equal(walk(MAX), 3);
	memmove(top - 5, top - 5 - entry_words, 5 * sizeof(*top));
	regs.sp = (unsigned long)(top - 5);
	assert_int_equal(walk(MAX), 0);
	regs.sp = (unsigned long)top;
	assert_int_equal(walk(MAX), 0);
	regs.sp = (unsigned long)(stack - 1);
	assert_int_equal(walk(MAX), 0);
	top[-1] = IN(FRAME);
	regs.sp = (unsigned long)(top - 1);
	assert_int_equal(walk(MAX), 0);
	make_stack(stack + 100, IN(LEAF));
	((struct pt_regs *)(stack + 105))->cs = __KERNEL_CS;
	assert_int_equal(walk(MAX), 0);
}

/* Fails if a rule is made for code on another stack, where it cannot be used. */
static void test_another_stack(void **state)
{
	static unsigned long other[1];

	make_stack(stack + 100, IN(LEAF));
	regs.sp = (unsigned long)other;
	nr_steps = 0;
	assert_int_equal(walk(MAX), 0);
	assert_int_equal(nr_steps, 0);
}

/* Fails if two addresses of one stack with the same hash push each other out. */
static void test_many_rules(void **state)
{
	make_stack(stack + 100, IN(LEAF));
	for (unsigned long i = 0; i < 4096; i++)
		pprof_kernel_rules_learn(IN(NO_RULE + 1 + i));
	learn();
	assert_int_equal(walk(MAX), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_system_call, begin, end),
		cmocka_unit_test_setup_teardown(test_what_is_learned, begin, end),
		cmocka_unit_test_setup_teardown(test_a_call_at_the_end_of_a_function, begin, end),
		cmocka_unit_test_setup_teardown(test_an_interrupted_address, begin, end),
		cmocka_unit_test_setup_teardown(test_rules_for_the_unwinder, begin, end),
		cmocka_unit_test_setup_teardown(test_frame_pointers, begin, end),
		cmocka_unit_test_setup_teardown(test_an_aligned_stack, begin, end),
		cmocka_unit_test_setup_teardown(test_the_bounds_of_the_stack, begin, end),
		cmocka_unit_test_setup_teardown(test_another_stack, begin, end),
		cmocka_unit_test_setup_teardown(test_many_rules, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
