// SPDX-License-Identifier: GPL-2.0
// sources: kmod/unwind/unwind.c kmod/unwind/slow_path.c kmod/unwind/rule_cache.c
// sources: kmod/unwind/known_stack.c kmod/unwind/process_ranges.c kmod/unwind/table.c
// sources: kmod/base/uretprobe.c
// include: -iquote tests/unit/shim -Itests/unit/shim
/*
 * Two threads call and return at random, and are sampled. A walk with a known stack must find the
 * same frames as one that knows no stack and no rule. That also holds after a word was overwritten.
 * A sample may leave out only frames that its reader has from the sample before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kmod/unwind/unwind.h"
#include "maketable.h"
#include "usermem.h"

#define CODE		0x400000ULL
#define OFFSET		0x1000ULL	/* of CODE in its file */
#define FN(n)		(CODE + 256 * (n))
#define NR_FNS		24		/* the first one has no caller */
#define STACK		0x7ffd12340000ULL
#define NR_THREADS	2
#define THREAD_WORDS	(USERMEM_WORDS / NR_THREADS)
#define MAX_CALLS	70
#define NR_PROGRAMS	60
#define NR_SAMPLES	400

/* A call that has not returned, and the registers of its caller. */
struct call {
	int fn;
	u64 sp;
	u64 fp;
};

struct thread {
	struct call calls[MAX_CALLS];
	int nr;
	u64 sp;
	u64 fp;
	u64 end;	/* of its stack */
};

struct sample {
	u64 frames[PPROF_MAX_FRAMES];
	struct pprof_stack stack;
};

static struct pprof_rule rules[NR_FNS];
static struct thread threads[NR_THREADS];
static struct pprof_process_ranges *process;
static struct pprof_rule_cache cache, no_rules;
static struct pprof_known_stack known, unknown;
static u64 seed, nr_left_out;

static u32 any(u32 below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % below;
}

static u64 *word_at(u64 address)
{
	return &usermem.words[(address - STACK) / 8];
}

/* A frame has 3 to 7 words, with the return address. */
static void make_rule(struct pprof_rule *rule)
{
	int words = 3 + any(5);

	*rule = (struct pprof_rule){
		.cfa = PPROF_CFA_SP, .cfa_offset = 8 * words, .ra = PPROF_REG_RA,
	};
	switch (any(8)) {
	case 0:
	case 1:
		rule->fp = PPROF_FP_SAVED;
		rule->fp_offset = -16 - 8 * any(words - 1);
		break;
	case 2:
	case 3:
		*rule = (struct pprof_rule){ .cfa = PPROF_CFA_FP, .cfa_offset = 16,
			.ra = PPROF_REG_RA, .fp = PPROF_FP_SAVED, .fp_offset = -16 };
		break;
	case 4:
		if (any(2))	/* not in the cache */
			*rule = (struct pprof_rule){ .cfa = PPROF_CFA_FP, .cfa_offset = 24,
				.ra = PPROF_REG_RA, .fp = PPROF_FP_SAVED, .fp_offset = -24 };
		break;
	}
}

static void make_program(void)
{
	static u64 epoch;
	static struct pprof_table table;
	static void *data;
	struct row rows[NR_FNS];
	const struct pprof_range range = { .start = CODE, .end = FN(NR_FNS),
					   .bias = CODE - OFFSET };

	rules[0] = (struct pprof_rule){ .cfa = PPROF_CFA_END };
	for (int i = 1; i < NR_FNS; i++)
		make_rule(&rules[i]);
	for (int i = 0; i < NR_FNS; i++)
		rows[i] = (struct row){ OFFSET + 256 * i, rules[i] };
	free(data);
	free(process);
	data = make_table(rows, NR_FNS, NR_FNS, 0);
	assert_int_equal(pprof_table_init(&table, data, table_bytes(data)), 0);
	process = calloc(1, sizeof(*process) + sizeof(process->ranges[0]));
	process->epoch = ++epoch;
	assert_int_equal(pprof_process_ranges_add(process, &range, &table), 0);
}

/* A return address is behind the first byte of its function. */
static u64 address_in(int fn)
{
	return FN(fn) + 1 + any(4);
}

