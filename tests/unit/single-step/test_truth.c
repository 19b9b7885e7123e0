// SPDX-License-Identifier: GPL-2.0
// sources: tests/single-step/truth.c tests/single-step/insn.c tests/single-step/tally.c
// sources: collector/device/end_reason.c
// include: -Itests/unit/shim -Itests/single-step
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "insn.h"
#include "kmod/unwind/stack.h"
#include "memory.h"
#include "pprof.h"
#include "tally.h"
#include "truth.h"

#define WORDS	1024
#define STACK	0x7ffd12340000ULL
#define TOP	(STACK + 8 * WORDS)
#define PC	0x401000ULL
#define FAR	0x409000ULL	/* only a jump leads there */
#define NEXT	(PC + 3)

/* A thread: its stack, and the true stack of its calls. */
static struct {
	uint64_t words[WORDS];
	struct truth_regs regs;
	struct truth *truth;
} task;

bool memory_word(uint64_t at, uint64_t *to)
{
	if (at < STACK || at > TOP - 8)
		return false;
	memcpy(to, (char *)task.words + (at - STACK), 8);
	return true;
}

static void store(uint64_t at, uint64_t value)
{
	memcpy((char *)task.words + (at - STACK), &value, 8);
}

static int setup(void **state)
{
	(void)state;
	memset(&task, 0, sizeof(task));
	task.regs = (struct truth_regs){ .pc = PC, .sp = TOP - 64 };
	task.truth = truth_new();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	truth_free(task.truth);
	return 0;
}

static void step(enum insn insn, uint64_t pc, uint64_t sp)
{
	struct truth_regs before = task.regs;

	task.regs.pc = pc;
	task.regs.sp = sp;
	truth_step(task.truth, insn, &before, &task.regs);
}

static void call(uint64_t return_address)
{
	store(task.regs.sp - 8, return_address);
	step(INSN_CALL, FAR, task.regs.sp - 8);
	task.regs.pc = PC;
}

static void push(enum insn insn, uint64_t value)
{
	store(task.regs.sp - 8, value);
	step(insn, NEXT, task.regs.sp - 8);
	task.regs.pc = PC;
}

static void move_sp(uint64_t sp)
{
	step(INSN_OTHER, NEXT, sp);
	task.regs.pc = PC;
}

#define ASSERT_FRAMES(...)	assert_frames((const uint64_t[]){ __VA_ARGS__, 0 })

/* Those behind the PC. */
static void assert_frames(const uint64_t *want)
{
	uint64_t frames[16] = { 0 };
	size_t nr = 0;

	while (want[nr])
		nr++;
	assert_int_equal(truth_frames(task.truth, PC, frames, 16), nr + 1);
	assert_int_equal(frames[0], PC);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(frames[i + 1], want[i]);
}

static void assert_no_frames(void)
{
	const uint64_t none = 0;

	assert_frames(&none);
}

static void test_calls_and_returns(void **state)
{
	(void)state;
	assert_no_frames();
	call(1);
	move_sp(task.regs.sp - 64);
	call(2);
	ASSERT_FRAMES(2, 1);
	step(INSN_OTHER, FAR, task.regs.sp + 8);
	ASSERT_FRAMES(1);
	move_sp(task.regs.sp + 64);
	ASSERT_FRAMES(1);
	assert_false(truth_is_moving(task.truth));
	step(INSN_OTHER, FAR, task.regs.sp + 8);
	assert_no_frames();
	assert_false(truth_is_moving(task.truth));
}

/* It faulted: nothing was pushed. */
static void test_a_call_that_did_not_happen(void **state)
{
	(void)state;
	step(INSN_CALL, PC, task.regs.sp);
	assert_no_frames();
}

static void test_push_and_ret_is_a_jump(void **state)
{
	(void)state;
	call(1);
	push(INSN_OTHER, FAR);
	step(INSN_OTHER, FAR, task.regs.sp + 8);
	ASSERT_FRAMES(1);
}

static void test_longjmp(void **state)
{
	uint64_t sp = task.regs.sp;

	(void)state;
	for (int i = 1; i <= 5; i++)
		call(i);
	move_sp(sp - 16);
	ASSERT_FRAMES(2, 1);
	assert_true(truth_is_moving(task.truth));
	step(INSN_OTHER, NEXT, sp - 16);
	assert_true(truth_is_moving(task.truth));
	step(INSN_OTHER, FAR, sp - 16);
	assert_false(truth_is_moving(task.truth));
	ASSERT_FRAMES(2, 1);
}

