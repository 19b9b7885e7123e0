// SPDX-License-Identifier: GPL-2.0
// sources: kmod/unwind/kernel_stack.c
// include: -Itests/unit/shim -include tests/unit/shim/kernel_unwind.h
// include: -include kmod/base/compat.h -Wno-unused-parameter -Wno-missing-field-initializers
/* Which frames of the kernel a walk takes, and when it says that some are missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/sched.h>

#include "kmod/unwind/kernel_rules.h"
#include "kmod/unwind/kernel_stack.h"

#define READ		0xffffffff81000100UL
#define CALL		0xffffffff81000200UL
#define ENTRY		0xffffffff81000300UL
#define INTERRUPT	0xffffffff81000400UL
#define OWN		0xffffffffc0000100UL
#define USER		0x401000UL
#define MAX		4

bool shim_in_hardirq;
struct pt_regs *shim_irq_regs;
struct task_struct *current;
struct module {
	int unused;
} shim_module;

static struct task_struct task, other;
static const struct task_struct *walked;
static struct pt_regs user_regs = { .ip = USER, .cs = SHIM_USER_CS };
static struct pt_regs kernel_regs = { .ip = READ, .cs = 0x10 };
static const struct shim_frame *frames;
static bool fails;	/* the unwinder finds an error at the end of the frames */
static u64 out[MAX + 1];

static u32 nr_by_rules;
static unsigned long learned[MAX + 1];
static int nr_learned;

u32 pprof_kernel_rules_walk(struct pt_regs *regs, u64 *to, u32 max)
{
	assert_ptr_equal(regs, &kernel_regs);
	assert_int_equal(max, MAX);
	return nr_by_rules;
}

bool pprof_kernel_rules_learn(unsigned long return_address)
{
	assert_true(nr_learned <= MAX);
	learned[nr_learned++] = return_address;
	return true;
}

bool within_module(unsigned long address, const struct module *module)
{
	assert_ptr_equal(module, &shim_module);
	return address >= OWN;
}

static void skip_end(struct unwind_state *state)
{
	if (state->frame->address)
		return;
	state->frame = NULL;
	state->error = fails;
}

void unwind_start(struct unwind_state *state, struct task_struct *of, struct pt_regs *regs,
		  unsigned long *first_frame)
{
	assert_ptr_equal(of, walked);
	assert_ptr_equal(regs, shim_irq_regs);
	*state = (struct unwind_state) { .frame = frames };
	skip_end(state);
}

bool unwind_next_frame(struct unwind_state *state)
{
	state->frame++;
	skip_end(state);
	return state->frame;
}

static int begin(void **state)
{
	current = &task;
	walked = &task;
	shim_in_hardirq = false;
	shim_irq_regs = NULL;
	fails = false;
	nr_by_rules = 0;
	nr_learned = 0;
	for (int i = 0; i <= MAX; i++)
		out[i] = 7;
	return 0;
}

static void assert_stack(const struct shim_frame *of, u32 nr, const u64 *want)
{
	frames = of;
	assert_int_equal(pprof_kernel_stack_here(out, MAX), nr);
	assert_memory_equal(out, want, nr * sizeof(*want));
	assert_int_equal(out[nr], 7);
}

/* Fails if the module's own frames are shown, or if the user's entry is taken for a lack. */
static void test_called_from_the_kernel(void **state)
{
	static const struct shim_frame of[] = {
		{ OWN }, { OWN + 8 }, { READ }, { CALL }, { ENTRY }, { USER, &user_regs }, { 0 },
	};
	static const u64 want[] = { READ, CALL, ENTRY };

	assert_stack(of, 3, want);
	assert_int_equal(nr_learned, 0);
}

/* Fails if the walk of a new thread, which has no caller, counts as incomplete. */
static void test_a_thread_that_begins(void **state)
{
	static const struct shim_frame of[] = { { READ }, { 0 } };
	static const u64 want[] = { READ };

	assert_stack(of, 1, want);
}

/* Fails if the interrupted instruction is left out, or is there twice. */
static void test_a_timer_that_interrupts_the_kernel(void **state)
{
	static const struct shim_frame of[] = { { CALL }, { USER, &user_regs }, { 0 } };
	static const u64 want[] = { READ, CALL };

	shim_in_hardirq = true;
	shim_irq_regs = &kernel_regs;
	assert_stack(of, 2, want);
}

/* Fails if the unwinder walks a stack whose rules are all known. */
static void test_a_timer_where_all_rules_are_known(void **state)
{
	shim_in_hardirq = true;
	shim_irq_regs = &kernel_regs;
	nr_by_rules = 3;
	assert_int_equal(pprof_kernel_stack_here(out, MAX), 3);
	assert_int_equal(out[0], 7);
}