static void call_function(struct thread *t)
{
	int fn = 1 + any(NR_FNS - 1), words = 3 + any(5);
	const struct pprof_rule *rule = &rules[fn];
	u64 cfa = t->sp;

	if (t->nr == MAX_CALLS || t->sp < t->end - 8 * (THREAD_WORDS - 40))
		return;
	t->calls[t->nr++] = (struct call){ fn, cfa, t->fp };
	*word_at(cfa - 8) = address_in(t->nr > 1 ? t->calls[t->nr - 2].fn : 0);
	if (rule->cfa == PPROF_CFA_SP)
		words = rule->cfa_offset / 8;
	t->sp = cfa - 8 * words;
	for (u64 at = t->sp; at < cfa - 8; at += 8)
		*word_at(at) = any(3) ? any(1000) : *word_at(cfa - 8);
	if (rule->fp == PPROF_FP_SAVED)
		*word_at(cfa + rule->fp_offset) = t->fp;
	if (rule->cfa == PPROF_CFA_FP)
		t->fp = cfa - rule->cfa_offset;
	else if (rule->fp == PPROF_FP_SAVED && any(2))
		t->fp = any(2) ? any(1000) : t->sp;
}

static void return_to_caller(struct thread *t)
{
	if (!t->nr)
		return;
	t->nr--;
	t->sp = t->calls[t->nr].sp;
	t->fp = t->calls[t->nr].fp;
}

static void start_threads(void)
{
	for (int i = 0; i < NR_THREADS; i++) {
		threads[i].nr = 0;
		threads[i].end = STACK + 8 * THREAD_WORDS * (i + 1);
		threads[i].sp = threads[i].end - 16;
		threads[i].fp = 1;
	}
}

static void run(struct thread *t)
{
	u32 nr = any(4) ? any(8) : any(80), calls = 1 + any(3);

	for (u32 i = 0; i < nr; i++) {
		if (any(4) < calls)
			call_function(t);
		else
			return_to_caller(t);
	}
}

static void walk(struct sample *sample, const struct pprof_regs *regs, u32 max,
		 struct pprof_rule_cache *with, struct pprof_known_stack *stack)
{
	sample->stack = (struct pprof_stack){ .frames = sample->frames, .max = max };
	pprof_unwind(&sample->stack, regs, process, with, stack);
	assert_int_equal(usermem.disabled, 0);
	assert_int_equal(usermem.opened, 0);
}

/* Adds the frames that were left out, as collector/device/shared_frames.c does. */
static void make_whole(struct sample *sample, struct sample *sent)
{
	u32 nr = sample->stack.nr_shared;

	assert_true(nr <= sent->stack.nr);
	memcpy(&sample->frames[sample->stack.nr], &sent->frames[sent->stack.nr - nr],
	       nr * sizeof(*sample->frames));
	sample->stack.nr += nr;
	nr_left_out += nr;
}

static void check(struct thread *t, struct sample *sent)
{
	const struct pprof_regs regs = {
		.ip = address_in(t->nr ? t->calls[t->nr - 1].fn : 0) - 1, .sp = t->sp, .fp = t->fp,
	};
	u32 max = any(8) ? 127 : 1 + any(60);
	struct sample plain, sample;

	memset(&no_rules, 0, sizeof(no_rules));
	memset(&unknown, 0, sizeof(unknown));
	walk(&plain, &regs, max, &no_rules, &unknown);
	walk(&sample, &regs, max, &cache, &known);
	make_whole(&sample, sent);
	assert_int_equal(sample.stack.end_reason, plain.stack.end_reason);
	assert_int_equal(sample.stack.flags, plain.stack.flags);
	assert_int_equal(sample.stack.nr, plain.stack.nr);
	assert_memory_equal(sample.frames, plain.frames, plain.stack.nr * sizeof(*plain.frames));
	if (!any(4))
		return;		/* the sample is given up */
	known.nr_sent = known.nr_walked;
	*sent = sample;
}

/* For this sample, a word of the stack has another value, or cannot be read. */
static void check_overwritten(struct thread *t, struct sample *sent)
{
	u64 *word = word_at(t->sp + 8 * any((t->end - t->sp) / 8)), before = *word;

	switch (any(3)) {
	case 0:
		*word = address_in(any(NR_FNS));
		break;
	case 1:
		*word = t->sp + 8 * any((t->end - t->sp) / 8);
		break;
	default:
		usermem.faults[0] = STACK + 8 * (word - usermem.words);
	}
	check(t, sent);
	*word = before;
	usermem.faults[0] = 0;
}

static void test_random_calls(void **state)
{
	static struct sample sent;

	(void)state;
	usermem.base = STACK;
	for (seed = 1; seed <= NR_PROGRAMS; seed++) {
		const u64 program = seed;

		make_program();
		start_threads();
		for (int i = 0; i < NR_SAMPLES; i++) {
			struct thread *t = &threads[any(16) ? 0 : any(NR_THREADS)];

			if (i == NR_SAMPLES - 20)
				make_program();	/* other rules for the same stacks */
			if (i < NR_SAMPLES - 20)
				run(t);
			if (any(3))
				check(t, &sent);
			else
				check_overwritten(t, &sent);
		}
		seed = program;
	}
	assert_true(nr_left_out > NR_PROGRAMS * NR_SAMPLES);
	free(process);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