static void test_vfork(void **state)
{
	uint64_t sp = task.regs.sp;
	struct truth *child;

	(void)state;
	call(1);
	call(2);
	step(INSN_POP, NEXT, task.regs.sp + 8);
	task.regs.pc = PC;
	ASSERT_FRAMES(2, 1);
	step(INSN_SYSCALL, PC + 2, task.regs.sp);
	task.regs.pc = PC;
	ASSERT_FRAMES(2, 1);
	child = truth_copy(task.truth);
	push(INSN_OTHER, 2);
	step(INSN_OTHER, FAR, task.regs.sp);
	ASSERT_FRAMES(2, 1);
	step(INSN_OTHER, FAR, sp - 8);
	ASSERT_FRAMES(1);
	/* Its frame stays where it is in the other process. */
	truth_free(task.truth);
	task.truth = child;
	ASSERT_FRAMES(2, 1);
}

/* sigsetjmp() of musl pops its return address to memory, and calls setjmp(). */
static void test_a_call_while_it_is_popped(void **state)
{
	uint64_t sp = task.regs.sp;

	(void)state;
	call(1);
	step(INSN_POP, NEXT, sp);
	task.regs.pc = PC;
	call(2);
	ASSERT_FRAMES(2, 1);
	step(INSN_OTHER, FAR, sp);
	task.regs.pc = PC;
	ASSERT_FRAMES(1);
	push(INSN_OTHER, 1);
	ASSERT_FRAMES(1);
	step(INSN_OTHER, FAR, sp);
}

/* Popped to be jumped to: that is a return. */
static void test_a_return_by_register(void **state)
{
	(void)state;
	call(1);
	call(2);
	step(INSN_POP, NEXT, task.regs.sp + 8);
	step(INSN_OTHER, FAR, task.regs.sp);
	ASSERT_FRAMES(1);
}

/* A pop of anything else is none. */
static void test_a_pop_above_the_return_address(void **state)
{
	(void)state;
	call(1);
	push(INSN_OTHER, 5);
	push(INSN_OTHER, 6);
	step(INSN_POP, NEXT, task.regs.sp + 8);
	step(INSN_OTHER, FAR, task.regs.sp);
	ASSERT_FRAMES(1);
	step(INSN_OTHER, FAR, task.regs.sp + 16);
	assert_no_frames();
}

#define UC_SP		(2 * 8)		/* of the stack that handlers have */
#define UC_SIZE		(4 * 8)
#define UC_RSP		(20 * 8)
#define UC_RIP		(21 * 8)
#define RESTORER	77ULL

/* The kernel's part: a frame for the handler, at 16 n + 8. */
static bool deliver(uint64_t frame, uint64_t alt, uint64_t alt_size)
{
	struct truth_regs before = task.regs;

	store(frame, RESTORER);
	store(frame + 8 + UC_SP, alt);
	store(frame + 8 + UC_SIZE, alt_size);
	store(frame + 8 + UC_RSP, before.sp);
	store(frame + 8 + UC_RIP, before.pc);
	task.regs.sp = frame;
	return truth_signal(task.truth, &before, &task.regs);
}

static void sigreturn(uint64_t sp)
{
	task.regs.sp += 8;
	step(INSN_SYSCALL, FAR, sp);
	task.regs.pc = PC;
}

/* Frames of a signal: see uapi/pprof.h. */
#define MARKED(pc)	((pc) + 1)

static void test_signals(void **state)
{
	uint64_t sp;

	(void)state;
	call(1);
	sp = task.regs.sp;
	assert_true(deliver(STACK + 8 * 401, 0, 0));
	ASSERT_FRAMES(MARKED(RESTORER), MARKED(PC), 1);
	call(2);
	ASSERT_FRAMES(2, MARKED(RESTORER), MARKED(PC), 1);
	step(INSN_OTHER, FAR, task.regs.sp + 8);
	step(INSN_OTHER, FAR, task.regs.sp + 8);
	ASSERT_FRAMES(MARKED(PC), 1);
	task.regs.sp -= 8;
	sigreturn(sp);
	ASSERT_FRAMES(1);
}