/*
 * Fails if an instruction that was interrupted is kept as a caller, or a caller is not kept; or if
 * the byte before its frame is not in its function.
 */
static void test_callers_are_kept(void **state)
{
	static const struct shim_frame of[] = {
		{ CALL }, { READ, &kernel_regs }, { ENTRY }, { USER, &user_regs }, { 0 },
	};
	static const u64 want[] = { READ, CALL, READ + 1, ENTRY };

	shim_in_hardirq = true;
	shim_irq_regs = &kernel_regs;
	assert_stack(of, 4, want);
	assert_int_equal(nr_learned, 2);
	assert_int_equal(learned[0], CALL);
	assert_int_equal(learned[1], ENTRY);
}

/* Fails if code without a rule passes for the first function of a thread. */
static void test_a_timer_that_interrupts_unknown_code(void **state)
{
	static const struct shim_frame none[] = { { 0 } };
	static const u64 want[] = { READ, 0 };

	shim_in_hardirq = true;
	shim_irq_regs = &kernel_regs;
	assert_stack(none, 2, want);
}

static void test_a_timer_that_interrupts_the_user(void **state)
{
	shim_in_hardirq = true;
	shim_irq_regs = &user_regs;
	assert_stack(NULL, 0, out);
}

/* Fails if frames of the interrupt are shown. An interrupt of another CPU keeps no registers. */
static void test_another_interrupt(void **state)
{
	static const struct shim_frame kernel[] = {
		{ OWN }, { INTERRUPT }, { READ, &kernel_regs }, { CALL },
		{ USER, &user_regs }, { 0 },
	};
	static const struct shim_frame user[] = {
		{ OWN }, { INTERRUPT }, { USER, &user_regs }, { 0 },
	};
	static const u64 want[] = { READ, CALL };

	shim_in_hardirq = true;
	assert_stack(kernel, 2, want);
	begin(state);
	shim_in_hardirq = true;
	assert_stack(user, 0, want);
}

/* Fails if more than @max frames are written, or if the lack is not shown. */
static void test_too_many_frames(void **state)
{
	static const struct shim_frame full[] = {
		{ READ }, { CALL }, { CALL }, { ENTRY }, { USER, &user_regs }, { 0 },
	};
	static const struct shim_frame over[] = {
		{ READ }, { CALL }, { CALL }, { CALL }, { ENTRY }, { USER, &user_regs }, { 0 },
	};
	static const u64 all[] = { READ, CALL, CALL, ENTRY }, some[] = { READ, CALL, CALL, 0 };

	assert_stack(full, 4, all);
	assert_stack(over, 4, some);
}

/* Fails if code without unwind information, or a stack that is no stack, passes for complete. */
static void test_an_end_that_is_not_the_user(void **state)
{
	static const struct shim_frame unknown[] = { { READ }, { USER }, { 0 } };
	static const struct shim_frame wrong[] = { { READ }, { 0 } }, none[] = { { 0 } };
	static const u64 want[] = { READ, 0 }, nothing[] = { 0 };

	assert_stack(unknown, 2, want);
	begin(state);
	fails = true;
	assert_stack(wrong, 2, want);
	begin(state);
	fails = true;
	assert_stack(none, 1, nothing);
}

/* Fails if the stack of another thread begins behind the switch. */
static void test_a_thread_off_its_cpu(void **state)
{
	static const struct shim_frame of[] = {
		{ READ }, { CALL }, { ENTRY }, { USER, &user_regs }, { 0 },
	};

	walked = &other;
	frames = of;
	assert_int_equal(pprof_kernel_stack_of(&other, out, MAX), 3);
	assert_int_equal(out[0], READ);
	assert_int_equal(out[2], ENTRY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_called_from_the_kernel, begin),
		cmocka_unit_test_setup(test_a_thread_that_begins, begin),
		cmocka_unit_test_setup(test_a_timer_that_interrupts_the_kernel, begin),
		cmocka_unit_test_setup(test_a_timer_where_all_rules_are_known, begin),
		cmocka_unit_test_setup(test_callers_are_kept, begin),
		cmocka_unit_test_setup(test_a_timer_that_interrupts_unknown_code, begin),
		cmocka_unit_test_setup(test_a_timer_that_interrupts_the_user, begin),
		cmocka_unit_test_setup(test_another_interrupt, begin),
		cmocka_unit_test_setup(test_too_many_frames, begin),
		cmocka_unit_test_setup(test_an_end_that_is_not_the_user, begin),
		cmocka_unit_test_setup(test_a_thread_off_its_cpu, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