/* Ignored: an instruction ran, and rsp is where it put it. */
static void test_no_frame_of_a_handler(void **state)
{
	uint64_t frame = STACK + 8 * 401;
	struct truth_regs before;

	(void)state;
	call(1);
	before = task.regs;
	assert_true(deliver(frame, 0, 0));
	truth_reset(task.truth);
	assert_false(truth_is_moving(task.truth));
	store(frame + 8 + UC_RSP, before.sp + 8);
	assert_false(truth_signal(task.truth, &before, &task.regs));
	store(frame + 16 + UC_RSP, before.sp);
	task.regs.sp += 8;
	assert_false(truth_signal(task.truth, &before, &task.regs));
	assert_no_frames();
}

/* The signal stack may lie above the other: its frames are not those left. */
static void test_a_signal_stack(void **state)
{
	uint64_t alt = STACK + 8 * 600, sp;

	(void)state;
	task.regs.sp = STACK + 8 * 200;
	call(1);
	sp = task.regs.sp;
	assert_true(deliver(alt + 8 * 101, alt, 8 * 200));
	call(2);
	/* A second one on the same stack, left by siglongjmp() to the first. */
	assert_true(deliver(alt + 8 * 51, alt, 8 * 200));
	ASSERT_FRAMES(MARKED(RESTORER), MARKED(PC), 2, MARKED(RESTORER), MARKED(PC), 1);
	move_sp(alt + 8 * 100);
	ASSERT_FRAMES(2, MARKED(RESTORER), MARKED(PC), 1);
	step(INSN_OTHER, FAR, task.regs.sp + 8);
	sigreturn(sp);
	ASSERT_FRAMES(1);
}

/* There is one, but not for this handler. */
static void test_a_signal_stack_that_is_not_used(void **state)
{
	(void)state;
	call(1);
	assert_true(deliver(STACK + 8 * 401, STACK, 8 * 200));
	step(INSN_OTHER, NEXT, task.regs.sp);
	ASSERT_FRAMES(MARKED(RESTORER), MARKED(PC), 1);
}

static void test_siglongjmp_off_the_signal_stack(void **state)
{
	uint64_t alt = STACK + 8 * 600, sp;

	(void)state;
	task.regs.sp = STACK + 8 * 200;
	call(1);
	sp = task.regs.sp;
	call(2);
	assert_true(deliver(alt + 8 * 101, alt, 8 * 200));
	call(3);
	move_sp(sp);
	ASSERT_FRAMES(1);
}

static void load_sp(uint64_t sp)
{
	step(INSN_LOAD_SP, NEXT, sp);
	task.regs.pc = PC;
}

/* Functions run on two stacks. One begins at TOP, the other one at OTHER. */
#define OTHER	(STACK + 4096)

/* Code on the other stack is called: the frames of the first one are its callers. */
static void test_a_call_on_another_stack(void **state)
{
	uint64_t sp;

	(void)state;
	truth_follow_switches();
	call(1);
	sp = task.regs.sp;
	load_sp(OTHER);
	ASSERT_FRAMES(1);
	call(2);
	ASSERT_FRAMES(2, 1);
	assert_true(truth_is_intact(task.truth));
	step(INSN_OTHER, FAR, OTHER);
	task.regs.pc = PC;
	load_sp(sp);
	ASSERT_FRAMES(1);
	assert_false(truth_is_partial(task.truth));
}

/* Code on the other stack has no caller, until the first stack goes on. */
static void test_a_start_on_another_stack(void **state)
{
	struct truth_regs before;
	uint64_t sp;

	(void)state;
	truth_follow_switches();
	task.regs.fp = TOP;
	call(1);
	sp = task.regs.sp;
	load_sp(OTHER);
	before = task.regs;
	task.regs.fp = 0;
	truth_step(task.truth, INSN_OTHER, &before, &task.regs);
	assert_no_frames();
	call(2);
	ASSERT_FRAMES(2);
	load_sp(sp);
	ASSERT_FRAMES(1);
}

/* A coroutine that was left for another one runs on. */
static void test_coroutines(void **state)
{
	uint64_t sp;

	(void)state;
	truth_follow_switches();
	call(1);
	sp = task.regs.sp;
	load_sp(OTHER);
	call(2);
	/* The third stack is new, and begins with a jump. */
	load_sp(STACK + 2048);
	assert_true(truth_is_partial(task.truth));
	call(3);
	ASSERT_FRAMES(3);
	load_sp(OTHER);
	step(INSN_OTHER, FAR, OTHER);
	task.regs.pc = PC;
	load_sp(sp);
	ASSERT_FRAMES(1);
	assert_false(truth_is_partial(task.truth));
}

static void test_is_intact(void **state)
{
	uint64_t sp;

	(void)state;
	call(1);
	push(INSN_PUSH_RBP, 5);
	sp = task.regs.sp;
	call(2);
	assert_true(truth_is_intact(task.truth));
	store(sp - 8, 3);
	assert_false(truth_is_intact(task.truth));
	store(sp - 8, 2);
	store(sp, 6);
	assert_false(truth_is_intact(task.truth));
	/* Restored: the word is free for all. */
	step(INSN_OTHER, FAR, sp);
	step(INSN_POP, NEXT, sp + 8);
	assert_true(truth_is_intact(task.truth));
}

static void test_insns(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		enum insn kind;
	} insns[] = {
		{ "\xe8\x00\x00\x00\x01", 5, INSN_CALL },
		{ "\xf2\xe8\x00\x00\x00\x01", 6, INSN_CALL },
		{ "\xff\xd0", 2, INSN_CALL },			/* call *%rax */
		{ "\x41\xff\x14\xdc", 4, INSN_CALL },		/* call *(%r12,%rbx,8) */
		{ "\x3e\xff\xd0", 3, INSN_CALL },		/* notrack */
		{ "\x67\xff\x13", 3, INSN_CALL },
		{ "\xff\xe0", 2, INSN_OTHER },			/* jmp *%rax */
		{ "\xff\x36", 2, INSN_OTHER },			/* push (%rsi) */
		{ "\xc3", 1, INSN_OTHER },
		{ "\x55", 1, INSN_PUSH_RBP },
		{ "\x41\x55", 2, INSN_OTHER },			/* push %r13 */
		{ "\x58", 1, INSN_POP },
		{ "\x41\x5f", 2, INSN_POP },
		{ "\x8f\x47\x40", 3, INSN_POP },		/* pop 64(%rdi) */
		{ "\x8f\xc8", 2, INSN_OTHER },
		{ "\x48\x8b\x62\x38", 4, INSN_LOAD_SP },	/* mov 0x38(%rdx),%rsp */
		{ "\x4c\x8b\x62\x38", 4, INSN_OTHER },		/* ... ,%r12 */
		{ "\x4c\x89\xe4", 3, INSN_LOAD_SP },		/* mov %r12,%rsp */
		{ "\x49\x89\xc4", 3, INSN_OTHER },		/* mov %rax,%r12 */
		{ "\x48\x89\xec", 3, INSN_OTHER },		/* mov %rbp,%rsp */
		{ "\x0f\x05", 2, INSN_SYSCALL },
		{ "\x0f\x1f\x00", 3, INSN_OTHER },
		{ "\xff", 1, INSN_OTHER },
		{ "\x41", 1, INSN_OTHER },
		{ "\x00\x00", 2, INSN_OTHER },
		{ "", 0, INSN_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(insns) / sizeof(*insns); i++)
		assert_int_equal(insn_kind((const uint8_t *)insns[i].bytes, insns[i].size),
				 insns[i].kind);
}

/* The verdict on frames, of which max were asked for; 1, 2, 3 are true. */
static enum verdict verdict(uint16_t end, uint32_t max, uint32_t nr, u64 *frames)
{
	static const uint64_t want[] = { 1, 2, 3 };
	const struct pprof_stack found = {
		.frames = frames, .max = max, .nr = nr, .end_reason = end
	};

	return tally_verdict(want, 3, &found);
}

#define VERDICT(end, max, ...)	verdict(end, max, sizeof((u64[]){ __VA_ARGS__ }) / 8, \
					(u64[]){ __VA_ARGS__ })

static void test_verdicts(void **state)
{
	(void)state;
	assert_int_equal(VERDICT(PPROF_END_COMPLETE, 9, 1, 2, 3), VERDICT_EXACT);
	assert_int_equal(VERDICT(PPROF_END_FAULT, 9, 1, 2, 3), VERDICT_TRUNCATED);
	assert_int_equal(VERDICT(PPROF_END_FAULT, 9, 1), VERDICT_TRUNCATED);
	/* It poses as whole. */
	assert_int_equal(VERDICT(PPROF_END_COMPLETE, 9, 1, 2), VERDICT_WRONG);
	assert_int_equal(VERDICT(PPROF_END_COMPLETE, 9, 1, 3), VERDICT_WRONG);
	assert_int_equal(VERDICT(PPROF_END_FAULT, 9, 1, 3), VERDICT_WRONG);
	assert_int_equal(VERDICT(PPROF_END_FAULT, 9, 1, 2, 3, 4), VERDICT_WRONG);
	assert_int_equal(VERDICT(PPROF_END_COMPLETE, 9, 1, 2, 3, 4), VERDICT_WRONG);
	assert_int_equal(VERDICT(PPROF_END_DEPTH, 2, 1, 2), VERDICT_EXACT);
	assert_int_equal(VERDICT(PPROF_END_COMPLETE, 2, 1, 2), VERDICT_WRONG);
	assert_int_equal(VERDICT(PPROF_END_DEPTH, 3, 1, 2, 3), VERDICT_TRUNCATED);
}

static void test_allowed(void **state)
{
	static const uint64_t want[] = { 1, 2, 3 };
	struct pprof_stack found = {
		.frames = (u64[]){ 1, 4 }, .max = 9, .nr = 2, .end_reason = PPROF_END_COMPLETE,
		.flags = PPROF_SAMPLE_GUESS,
	};

	(void)state;
	assert_int_equal(tally_verdict(want, 3, &found), VERDICT_MISGUESSED);
	tally_allow_missing(1);
	assert_int_equal(VERDICT(PPROF_END_COMPLETE, 9, 1, 2), VERDICT_EXACT);
	assert_int_equal(VERDICT(PPROF_END_FAULT, 9, 1, 2), VERDICT_TRUNCATED);
	assert_int_equal(VERDICT(PPROF_END_COMPLETE, 9, 1), VERDICT_WRONG);
	assert_int_equal(VERDICT(PPROF_END_COMPLETE, 9, 1, 3), VERDICT_WRONG);
	tally_allow_missing(0);
}

static void test_culprits(void **state)
{
	static const uint64_t want[] = { 1, 2, 3 };
	u64 wrong[] = { 1, 2, 4 };
	struct pprof_stack found = {
		.frames = wrong, .max = 9, .nr = 3, .end_reason = PPROF_END_COMPLETE,
	};
	size_t culprit = 9;

	(void)state;
	assert_true(tally_add(want, 3, &found, &culprit));
	assert_int_equal(culprit, 1);
	assert_false(tally_add(want, 3, &found, &culprit));
	found.nr = 2;
	found.end_reason = PPROF_END_FAULT;
	assert_true(tally_add(want, 3, &found, &culprit));
	assert_int_equal(culprit, 1);
	found.nr = 1;
	assert_true(tally_add(want, 3, &found, &culprit));
	assert_int_equal(culprit, 0);
	wrong[2] = 3;
	found.nr = 3;
	found.end_reason = PPROF_END_COMPLETE;
	assert_false(tally_add(want, 3, &found, &culprit));
	assert_int_equal(tally_nr(), 5);
	assert_int_equal(tally_nr_of(VERDICT_EXACT), 1);
	assert_int_equal(tally_nr_of(VERDICT_TRUNCATED), 2);
	assert_int_equal(tally_nr_of(VERDICT_WRONG), 2);
}

#define OF_A_TASK(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OF_A_TASK(test_calls_and_returns),
		OF_A_TASK(test_a_call_that_did_not_happen),
		OF_A_TASK(test_push_and_ret_is_a_jump),
		OF_A_TASK(test_longjmp),
		OF_A_TASK(test_vfork),
		OF_A_TASK(test_a_call_while_it_is_popped),
		OF_A_TASK(test_a_return_by_register),
		OF_A_TASK(test_a_pop_above_the_return_address),
		OF_A_TASK(test_signals),
		OF_A_TASK(test_no_frame_of_a_handler),
		OF_A_TASK(test_a_signal_stack),
		OF_A_TASK(test_a_signal_stack_that_is_not_used),
		OF_A_TASK(test_siglongjmp_off_the_signal_stack),
		OF_A_TASK(test_a_call_on_another_stack),
		OF_A_TASK(test_a_start_on_another_stack),
		OF_A_TASK(test_coroutines),
		OF_A_TASK(test_is_intact),
		cmocka_unit_test(test_insns),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_allowed),
		cmocka_unit_test(test_culprits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
