// SPDX-License-Identifier: GPL-2.0
// sources: kmod/unwind/unwind.c kmod/unwind/slow_path.c kmod/unwind/rule_cache.c
// sources: kmod/unwind/known_stack.c kmod/unwind/process_ranges.c kmod/unwind/table.c
// sources: kmod/base/uretprobe.c
// include: -iquote tests/unit/shim -Itests/unit/shim
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kmod/base/uretprobe.h"
#include "kmod/unwind/unwind.h"
#include "maketable.h"
#include "usermem.h"

/*
 * A program of functions of 256 bytes, each with one rule: the n-th begins at
 * FN(n), and RET(n) is a return address in it.
 */
#define CODE		0x400200ULL
#define OFFSET		0x1000ULL	/* of CODE in its file */
#define FN(n)		(CODE + 256 * (n))
#define RET(n)		(FN(n) + 16)
#define NR_FNS		8
#define CODE_END	FN(NR_FNS)

#define JIT		0x10000200ULL	/* executable memory without a table */
#define LIB		0x20000200ULL	/* the same functions again, as mapped by RBX's table */
#define NOWHERE		0x30000000ULL

#define STACK		0x7ffd12340000ULL
#define SLOT(n)		(STACK + 8 * (n))
#define MAX		127

#define RSP(n)		.cfa = PPROF_CFA_SP, .cfa_offset = 8 * (n), .ra = PPROF_REG_RA
#define RSP_SAVED(n, at) RSP(n), .fp = PPROF_FP_SAVED, .fp_offset = 8 * (at)
#define RBP		.cfa = PPROF_CFA_FP, .cfa_offset = 16, .ra = PPROF_REG_RA, \
			.fp = PPROF_FP_SAVED, .fp_offset = -16
#define END		.cfa = PPROF_CFA_END

static struct {
	struct pprof_rule rules[NR_FNS];
	unsigned long words[21];	/* struct pt_regs */
	struct pprof_regs regs;
	u64 frames[PPROF_MAX_FRAMES + 1];
	struct pprof_stack stack;
	bool rbx;		/* the program's own table follows rbx */
	bool no_table;		/* nor has it one */
	u64 epoch;
} task;

static struct pprof_rule_cache cache;
static struct pprof_known_stack known;

/* struct pt_regs, in words. */
enum {
	R15, R14, R13, R12, BP, BX, R11, R10, R9, R8, AX, CX, DX, SI, DI, ORIG_AX, IP, CS, FLAGS,
	SP,
};

static int setup(void **state)
{
	(void)state;
	memset(&usermem, 0, sizeof(usermem));
	memset(&task, 0, sizeof(task));
	memset(&cache, 0, sizeof(cache));
	memset(&known, 0, sizeof(known));
	usermem.base = STACK;
	task.regs = (struct pprof_regs) { .ip = FN(0), .sp = STACK, .all = task.words };
	for (int i = 0; i < NR_FNS; i++)
		task.rules[i] = (struct pprof_rule){ END };
	return 0;
}

static void set_rule(int fn, const struct pprof_rule *rule)
{
	task.rules[fn] = *rule;
}

#define RULE(fn, ...)	set_rule(fn, &(const struct pprof_rule){ __VA_ARGS__ })

/* Words of the stack, from SLOT(at) on. */
static void put(int at, int nr, const u64 *words)
{
	memcpy(&usermem.words[at], words, nr * sizeof(*words));
}

#define PUT(at, ...)	put(at, sizeof((u64[]){ __VA_ARGS__ }) / 8, (const u64[]){ __VA_ARGS__ })

static void fill_space(struct pprof_process_ranges *process, const struct pprof_table *table,
		       const struct pprof_table *with_rbx)
{
	const struct pprof_range ranges[] = {
		{ .start = CODE, .end = CODE_END, .bias = CODE - OFFSET },
		{ .start = JIT, .end = JIT + 4096 },
		{ .start = LIB, .end = LIB + 256 * NR_FNS, .bias = LIB - OFFSET },
	};

	process->epoch = task.epoch;
	assert_int_equal(pprof_process_ranges_add(process, &ranges[0],
						  task.no_table ? NULL : table), 0);
	assert_int_equal(pprof_process_ranges_add(process, &ranges[1], NULL), 0);
	assert_int_equal(pprof_process_ranges_add(process, &ranges[2], with_rbx), 0);
}

static void walk_in(const struct pprof_table *table, const struct pprof_table *with_rbx)
{
	struct pprof_process_ranges *process =
		calloc(1, sizeof(*process) + 3 * sizeof(process->ranges[0]));

	fill_space(process, table, with_rbx);
	memset(task.frames, 0xee, sizeof(task.frames));
	task.stack.frames = task.frames;
	task.regs.fp = task.words[BP];
	usermem.nr_reads = 0;
	usermem.nr_faults = 0;
	pprof_unwind(&task.stack, &task.regs, process, &cache, &known);
	assert_int_equal(usermem.disabled, 0);
	assert_int_equal(usermem.opened, 0);
	for (u32 i = task.stack.max; i <= PPROF_MAX_FRAMES; i++)
		assert_int_equal(task.frames[i], 0xeeeeeeeeeeeeeeee);
	free(process);
}

/* One walk, in the program as it is now. */
static void walk(u32 max)
{
	static struct row rows[NR_FNS];
	struct pprof_table table, with_rbx;
	void *data, *data_with_rbx;

	for (int i = 0; i < NR_FNS; i++)
		rows[i] = (struct row){ OFFSET + 256 * i, task.rules[i] };
	data_with_rbx = make_table(rows, NR_FNS, NR_FNS, PPROF_TABLE_BASE);
	for (int i = 0; i < NR_FNS && !task.rbx; i++)
		if (rows[i].rule.cfa == PPROF_CFA_BASE || rows[i].rule.base_offset)
			rows[i].rule = (struct pprof_rule){ END };
	data = make_table(rows, NR_FNS, NR_FNS, task.rbx ? PPROF_TABLE_BASE : 0);
	assert_int_equal(pprof_table_init(&table, data, table_bytes(data)), 0);
	assert_int_equal(pprof_table_init(&with_rbx, data_with_rbx, table_bytes(data)), 0);
	task.epoch++;
	task.stack.max = max;
	walk_in(&table, &with_rbx);
	free(data);
	free(data_with_rbx);
}

#define SAME_EPOCH	3

/*
 * The walk gives the PC, these frames and this end: with nothing in the cache, with everything in
 * there that it can have, with the stack known, and with another's rules in there.
 */
static void expect(u32 max, u16 end, u16 flags, int nr, const u64 *frames)
{
	for (int i = 0; i <= SAME_EPOCH; i++) {
		walk(max);
		assert_int_equal(task.stack.end_reason, end);
		assert_int_equal(task.stack.flags, flags);
		assert_int_equal(task.stack.nr, nr + 1);
		assert_int_equal(task.frames[0], task.regs.ip);
		for (int j = 0; j < nr; j++)
			assert_int_equal(task.frames[j + 1], frames[j]);
		if (i + 1 < SAME_EPOCH)
			task.epoch--;
	}
}

#define EXPECT(end, ...) expect(MAX, end, 0, sizeof((u64[]){ __VA_ARGS__ }) / 8,	\
				(const u64[]){ __VA_ARGS__ })
#define EXPECT_GUESS(end, ...) expect(MAX, end, PPROF_SAMPLE_GUESS,			\
				      sizeof((u64[]){ __VA_ARGS__ }) / 8,		\
				      (const u64[]){ __VA_ARGS__ })
#define EXPECT_ALONE(end) expect(MAX, end, 0, 0, NULL)

static void test_rsp_rules(void **state)
{
	(void)state;
	RULE(0, RSP(1));
	RULE(1, RSP(4));
	RULE(2, RSP(2));
	PUT(0, RET(1), 1, 2, 3, RET(2), 4, RET(3));
	EXPECT(PPROF_END_COMPLETE, RET(1), RET(2), RET(3));
	assert_int_equal(usermem.nr_reads, 3);
}

static void test_no_caller(void **state)
{
	(void)state;
	EXPECT_ALONE(PPROF_END_COMPLETE);
	expect(1, PPROF_END_COMPLETE, 0, 0, NULL);
	assert_int_equal(usermem.nr_reads, 0);
}

/* A call may be the last instruction of its function, but a PC stands for itself. */
static void test_which_instruction(void **state)
{
	(void)state;
	RULE(1, RSP(1));
	RULE(3, RSP(2));
	task.regs.ip = FN(1);
	PUT(0, FN(4), 1, FN(1));
	EXPECT(PPROF_END_COMPLETE, FN(4), FN(1));
	task.regs.ip = FN(1) - 1;
	EXPECT_ALONE(PPROF_END_COMPLETE);
}

static void test_rbp_rules(void **state)
{
	(void)state;
	RULE(0, RSP(1));
	RULE(1, RBP);
	RULE(2, RBP);
	task.words[BP] = SLOT(3);
	PUT(0, RET(1), 0, 0, SLOT(6), RET(2), 0, 0x123, RET(3));
	EXPECT(PPROF_END_COMPLETE, RET(1), RET(2), RET(3));
	assert_int_equal(usermem.nr_reads, 5);
}

/* Uprobes hide return addresses, behind a breakpoint that begins the stack's second page. */
static void test_awaited(void **state)
{
	const u64 hidden = STACK + 4096;
	struct return_instance outer = { .stack = SLOT(3), .orig_ret_vaddr = RET(2) };
	struct return_instance inner = { .stack = SLOT(1), .orig_ret_vaddr = RET(1),
					 .next = &outer };
	struct return_instance gone = { .stack = SLOT(0), .orig_ret_vaddr = RET(5),
					.next = &inner };

	(void)state;
	usermem.words[512] = 0x4fc0c74853415150;
	RULE(0, RSP(2));
	RULE(1, RSP(2));
	RULE(2, RSP(1));
	PUT(0, 0, hidden, 0, hidden, RET(3));
	task.regs.uretprobes = &gone;
	EXPECT(PPROF_END_COMPLETE, RET(1), RET(2), RET(3));
	task.regs.uretprobes = &outer;
	EXPECT(PPROF_END_URETPROBE);
	task.regs.uretprobes = NULL;
	EXPECT(PPROF_END_URETPROBE);
	outer.stack = SLOT(4);
	task.regs.uretprobes = &inner;
	EXPECT(PPROF_END_URETPROBE, RET(1));
	/* Without a breakpoint it is as any other address. */
	usermem.words[512] = 0x90;
	EXPECT(PPROF_END_NO_RANGE);
	/* Nobody has returned there yet. */
	outer.stack = SLOT(3);
	usermem.faults[0] = hidden;
	EXPECT(PPROF_END_COMPLETE, RET(1), RET(2), RET(3));
	task.regs.uretprobes = NULL;
	EXPECT(PPROF_END_NO_RANGE);
	task.regs.uretprobes = &pprof_uretprobe_unknown;
	EXPECT(PPROF_END_URETPROBE);
}

/* The return address has just been taken off; further on, the stack is the uprobe's. */
static void test_awaited_pc(void **state)
{
	struct return_instance call = { .stack = SLOT(0), .orig_ret_vaddr = RET(1) };
	const u64 want[] = { RET(1), RET(2) };

	(void)state;
	usermem.words[512] = 0xcc;
	RULE(1, RSP(2));
	PUT(0, 0, 0, RET(2));
	task.regs.sp = SLOT(1);
	task.regs.uretprobes = &call;
	task.regs.ip = STACK + 4096;
	walk(MAX);
	assert_int_equal(task.stack.end_reason, PPROF_END_COMPLETE);
	assert_int_equal(task.stack.nr, 2);
	assert_memory_equal(task.frames, want, sizeof(want));
	task.regs.ip++;
	walk(MAX);
	assert_int_equal(task.stack.end_reason, PPROF_END_URETPROBE);
	assert_int_equal(task.stack.nr, 1);
}

/*
 * A uprobe's breakpoint in the place of a push at the start of function 0. The PC is behind it, and
 * the return address at sp.
 */
static void put_breakpoint(void)
{
	task.regs.in_exception = true;
	task.regs.ip = FN(1);
	usermem.code_base = FN(0);
	usermem.code[255] = 0xcc;
	usermem.code[2 * 256 + 16 - 5] = 0xe8;
	RULE(0, RSP(1));
	RULE(1, RSP(2));
	RULE(2, RSP(2));
	RULE(3, RSP(2));
	PUT(0, RET(2), 0, RET(4));
}

static void expect_frames(u16 end, u32 nr, const u64 *frames)
{
	walk(MAX);
	assert_int_equal(task.stack.end_reason, end);
	assert_int_equal(task.stack.nr, nr);
	assert_memory_equal(task.frames, frames, nr * sizeof(*frames));
}

static void test_breakpoint(void **state)
{
	(void)state;
	put_breakpoint();
	expect_frames(PPROF_END_COMPLETE, 3, (u64[]){ FN(1) - 1, RET(2), RET(4) });
	/* The next walk has the rules in the cache. */
	expect_frames(PPROF_END_COMPLETE, 3, (u64[]){ FN(1) - 1, RET(2), RET(4) });
	/* Code that an interrupt has stopped did the push. */
	task.regs.in_exception = false;
	expect_frames(PPROF_END_COMPLETE, 1, (u64[]){ FN(1) });
}

/* A jump to the function leaves the address of a uretprobe at sp. */
static void test_breakpoint_below_uretprobe(void **state)
{
	struct return_instance call = { .stack = SLOT(0), .orig_ret_vaddr = RET(2) };

	(void)state;
	put_breakpoint();
	task.regs.uretprobes = &call;
	usermem.words[512] = 0xcc;
	PUT(0, STACK + 4096);
	expect_frames(PPROF_END_COMPLETE, 3, (u64[]){ FN(1) - 1, RET(2), RET(4) });
}

/* The kernel has done the push: at sp is the register. */
static void test_emulated_push(void **state)
{
	(void)state;
	put_breakpoint();
	PUT(0, RET(3), RET(2), 0, RET(4));
	expect_frames(PPROF_END_COMPLETE, 3, (u64[]){ FN(1), RET(2), RET(4) });
	PUT(0, NOWHERE);
	expect_frames(PPROF_END_COMPLETE, 3, (u64[]){ FN(1), RET(2), RET(4) });
}

/* Linkers fill the space before a function with that instruction. */
static void test_padding_is_no_breakpoint(void **state)
{
	(void)state;
	put_breakpoint();
	RULE(1, RSP(1));
	expect_frames(PPROF_END_COMPLETE, 3, (u64[]){ FN(1), RET(2), RET(4) });
	usermem.code[255] = 0xc3;
	RULE(1, RSP(2));
	expect_frames(PPROF_END_COMPLETE, 1, (u64[]){ FN(1) });
	usermem.faults[0] = FN(1) - 1;
	expect_frames(PPROF_END_COMPLETE, 1, (u64[]){ FN(1) });
}

/* rbp as it is found, further up and further down, and what then needs it. */
static void test_saved_rbp(void **state)
{
	(void)state;
	RULE(0, RSP_SAVED(6, -6));
	RULE(1, RSP(2));
	RULE(2, RBP);
	PUT(0, SLOT(9), 0, 0, 0, 0, RET(1), 0, RET(2), 0, 0, RET(3));
	EXPECT(PPROF_END_COMPLETE, RET(1), RET(2), RET(3));
	RULE(0, RSP_SAVED(6, 3));
	PUT(0, 0, 0, 0, 0, 0, RET(1), 0, RET(2), 0, SLOT(9), RET(3));
	usermem.words[6 + 3] = SLOT(9);
	EXPECT(PPROF_END_COMPLETE, RET(1), RET(2), RET(3));
	RULE(0, .cfa = PPROF_CFA_SP, .cfa_offset = 48, .ra = PPROF_REG_RA,
	     .fp = PPROF_FP_LOST);
	EXPECT(PPROF_END_LOST_REG, RET(1), RET(2));
}

/* A frame that realigns its stack: *(rbp - 8) is the CFA, rbp is saved at rbp. */
static void test_realigned(void **state)
{
	(void)state;
	RULE(0, .cfa = PPROF_CFA_DEREF_FP, .cfa_offset = -8, .ra = PPROF_REG_RA,
	     .fp = PPROF_FP_AT_FP);
	RULE(1, RBP);
	task.words[BP] = SLOT(3);
	PUT(0, 0, 0, SLOT(8), SLOT(10), 0, 0, 0, RET(1), 0, 0, SLOT(20), RET(2));
	EXPECT(PPROF_END_COMPLETE, RET(1), RET(2));
	assert_int_equal(usermem.nr_reads, 5);
	task.rules[0].cfa_add = 8;
	PUT(2, SLOT(7));
	EXPECT(PPROF_END_COMPLETE, RET(1), RET(2));
}

static void test_deref_rsp(void **state)
{
	(void)state;
	RULE(0, .cfa = PPROF_CFA_DEREF_SP, .cfa_offset = 16, .cfa_add = 8,
	     .ra = PPROF_REG_RA, .fp = PPROF_FP_SAVED, .fp_offset = -24);
	RULE(1, RBP);
	PUT(0, 0, SLOT(9), SLOT(3), RET(1), 0, 0, 0, 0, 0, 0, RET(2));
	EXPECT(PPROF_END_COMPLETE, RET(1), RET(2));
	assert_int_equal(usermem.nr_reads, 5);
	task.rules[0].cfa_add = -8;
	PUT(2, SLOT(5));
	EXPECT(PPROF_END_COMPLETE, RET(1), RET(2));
}

/* The values of all registers point to different places of the stack. */
static void put_registers(unsigned long *words, const u8 *order)
{
	for (int i = 0; i < 16; i++) {
		if (i == 7)
			continue;
		words[order[i]] = SLOT(100 + 2 * i);
		usermem.words[100 + 2 * i] = RET(1);
	}
}

static const u8 in_pt_regs[] = {
	AX, DX, CX, BX, SI, DI, BP, SP, R8, R9, R10, R11, R12, R13, R14, R15,
};

static void test_each_register(void **state)
{
	(void)state;
	put_registers(task.words, in_pt_regs);
	for (int reg = 0; reg < 16; reg++) {
		if (reg == 7)
			continue;
		RULE(0, .cfa = PPROF_CFA_REG, .reg = reg, .cfa_offset = 8,
		     .ra = PPROF_REG_RA);
		usermem.words[100 + 2 * reg] = RET(2);
		EXPECT(PPROF_END_COMPLETE, RET(2));
		usermem.words[100 + 2 * reg] = RET(1);
		assert_int_equal(usermem.nr_reads, 1);
	}
	task.words[SP] = STACK;
	PUT(0, RET(3));
	RULE(0, .cfa = PPROF_CFA_REG, .reg = 7, .cfa_offset = 8, .ra = PPROF_REG_RA);
	EXPECT(PPROF_END_COMPLETE, RET(3));
}

static void test_registers_are_lost_on_the_way(void **state)
{
	(void)state;
	put_registers(task.words, in_pt_regs);
	RULE(0, RSP(1));
	for (int reg = 0; reg < 16; reg++) {
		RULE(1, .cfa = PPROF_CFA_REG, .reg = reg, .cfa_offset = 8,
		     .ra = PPROF_REG_RA);
		PUT(0, RET(1));
		EXPECT(PPROF_END_LOST_REG, RET(1));
		RULE(1, .cfa = PPROF_CFA_SP, .cfa_offset = 8, .ra = reg);
		EXPECT(PPROF_END_LOST_REG, RET(1));
	}
}

/* vfork() takes its return address off the stack: the CFA is rsp. */
static void test_vfork(void **state)
{
	(void)state;
	RULE(0, .cfa = PPROF_CFA_SP, .ra = 5);
	RULE(1, RSP(2));
	task.words[DI] = RET(1);
	PUT(0, 0, RET(2));
	EXPECT(PPROF_END_COMPLETE, RET(1), RET(2));
}

/* The child has no caller, whatever is on its stack. */
static void test_clone(void **state)
{
	(void)state;
	RULE(0, .cfa = PPROF_CFA_CLONE, .reg = 0, .cfa_offset = 8, .ra = PPROF_REG_RA);
	PUT(0, RET(1));
	task.words[AX] = 1234;
	EXPECT(PPROF_END_COMPLETE, RET(1));
	task.words[AX] = 0;
	EXPECT(PPROF_END_COMPLETE);
	assert_int_equal(usermem.nr_reads, 0);
	RULE(2, RSP(1));
	task.regs.ip = FN(2);
	PUT(0, RET(0), RET(1));
	EXPECT(PPROF_END_LOST_REG, RET(0));
}

static void test_plt(void **state)
{
	(void)state;
	RULE(0, .cfa = PPROF_CFA_PLT, .cfa_offset = 8, .cfa_add = 11, .ra = PPROF_REG_RA);
	PUT(0, RET(1), RET(2));
	for (u64 low = 0; low < 32; low++) {
		task.regs.ip = FN(0) + low;
		EXPECT(PPROF_END_COMPLETE, low % 16 < 11 ? RET(1) : RET(2));
	}
	task.rules[0].cfa_add = 16;
	task.regs.ip = FN(0) + 15;
	EXPECT(PPROF_END_COMPLETE, RET(1));
}

/* rbx is known first; it stays until saved, and is then found where it was. */
static void test_rbx(void **state)
{
	(void)state;
	task.regs.ip = LIB;
	task.words[BX] = SLOT(8);
	RULE(0, RSP(1));
	RULE(1, .cfa = PPROF_CFA_BASE, .cfa_offset = 16, .ra = PPROF_REG_RA,
	     .base_offset = -24);
	RULE(2, RSP(1));
	RULE(3, .cfa = PPROF_CFA_BASE, .cfa_offset = 8, .ra = PPROF_REG_RA);
#define IN_LIB(n)	(RET(n) - CODE + LIB)
	PUT(0, IN_LIB(1));
	PUT(7, SLOT(20), 0, IN_LIB(2), IN_LIB(3));
	PUT(20, RET(5));
	EXPECT(PPROF_END_COMPLETE, IN_LIB(1), IN_LIB(2), IN_LIB(3), RET(5));
	/* Nobody knew it at first, but there it is saved. */
	task.regs.ip = FN(0);
	RULE(1, RSP(4), .base_offset = -24);
	PUT(1, SLOT(20), 0, 0, IN_LIB(3));
	usermem.words[2] = SLOT(20);
	EXPECT(PPROF_END_COMPLETE, IN_LIB(1), IN_LIB(3), RET(5));
	task.regs.ip = LIB;
	RULE(1, .cfa = PPROF_CFA_BASE, .cfa_offset = 16, .ra = PPROF_REG_RA,
	     .base_offset = -24);
	PUT(1, 0, 0, 0, 0);
	/* There is a frame of another file between, whose rules do not follow rbx. */
	PUT(9, RET(2));
	EXPECT(PPROF_END_LOST_REG, IN_LIB(1), RET(2), IN_LIB(3));
	task.rbx = true;
	EXPECT(PPROF_END_COMPLETE, IN_LIB(1), RET(2), IN_LIB(3), RET(5));
	/* A slot that cannot be read ends the walk only when its value is needed. */
	usermem.faults[0] = SLOT(7);
	EXPECT(PPROF_END_FAULT, IN_LIB(1), RET(2), IN_LIB(3));
	RULE(3, END);
	EXPECT(PPROF_END_COMPLETE, IN_LIB(1), RET(2), IN_LIB(3));
}

enum {
	UC_R8 = 5, UC_RDI = 13, UC_RBP = 15, UC_RBX, UC_RDX, UC_RAX, UC_RCX, UC_RSP, UC_RIP,
};

static const u8 in_signal[] = {
	UC_RAX, UC_RDX, UC_RCX, UC_RBX, 14, UC_RDI, UC_RBP, UC_RSP, 5, 6, 7, 8, 9, 10, 11, 12,
};

/* A frame that a signal interrupted, or that returns from its handler: see uapi/pprof.h. */
#define MARKED(pc)	((pc) + 1)

/* FN(0) is the handler, FN(1) where it returns to, FN(2) what it interrupted. */
static u64 *put_signal(int uc)
{
	u64 *words = &usermem.words[uc];

	RULE(0, RSP(1));
	RULE(1, .cfa = PPROF_CFA_SIGNAL);
	PUT(0, RET(1));
	words[UC_RIP] = FN(2);
	words[UC_RSP] = SLOT(64);
	return words;
}

static void test_signal(void **state)
{
	u64 *words = put_signal(1);

	(void)state;
	words[UC_RBP] = SLOT(70);
	RULE(2, RBP);
	PUT(70, 0, RET(3));
	EXPECT(PPROF_END_COMPLETE, MARKED(RET(1)), MARKED(FN(2)), RET(3));
	/* Not in what stands before it, as a call would be. */
	RULE(1, .cfa = PPROF_CFA_SIGNAL, .cfa_offset = 8);
	memmove(words + 1, words, 30 * 8);
	EXPECT(PPROF_END_COMPLETE, MARKED(RET(1)), MARKED(FN(2)), RET(3));
}

static void test_registers_after_a_signal(void **state)
{
	u64 *words = put_signal(1);

	(void)state;
	put_registers((unsigned long *)words, in_signal);
	for (int reg = 0; reg < 16; reg++) {
		u64 *slot = &usermem.words[reg == 7 ? 64 : 100 + 2 * reg];

		RULE(2, .cfa = PPROF_CFA_REG, .reg = reg, .cfa_offset = 8,
		     .ra = PPROF_REG_RA);
		*slot = RET(3);
		EXPECT(PPROF_END_COMPLETE, MARKED(RET(1)), MARKED(FN(2)), RET(3));
		*slot = RET(1);
	}
	RULE(2, .cfa = PPROF_CFA_SP, .ra = 5);
	words[UC_RDI] = RET(3);
	EXPECT(PPROF_END_COMPLETE, MARKED(RET(1)), MARKED(FN(2)), RET(3));
}

static void test_rbx_after_a_signal(void **state)
{
	u64 *words = put_signal(1);

	(void)state;
	words[UC_RIP] = LIB + 256 * 2;
	words[UC_RBX] = SLOT(80);
	RULE(2, .cfa = PPROF_CFA_BASE, .cfa_offset = 8, .ra = PPROF_REG_RA);
	PUT(80, RET(3));
	EXPECT(PPROF_END_COMPLETE, MARKED(RET(1)), MARKED(LIB + 256 * 2), RET(3));
}

/* A handler on another stack than what it interrupted, above or below. */
static void test_signal_stack(void **state)
{
	u64 *words = put_signal(1201);

	(void)state;
	task.regs.sp = SLOT(1200);
	PUT(1200, RET(1));
	RULE(2, RSP(1));
	words[UC_RSP] = SLOT(4);
	PUT(4, RET(3));
	EXPECT(PPROF_END_COMPLETE, MARKED(RET(1)), MARKED(FN(2)), RET(3));
}

static void test_odd_signals(void **state)
{
	static const u64 odd[] = {
		0, 0xfff8, STACK + 4, TASK_SIZE_MAX, 1ULL << 63, UINT64_MAX - 7,
	};
	u64 *words = put_signal(1);

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		words[UC_RSP] = odd[i];
		EXPECT(PPROF_END_BAD_CFA, MARKED(RET(1)), MARKED(FN(2)));
	}
	words[UC_RSP] = SLOT(64);
	words[UC_RIP] = 0;
	EXPECT(PPROF_END_NO_RANGE, MARKED(RET(1)), MARKED(0));
	words[UC_RIP] = UINT64_MAX;
	EXPECT(PPROF_END_NO_RANGE, MARKED(RET(1)), UINT64_MAX);
	usermem.faults[0] = SLOT(1 + UC_RSP);
	EXPECT(PPROF_END_FAULT, MARKED(RET(1)));
}

/* A signal frame that restores itself: eight of them, and no more. */
static void test_signals_do_not_last_for_ever(void **state)
{
	u64 *words = put_signal(0);

	(void)state;
	task.regs.ip = FN(1);
	words[UC_RIP] = FN(1);
	words[UC_RSP] = STACK;
	EXPECT(PPROF_END_DEPTH, MARKED(FN(1)), MARKED(FN(1)), MARKED(FN(1)), MARKED(FN(1)),
	       MARKED(FN(1)), MARKED(FN(1)), MARKED(FN(1)), MARKED(FN(1)));
}

static void test_depth(void **state)
{
	u64 want[10];

	(void)state;
	RULE(0, RSP(1));
	for (int i = 0; i < 10; i++)
		want[i] = i < 9 ? RET(0) : RET(1);
	put(0, 10, want);
	for (u32 max = 1; max < 11; max++)
		expect(max, PPROF_END_DEPTH, 0, max - 1, want);
	expect(11, PPROF_END_COMPLETE, 0, 10, want);
	RULE(1, RSP(1));
	expect(11, PPROF_END_COMPLETE, 0, 10, want);
}

static void test_the_most_frames(void **state)
{
	static u64 want[PPROF_MAX_FRAMES];

	(void)state;
	RULE(0, RSP(1));
	for (int i = 0; i < PPROF_MAX_FRAMES; i++)
		want[i] = RET(0);
	put(0, PPROF_MAX_FRAMES, want);
	expect(PPROF_MAX_FRAMES, PPROF_END_DEPTH, 0, PPROF_MAX_FRAMES - 1, want);
}

/* A return address of 0 is no frame. */
static void test_zero_return_address(void **state)
{
	(void)state;
	RULE(0, RSP(1));
	RULE(1, RBP);
	PUT(0, RET(0), 0);
	EXPECT(PPROF_END_COMPLETE, RET(0));
	expect(2, PPROF_END_COMPLETE, 0, 1, (const u64[]){ RET(0) });
	PUT(0, RET(1), 0, 0, 0);
	task.words[BP] = SLOT(2);
	EXPECT(PPROF_END_COMPLETE, RET(1));
}

static void test_ends(void **state)
{
	(void)state;
	RULE(0, RSP(1));
	RULE(1, .cfa = PPROF_CFA_UNSUPPORTED);
	RULE(2, .cfa = PPROF_CFA_NONE);
	PUT(0, RET(1));
	EXPECT(PPROF_END_UNSUPPORTED, RET(1));
	PUT(0, RET(2));
	EXPECT(PPROF_END_NO_RULE, RET(2));
	PUT(0, RET(3), NOWHERE);
	RULE(3, RSP(1));
	EXPECT(PPROF_END_NO_RANGE, RET(3));
	PUT(0, CODE_END + 1);
	EXPECT_ALONE(PPROF_END_NO_RANGE);
	task.regs.ip = NOWHERE;
	EXPECT_ALONE(PPROF_END_NO_RANGE);
	task.regs.ip = FN(0);
	task.regs.sp = STACK - 8;
	EXPECT_ALONE(PPROF_END_FAULT);
	usermem.closed = true;
	EXPECT_ALONE(PPROF_END_FAULT);
}

static void test_compat_and_unknown_processes(void **state)
{
	(void)state;
	task.stack.frames = task.frames;
	task.stack.max = MAX;
	pprof_unwind(&task.stack, &task.regs, NULL, &cache, &known);
	assert_int_equal(task.stack.end_reason, PPROF_END_NO_RANGES);
	assert_int_equal(task.stack.nr, 1);
	assert_int_equal(task.frames[0], task.regs.ip);
	task.regs.compat = true;
	EXPECT_ALONE(PPROF_END_COMPAT);
	assert_int_equal(usermem.nr_reads, 0);
}

static void test_odd_stack_pointers(void **state)
{
	static const u64 odd[] = {
		0, 8, 0xfff8, STACK + 1, STACK + 4, TASK_SIZE_MAX, TASK_SIZE_MAX + 8, 1ULL << 47,
		1ULL << 63, 0xffffffff81000000, UINT64_MAX - 7,
	};

	(void)state;
	RULE(0, RSP(1));
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		task.regs.sp = odd[i];
		EXPECT_ALONE(PPROF_END_BAD_CFA);
		assert_int_equal(usermem.nr_reads, 0);
	}
	task.regs.sp = 0x10000;
	EXPECT_ALONE(PPROF_END_FAULT);
	usermem.base = 0x10000;
	PUT(0, RET(1));
	EXPECT(PPROF_END_COMPLETE, RET(1));
	RULE(0, RSP_SAVED(1, -4096));
	EXPECT(PPROF_END_COMPLETE, RET(1));
}

/* Both rules that begin at rbp: what the cache keeps, and what it doesn't. */
static void test_odd_frame_pointers(void **state)
{
	static const u64 odd[] = {
		0, STACK - 8, STACK - 16, STACK + 4, TASK_SIZE_MAX - 16, TASK_SIZE_MAX, 1ULL << 47,
		0xffffffff81000000, UINT64_MAX - 7, UINT64_MAX - 15, UINT64_MAX - 23,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		if (odd[i] == STACK - 8)
			continue;
		task.words[BP] = odd[i];
		RULE(0, RSP(1));
		RULE(1, RBP);
		PUT(0, RET(1));
		EXPECT(PPROF_END_BAD_CFA, RET(1));
		RULE(1, .cfa = PPROF_CFA_FP, .cfa_offset = 16, .ra = PPROF_REG_RA);
		EXPECT(PPROF_END_BAD_CFA, RET(1));
		assert_int_equal(usermem.nr_reads, 1);
	}
	/* Only what is cut off would be wrong with these. */
	RULE(1, RBP);
	PUT(3, SLOT(5), RET(2));
	task.words[BP] = SLOT(3) + 4;
	EXPECT(PPROF_END_BAD_CFA, RET(1));
	task.words[BP] = SLOT(3) - (1 << 20);
	EXPECT(PPROF_END_BAD_CFA, RET(1));
	task.words[BP] = SLOT(3) | 0xffff800000000000;
	EXPECT(PPROF_END_BAD_CFA, RET(1));
	task.words[BP] = SLOT(3) + (1 << 20);
	EXPECT(PPROF_END_FAULT, RET(1));
	/* Its frame would be where the walk is already; at first it may be. */
	task.words[BP] = STACK - 8;
	EXPECT(PPROF_END_BAD_CFA, RET(1));
	RULE(0, RBP);
	task.words[BP] = STACK - 16;
	usermem.base -= 16;
	PUT(0, 0, RET(2));
	EXPECT(PPROF_END_COMPLETE, RET(2));
	task.words[BP] = STACK - 24;
	EXPECT_ALONE(PPROF_END_BAD_CFA);
}

static void test_odd_cfas(void **state)
{
	static const s32 odd[] = { 0, -8, -16, 4, 12, INT32_MIN, INT32_MAX };

	(void)state;
	RULE(0, RSP(1));
	PUT(0, RET(1));
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		RULE(1, .cfa = PPROF_CFA_SP, .cfa_offset = odd[i], .ra = PPROF_REG_RA);
		EXPECT(PPROF_END_BAD_CFA, RET(1));
	}
	RULE(1, .cfa = PPROF_CFA_DEREF_SP, .cfa_offset = 0, .ra = PPROF_REG_RA);
	PUT(1, SLOT(1));
	EXPECT(PPROF_END_BAD_CFA, RET(1));
	PUT(1, TASK_SIZE_MAX);
	EXPECT(PPROF_END_BAD_CFA, RET(1));
	RULE(1, .cfa = PPROF_CFA_DEREF_SP, .cfa_offset = INT32_MIN, .ra = PPROF_REG_RA);
	EXPECT(PPROF_END_FAULT, RET(1));
}

/* Up to the end of user memory, and with rules that point over it. */
static void test_the_end_of_user_memory(void **state)
{
	(void)state;
	usermem.base = TASK_SIZE_MAX - 8 * USERMEM_WORDS;
	task.regs.sp = TASK_SIZE_MAX - 16;
	PUT(USERMEM_WORDS - 2, RET(0), RET(1));
	RULE(0, RSP(1));
	EXPECT(PPROF_END_BAD_CFA, RET(0));
	RULE(0, RSP_SAVED(1, 1));
	EXPECT(PPROF_END_BAD_CFA, RET(0));
	RULE(0, RSP(3));
	EXPECT_ALONE(PPROF_END_BAD_CFA);
	RULE(0, RSP_SAVED(3, -3));
	EXPECT_ALONE(PPROF_END_BAD_CFA);
	task.words[BP] = TASK_SIZE_MAX - 8;
	RULE(0, RBP);
	EXPECT_ALONE(PPROF_END_BAD_CFA);
	task.words[BP] = TASK_SIZE_MAX - 16;
	EXPECT_ALONE(PPROF_END_BAD_CFA);
	assert_int_equal(usermem.nr_faults, 0);
	RULE(0, .cfa = PPROF_CFA_SP, .cfa_offset = 8, .ra = PPROF_REG_RA,
	     .fp = PPROF_FP_SAVED, .fp_offset = INT16_MAX);
	EXPECT(PPROF_END_BAD_CFA, RET(0));
	RULE(0, .cfa = PPROF_CFA_DEREF_SP, .cfa_offset = 9, .ra = PPROF_REG_RA);
	EXPECT_ALONE(PPROF_END_FAULT);
	assert_int_equal(usermem.nr_reads, 0);
}

static void test_return_address_cannot_be_read(void **state)
{
	(void)state;
	RULE(0, RSP(1));
	RULE(1, RSP_SAVED(3, -2));
	RULE(2, RBP);
	PUT(0, RET(1), 0, SLOT(6), RET(2), 0, 0, 0, RET(3));
	EXPECT(PPROF_END_COMPLETE, RET(1), RET(2), RET(3));
	usermem.faults[0] = SLOT(7);
	EXPECT(PPROF_END_FAULT, RET(1), RET(2));
	usermem.faults[0] = SLOT(3);
	EXPECT(PPROF_END_FAULT, RET(1));
	usermem.faults[0] = SLOT(0);
	EXPECT_ALONE(PPROF_END_FAULT);
}

/* Fails if a saved rbp that cannot be read ends the walk before a rule needs it. */
static void test_rbp_cannot_be_read(void **state)
{
	(void)state;
	RULE(0, RSP_SAVED(3, -3));
	RULE(1, RSP(1));
	PUT(0, SLOT(4), 0, RET(1), RET(2), 0, RET(3));
	usermem.faults[0] = SLOT(0);
	EXPECT(PPROF_END_COMPLETE, RET(1), RET(2));
	RULE(2, RBP);
	EXPECT(PPROF_END_LOST_REG, RET(1), RET(2));
	RULE(2, .cfa = PPROF_CFA_DEREF_FP, .ra = PPROF_REG_RA);
	EXPECT(PPROF_END_LOST_REG, RET(1), RET(2));
	/* Nor does what is saved at an rbp that isn't known. */
	RULE(2, .cfa = PPROF_CFA_SP, .cfa_offset = 16, .ra = PPROF_REG_RA,
	     .fp = PPROF_FP_AT_FP);
	EXPECT(PPROF_END_COMPLETE, RET(1), RET(2), RET(3));
}

/* That is no fault, however often. */
static void test_lost_rbp(void **state)
{
	u64 want[10];

	(void)state;
	RULE(0, .cfa = PPROF_CFA_SP, .cfa_offset = 8, .ra = PPROF_REG_RA,
	     .fp = PPROF_FP_LOST);
	for (int i = 0; i < 10; i++)
		want[i] = i < 9 ? RET(0) : RET(1);
	put(0, 10, want);
	expect(MAX, PPROF_END_COMPLETE, 0, 10, want);
	RULE(1, RBP);
	expect(MAX, PPROF_END_LOST_REG, 0, 10, want);
}

static void test_few_faults_are_borne(void **state)
{
	u64 want[USERMEM_FAULTS];

	(void)state;
	RULE(0, RSP_SAVED(2, -2));
	for (int i = 0; i < USERMEM_FAULTS; i++) {
		want[i] = i < USERMEM_FAULTS - 1 ? RET(0) : RET(1);
		PUT(2 * i, 0, want[i]);
		usermem.faults[i] = i < 5 ? SLOT(2 * i) : 0;
	}
	expect(MAX, PPROF_END_COMPLETE, 0, USERMEM_FAULTS, want);
	for (int i = 0; i < USERMEM_FAULTS; i++)
		usermem.faults[i] = SLOT(2 * i);
	walk(MAX);
	assert_int_equal(task.stack.end_reason, PPROF_END_DEPTH);
	assert_in_range(task.stack.nr, 6, USERMEM_FAULTS);
}

/* What is not cached costs: a deep stack of that is not walked to its end. */
static void test_rare_rules_at_length(void **state)
{
	(void)state;
	RULE(0, .cfa = PPROF_CFA_DEREF_SP, .ra = PPROF_REG_RA);
	for (int i = 0; i < PPROF_MAX_FRAMES; i++)
		PUT(2 * i, SLOT(2 * i + 2), RET(0));
	walk(40);
	assert_int_equal(task.stack.nr, 40);
	walk(PPROF_MAX_FRAMES);
	assert_int_equal(task.stack.end_reason, PPROF_END_DEPTH);
	assert_in_range(task.stack.nr, 40, 100);
}

/* The first walk of a deep stack finds nothing in the cache, and yet its end. */
static void test_a_deep_stack_for_the_first_time(void **state)
{
	u64 want[90];

	(void)state;
	for (int fn = 0; fn < NR_FNS - 1; fn++)
		RULE(fn, RSP(1));
	for (int i = 0; i < 90; i++)
		want[i] = i < 89 ? FN(0) + 1 + 17 * i : RET(NR_FNS - 1);
	put(0, 90, want);
	expect(MAX, PPROF_END_COMPLETE, 0, 90, want);
}

/* Code without a table, at first and later, until the chain's 0. */
static void test_frame_pointer_chain(void **state)
{
	(void)state;
	task.regs.ip = JIT + 8;
	task.words[BP] = SLOT(2);
	PUT(2, SLOT(6), RET(1));
	RULE(1, RSP(2));
	PUT(5, JIT + 99, 0, JIT + 42);
	usermem.words[6] = 0;
	EXPECT_GUESS(PPROF_END_COMPLETE, RET(1), JIT + 99, JIT + 42);
	PUT(6, SLOT(6), JIT + 42);
	EXPECT_GUESS(PPROF_END_BAD_FRAME, RET(1), JIT + 99, JIT + 42);
	/* A 0 that was there before says nothing. */
	task.words[BP] = 0;
	EXPECT_ALONE(PPROF_END_BAD_FRAME);
	task.no_table = true;
	task.words[BP] = SLOT(2);
	task.regs.ip = FN(0);
	PUT(2, 0, RET(1));
	EXPECT_GUESS(PPROF_END_COMPLETE, RET(1));
}

static void test_rule_of_frame_pointers(void **state)
{
	(void)state;
	RULE(0, .cfa = PPROF_CFA_FRAME_POINTER);
	task.words[BP] = SLOT(2);
	PUT(2, 0, RET(1));
	EXPECT_GUESS(PPROF_END_COMPLETE, RET(1));
}

/* A trampoline of gcc at JIT + 3, on the stack, with the return address at JIT + 1024. */
static void put_trampoline(const u8 *code, size_t bytes)
{
	usermem.base = JIT;
	task.regs.sp = JIT + 1024;
	task.words[BP] = JIT + 1040;
	PUT(128, RET(1), 0, 0, RET(2));
	memset(usermem.words, 0, 64);
	memcpy((u8 *)usermem.words + 3, code, bytes);
	RULE(1, RSP(3));
}

/* At each instruction of a trampoline the return address is at sp. */
static void expect_trampoline(const u8 *code, size_t bytes, size_t nr, const u8 *starts)
{
	put_trampoline(code, bytes);
	for (size_t i = 0; i < nr; i++) {
		task.regs.ip = JIT + 3 + starts[i];
		EXPECT(PPROF_END_COMPLETE, RET(1), RET(2));
	}
	/* Within an instruction there is no trampoline. */
	task.regs.ip = JIT + 3 + starts[0] + 1;
	EXPECT_GUESS(PPROF_END_COMPLETE, RET(2));
}

/* mov $imm64,%r11; mov $imm64,%r10; jmp *%r11 */
static void test_trampolines(void **state)
{
	static const u8 of_64_bits[] = {
		0x49, 0xbb, 1, 2, 3, 4, 5, 6, 7, 8, 0x49, 0xba,
		1, 2, 3, 4, 5, 6, 7, 8, 0x49, 0xff, 0xe3, 0x90,
	};
	static const u8 of_32_bits[] = {
		0x41, 0xbb, 1, 2, 3, 4, 0x49, 0xba, 1, 2, 3, 4,
		5, 6, 7, 8, 0x49, 0xff, 0xe3, 0x90,
	};
	static const u8 with_endbr64[] = {
		0xf3, 0x0f, 0x1e, 0xfa, 0x49, 0xbb, 1, 2, 3, 4, 5, 6,
		7, 8, 0x49, 0xba, 1, 2, 3, 4, 5, 6, 7, 8,
		0x49, 0xff, 0xe3,
	};
	static const u8 on_heap[] = {
		0x49, 0xbb, 1, 2, 3, 4, 5, 6, 7, 8, 0x49, 0xba,
		1, 2, 3, 4, 5, 6, 7, 8, 0x41, 0xff, 0xe3,
	};

	(void)state;
	expect_trampoline(of_64_bits, sizeof(of_64_bits), 3, (const u8[]){ 0, 10, 20 });
	expect_trampoline(of_32_bits, sizeof(of_32_bits), 3, (const u8[]){ 0, 6, 16 });
	expect_trampoline(with_endbr64, sizeof(with_endbr64), 4, (const u8[]){ 0, 4, 14, 24 });
	expect_trampoline(on_heap, sizeof(on_heap), 3, (const u8[]){ 0, 10, 20 });
}

/* Similar code of a JIT compiler has a frame. */
static void test_no_trampolines(void **state)
{
	static const u8 alone[] = {
		0x49, 0xff, 0xe3,
	};
	static const u8 other_jump[] = {
		0x49, 0xbb, 1, 2, 3, 4, 5, 6, 7, 8, 0x49, 0xba,
		1, 2, 3, 4, 5, 6, 7, 8, 0x49, 0xff, 0xe2,
	};
	static const u8 other_move[] = {
		0x49, 0xbb, 1, 2, 3, 4, 5, 6, 7, 8, 0x48, 0xba,
		1, 2, 3, 4, 5, 6, 7, 8, 0x49, 0xff, 0xe3,
	};
	static const u8 no_chain[] = {
		0x49, 0xbb, 1, 2, 3, 4, 5, 6, 7, 8, 0x49, 0xff,
		0xe3,
	};
	static const u8 right[] = {
		0x49, 0xbb, 1, 2, 3, 4, 5, 6, 7, 8, 0x49, 0xba,
		1, 2, 3, 4, 5, 6, 7, 8, 0x49, 0xff, 0xe3,
	};

	(void)state;
	task.regs.ip = JIT + 3;
	put_trampoline(alone, sizeof(alone));
	EXPECT_GUESS(PPROF_END_COMPLETE, RET(2));
	put_trampoline(other_jump, sizeof(other_jump));
	EXPECT_GUESS(PPROF_END_COMPLETE, RET(2));
	put_trampoline(other_move, sizeof(other_move));
	EXPECT_GUESS(PPROF_END_COMPLETE, RET(2));
	put_trampoline(no_chain, sizeof(no_chain));
	EXPECT_GUESS(PPROF_END_COMPLETE, RET(2));
	/* Nor is it one without a return address. */
	put_trampoline(right, sizeof(right));
	usermem.words[128] = NOWHERE;
	EXPECT_GUESS(PPROF_END_COMPLETE, RET(2));
}

/* Code of a JIT compiler at JIT + 3, to which a call of function 0 returns. */
static void put_caller(const u8 *code, size_t bytes)
{
	usermem.code_base = JIT;
	memset(usermem.code, 0, 64);
	memcpy(usermem.code + 3, code, bytes);
	RULE(0, RSP(1));
	RULE(1, RSP(1));
	PUT(0, JIT + 3, 1, RET(1), RET(2));
}

#define PUT_CALLER(...)	put_caller((const u8[]){ __VA_ARGS__ }, sizeof((u8[]){ __VA_ARGS__ }))

/* The functions that CPython makes for perf have no frame pointer: sub; call; add; ret. */
static void test_epilogue(void **state)
{
	(void)state;
	PUT_CALLER(0x48, 0x83, 0xc4, 8, 0xc3);
	EXPECT(PPROF_END_COMPLETE, JIT + 3, RET(1), RET(2));
	PUT_CALLER(0x48, 0x83, 0xc4, 0x78, 0xc3);
	PUT(16, RET(1), RET(3));
	EXPECT(PPROF_END_COMPLETE, JIT + 3, RET(1), RET(3));
	PUT_CALLER(0xc3);
	PUT(1, RET(1), RET(2));
	EXPECT(PPROF_END_COMPLETE, JIT + 3, RET(1), RET(2));
	/* So does code that was interrupted there. */
	task.regs.ip = JIT + 3;
	PUT(0, RET(1), RET(2));
	EXPECT(PPROF_END_COMPLETE, RET(1), RET(2));
}

static void test_no_epilogue(void **state)
{
	(void)state;
	PUT_CALLER(0x48, 0x83, 0xc4, 8, 0x5d);
	EXPECT(PPROF_END_BAD_FRAME, JIT + 3);
	PUT_CALLER(0x48, 0x83, 0xc4, 4, 0xc3);
	EXPECT(PPROF_END_BAD_FRAME, JIT + 3);
	PUT_CALLER(0x48, 0x83, 0xc4, 0x80, 0xc3);
	EXPECT(PPROF_END_BAD_FRAME, JIT + 3);
	PUT_CALLER(0x48, 0x83, 0xec, 8, 0xc3);
	EXPECT(PPROF_END_BAD_FRAME, JIT + 3);
	/* Nor is it one without a return address. */
	PUT_CALLER(0x48, 0x83, 0xc4, 8, 0xc3);
	PUT(2, NOWHERE);
	EXPECT(PPROF_END_BAD_FRAME, JIT + 3);
}

/* Code that is not in memory costs a page fault a frame. Such a stack is not walked to its end. */
static void test_code_that_faults(void **state)
{
	(void)state;
	task.regs.ip = JIT;
	task.words[BP] = SLOT(0);
	for (int i = 0; i < 100; i++)
		PUT(2 * i, SLOT(2 * i + 2), JIT + 1 + i);
	usermem.words[2 * 9] = 0;
	walk(MAX);
	assert_int_equal(task.stack.end_reason, PPROF_END_COMPLETE);
	assert_int_equal(task.stack.nr, 11);
	usermem.words[2 * 9] = SLOT(2 * 10);
	walk(MAX);
	assert_int_equal(task.stack.end_reason, PPROF_END_DEPTH);
	assert_in_range(task.stack.nr, 12, 30);
}

static void test_odd_chains(void **state)
{
	static const u64 odd[] = {
		0, STACK - 8, STACK + 4, STACK + (8 << 20), TASK_SIZE_MAX - 16, TASK_SIZE_MAX,
		0xffffffff81000000, 1ULL << 63, UINT64_MAX - 7,
	};

	(void)state;
	task.regs.ip = JIT;
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		task.words[BP] = odd[i];
		EXPECT_ALONE(PPROF_END_BAD_FRAME);
		assert_int_equal(usermem.nr_reads, 2);	/* of the code */
	}
	task.words[BP] = STACK + (8 << 20) - 8;
	EXPECT_ALONE(PPROF_END_FAULT);
	task.words[BP] = SLOT(2);
	PUT(2, 0, NOWHERE);
	EXPECT_ALONE(PPROF_END_BAD_FRAME);
	PUT(2, 0, 0);
	EXPECT_ALONE(PPROF_END_BAD_FRAME);
	PUT(2, 0, CODE);
	EXPECT_ALONE(PPROF_END_BAD_FRAME);
	PUT(2, 0, CODE + 1);
	EXPECT_GUESS(PPROF_END_COMPLETE, CODE + 1);
	task.regs.sp = TASK_SIZE_MAX - 16;
	task.words[BP] = TASK_SIZE_MAX - 16;
	EXPECT_ALONE(PPROF_END_BAD_FRAME);
}

/* An instruction of so many bytes, before an address. */
static void put_before(u64 address, unsigned int bytes, u8 opcode, u8 modrm)
{
	u8 *code = usermem.code + (address - bytes - CODE);

	usermem.code_base = CODE;
	code[0] = opcode;
	code[1] = modrm;
}

/* A hole in a table: at first a leaf is guessed, later nothing. */
static void test_leaf(void **state)
{
	(void)state;
	RULE(0, .cfa = PPROF_CFA_NONE);
	RULE(1, RBP);
	task.words[BP] = SLOT(2);
	PUT(0, RET(1), 0, 0, RET(2));
	put_before(RET(1), 5, 0xe8, 0);
	EXPECT_GUESS(PPROF_END_COMPLETE, RET(1), RET(2));
	PUT(0, NOWHERE);
	EXPECT_ALONE(PPROF_END_NO_RULE);
	PUT(0, 0);
	EXPECT_ALONE(PPROF_END_NO_RULE);
	usermem.faults[0] = SLOT(0);
	EXPECT_ALONE(PPROF_END_NO_RULE);
	task.regs.sp = TASK_SIZE_MAX - 8;
	EXPECT_ALONE(PPROF_END_NO_RULE);
	assert_int_equal(usermem.nr_reads, 0);
}

/* A return address follows a call: call rel32, or call *r/m of all lengths. */
static void test_leaf_after_a_call(void **state)
{
	static const struct { u8 bytes, opcode, modrm; bool is_call; } cases[] = {
		{ 5, 0xe8, 0x11, true }, { 2, 0xff, 0xd0, true }, { 3, 0xff, 0x50, true },
		{ 4, 0xff, 0x54, true }, { 6, 0xff, 0x15, true }, { 7, 0xff, 0x94, true },
		{ 5, 0xe9, 0x11, false }, { 2, 0xff, 0xe0, false }, { 5, 0xff, 0xd0, false },
		{ 8, 0xff, 0xd0, false }, { 4, 0xe8, 0x11, false }, { 2, 0x89, 0xd0, false },
	};

	(void)state;
	RULE(0, .cfa = PPROF_CFA_NONE);
	PUT(0, RET(1));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		memset(usermem.code, 0, sizeof(usermem.code));
		put_before(RET(1), cases[i].bytes, cases[i].opcode, cases[i].modrm);
		if (cases[i].is_call)
			EXPECT_GUESS(PPROF_END_COMPLETE, RET(1));
		else
			EXPECT_ALONE(PPROF_END_NO_RULE);
	}
	/* The code is not in memory. */
	usermem.faults[0] = RET(1) - 8;
	put_before(RET(1), 5, 0xe8, 0);
	EXPECT_ALONE(PPROF_END_NO_RULE);
}

static void call_before(u64 address, u64 target)
{
	s32 distance = target - address;

	put_before(address, 5, 0xe8, 0);
	memcpy(usermem.code + (address - 4 - CODE), &distance, sizeof(distance));
}

#define OTHER_STACK	.cfa = PPROF_CFA_OTHER_STACK, .cfa_offset = 16, .ra = PPROF_REG_RA, \
			.fp = PPROF_FP_SAVED, .fp_offset = -16

/* The caller's stack is below. Its fp is that of the next frame. */
static void test_other_stack(void **state)
{
	(void)state;
	task.regs.sp = SLOT(100);
	task.words[BP] = SLOT(10);
	RULE(0, OTHER_STACK);
	RULE(1, RBP);
	PUT(10, SLOT(20), RET(1));
	PUT(20, 0, RET(2));
	call_before(RET(1), FN(0));
	EXPECT(PPROF_END_COMPLETE, RET(1), RET(2));
	call_before(RET(1), FN(0) - 1023);
	EXPECT(PPROF_END_COMPLETE, RET(1), RET(2));
}

/* Other code has changed fp. */
static void test_other_stack_is_not_there(void **state)
{
	static const u64 odd[] = { SLOT(10) + 4, 65536 - 24, TASK_SIZE_MAX - 16 };

	(void)state;
	task.regs.sp = SLOT(100);
	task.words[BP] = SLOT(10);
	RULE(0, OTHER_STACK);
	PUT(10, 0, RET(1));
	EXPECT_ALONE(PPROF_END_BAD_FRAME);
	call_before(RET(1), FN(0) + 1);
	EXPECT_ALONE(PPROF_END_BAD_FRAME);
	call_before(RET(1), FN(0) - 1024);
	EXPECT_ALONE(PPROF_END_BAD_FRAME);
	put_before(RET(1), 2, 0xff, 0xd0);
	EXPECT_ALONE(PPROF_END_BAD_FRAME);
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		task.words[BP] = odd[i];
		EXPECT_ALONE(PPROF_END_BAD_CFA);
		assert_int_equal(usermem.nr_reads, 0);
	}
}

/* A loop over stacks has an end. */
static void test_many_other_stacks(void **state)
{
	(void)state;
	task.regs.sp = SLOT(100);
	task.words[BP] = SLOT(10);
	RULE(0, OTHER_STACK);
	PUT(10, SLOT(10), RET(0));
	call_before(RET(0), FN(0));
	EXPECT(PPROF_END_DEPTH, RET(0), RET(0), RET(0), RET(0), RET(0), RET(0), RET(0), RET(0));
}

/* An old return address may be where a function has reserved room. */
static void test_leaf_of_another_call(void **state)
{
	(void)state;
	RULE(0, .cfa = PPROF_CFA_NONE);
	RULE(2, .cfa = PPROF_CFA_NONE);
	task.regs.ip = FN(0) + 100;
	PUT(0, RET(1));
	call_before(RET(1), FN(0));
	EXPECT_GUESS(PPROF_END_COMPLETE, RET(1));
	call_before(RET(1), FN(0) + 100);
	EXPECT_GUESS(PPROF_END_COMPLETE, RET(1));
	/* To a function behind the PC. */
	call_before(RET(1), FN(2));
	EXPECT_ALONE(PPROF_END_NO_RULE);
	/* To a PLT stub, of this file or of another one. */
	call_before(RET(1), FN(3));
	EXPECT_GUESS(PPROF_END_COMPLETE, RET(1));
	call_before(RET(1), LIB);
	EXPECT_GUESS(PPROF_END_COMPLETE, RET(1));
	/* From the PC's own function. */
	PUT(0, RET(0));
	call_before(RET(0), FN(0));
	RULE(0, .cfa = PPROF_CFA_NONE);
	EXPECT_ALONE(PPROF_END_NO_RULE);
	/* The next function is as near. */
	call_before(RET(0), RET(0) + 32);
	task.regs.ip = RET(0) + 40;
	EXPECT_GUESS(PPROF_END_NO_RULE, RET(0));
}

/* In rt_sigreturn() the PC is behind __restore_rt, where code without a rule may be. */
static void test_in_sigreturn(void **state)
{
	u64 *words = put_signal(0);

	(void)state;
	words[UC_RIP] = FN(3);
	RULE(0, .cfa = PPROF_CFA_SIGNAL);
	RULE(1, .cfa = PPROF_CFA_NONE);
	task.regs.ip = FN(1);
	task.words[ORIG_AX] = 15;
	expect_frames(PPROF_END_COMPLETE, 2, (u64[]){ FN(1) - 1, MARKED(FN(3)) });
	/* The next function was interrupted itself. */
	task.words[ORIG_AX] = -1;
	PUT(0, 0);
	EXPECT_ALONE(PPROF_END_NO_RULE);
	/* Of any other system call, too, the rule is that of the next function. */
	task.words[ORIG_AX] = 15;
	RULE(0, RSP(1));
	EXPECT_ALONE(PPROF_END_NO_RULE);
}

/* Nor after a signal, whose PC may be anywhere. */
static void test_no_leaf_after_a_signal(void **state)
{
	u64 *words = put_signal(1);

	(void)state;
	RULE(2, .cfa = PPROF_CFA_NONE);
	PUT(64, RET(3));
	EXPECT(PPROF_END_NO_RULE, MARKED(RET(1)), MARKED(FN(2)));
	(void)words;
}

static void expect_at(u64 epoch, u64 frame)
{
	task.epoch = epoch - 1;
	walk(MAX);
	assert_int_equal(task.stack.nr, 2);
	assert_int_equal(task.frames[1], frame);
}

/* Rules of one process are nothing to another that shares the cache. */
static void test_the_cache_is_no_bridge(void **state)
{
	(void)state;
	RULE(0, RSP(1));
	PUT(0, RET(1), RET(2));
	expect_at(1, RET(1));
	RULE(0, RSP(2));
	expect_at(1, RET(1));
	expect_at(2, RET(2));
	RULE(0, RSP(1));
	expect_at(1 + (1ULL << 29), RET(1));
	RULE(0, RSP(2));
	expect_at(1, RET(2));
	expect_at(1 + (1ULL << 32), RET(2));
}

/* An empty entry is no rule for what follows a return address of 0. */
static void test_an_empty_cache_knows_nothing(void **state)
{
	(void)state;
	RULE(0, RSP(1));
	task.epoch = (1ULL << 29) - 1;
	EXPECT_ALONE(PPROF_END_COMPLETE);
}

/* A return address from FN(fn) on that falls into the same set as RET(0). */
static u64 same_set(int fn)
{
	for (u64 at = FN(fn) + 1; at < CODE_END; at++)
		if (pprof_rule_cache_set(&cache, at) == pprof_rule_cache_set(&cache, RET(0)))
			return at;
	fail();
	return 0;
}

static bool is_cached(u64 after)
{
	const struct pprof_rule_cache_set *set = pprof_rule_cache_set(&cache, after);

	return set->entries[0].after == after || set->entries[1].after == after;
}

/* What the frame that `after` is in returns to, with the rules of the test below. */
static void put_far(u64 after)
{
	memset(&usermem.words[1], 0, 16 * 8);
	usermem.words[1 + (after - CODE) / 256] = NOWHERE;
}

/* Two that fall together stay; a third takes the place of the older. */
static void test_sets(void **state)
{
	u64 first = RET(0), second = same_set(1), third = same_set((second - CODE) / 256 + 1);

	(void)state;
	for (int fn = 1; fn < NR_FNS; fn++)
		RULE(fn, RSP(fn + 1));
	RULE(0, RSP(1));
	task.regs.ip = first - 1;
	PUT(0, second);
	put_far(second);
	EXPECT(PPROF_END_NO_RANGE, second);
	assert_true(is_cached(first) && is_cached(second));
	PUT(0, third);
	put_far(third);
	EXPECT(PPROF_END_NO_RANGE, third);
	assert_true(is_cached(first) && is_cached(third) && !is_cached(second));
	/* Back in the same space, where it is not cached. */
	task.epoch--;
	PUT(0, second);
	put_far(second);
	EXPECT(PPROF_END_NO_RANGE, second);
}

static void test_tables_with_rbx_are_not_cached(void **state)
{
	(void)state;
	task.regs.ip = LIB;
	RULE(0, RSP(1));
	PUT(0, RET(1));
	EXPECT(PPROF_END_COMPLETE, RET(1));
	for (int i = 0; i < 1 << PPROF_RULE_CACHE_BITS; i++)
		assert_true(cache.sets[i].entries[0].after != LIB + 1);
}

#define NOT_CACHED	99

static void expect_cached(const struct pprof_rule *rule, u32 kind)
{
	const struct pprof_rule_cache_entry *entry = pprof_rule_cache_set(&cache, 0x1234)->entries;

	memset(&cache, 0, sizeof(cache));
	pprof_rule_cache_put(&cache, 9, 0x1234, rule);
	if (kind == NOT_CACHED) {
		assert_int_equal(entry->key, 0);
		return;
	}
	assert_int_equal(entry->key, 9 + kind);
	assert_int_equal(entry->after, 0x1234);
	assert_int_equal(entry->cfa_offset, rule->cfa_offset);
	assert_int_equal(entry->fp_offset, rule->fp_offset);
}

#define CACHED(kind, ...)	expect_cached(&(const struct pprof_rule){ __VA_ARGS__ }, kind)

static void test_what_is_cached(void **state)
{
	struct pprof_rule rule = { RSP(1) };

	(void)state;
	CACHED(PPROF_CACHED_SP, RSP(1));
	CACHED(PPROF_CACHED_SP, RSP(4095));
	CACHED(PPROF_CACHED_SP_SAVED, RSP_SAVED(3, -2));
	CACHED(PPROF_CACHED_SP_SAVED, RSP_SAVED(3, -4096));
	CACHED(PPROF_CACHED_FP, RBP);
	CACHED(PPROF_CACHED_END, END);
	CACHED(NOT_CACHED, RSP(0));
	CACHED(NOT_CACHED, RSP(-1));
	CACHED(NOT_CACHED, RSP(4096));
	CACHED(NOT_CACHED, RSP_SAVED(3, -1));
	CACHED(NOT_CACHED, RSP_SAVED(3, 0));
	CACHED(NOT_CACHED, RSP_SAVED(3, 1));
	rule = (struct pprof_rule){ RBP };
	rule.cfa_offset = 24;
	expect_cached(&rule, NOT_CACHED);
	rule.cfa_offset = 16;
	rule.fp_offset = -24;
	expect_cached(&rule, NOT_CACHED);
	rule = (struct pprof_rule){ RSP(1) };
	rule.cfa_offset = 12;
	expect_cached(&rule, NOT_CACHED);
	rule = (struct pprof_rule){ RSP(1) };
	rule.ra = 5;
	expect_cached(&rule, NOT_CACHED);
	rule.ra = PPROF_REG_RA;
	rule.fp = PPROF_FP_LOST;
	expect_cached(&rule, NOT_CACHED);
	rule.fp = PPROF_FP_AT_FP;
	expect_cached(&rule, NOT_CACHED);
	rule.fp = PPROF_FP_SAVED;
	rule.fp_offset = -20;
	expect_cached(&rule, NOT_CACHED);
	rule.fp_offset = -16;
	for (u8 cfa = 0; cfa < PPROF_NR_CFA; cfa++) {
		rule.cfa = cfa;
		if (cfa != PPROF_CFA_SP && cfa != PPROF_CFA_FP && cfa != PPROF_CFA_END)
			expect_cached(&rule, NOT_CACHED);
	}
}

/* Walks until the stack is known, and sends its sample. */
static void learn(void)
{
	for (int i = 0; i < 2; i++) {
		walk(MAX);
		task.epoch -= !i;
	}
	known.nr_sent = known.nr_walked;
}

/* The next walk finds these frames, and nr_shared more. */
static void expect_shared(u32 nr_shared, u32 nr, const u64 *frames)
{
	task.epoch--;
	walk(MAX);
	assert_int_equal(task.stack.end_reason, PPROF_END_COMPLETE);
	assert_int_equal(task.stack.nr_shared, nr_shared);
	assert_int_equal(task.stack.nr, nr);
	assert_memory_equal(task.frames, frames, nr * sizeof(*frames));
}

#define EXPECT_SHARED(nr_shared, ...) expect_shared(nr_shared,				\
						    sizeof((u64[]){ __VA_ARGS__ }) / 8,	\
						    (const u64[]){ __VA_ARGS__ })

static void put_four_frames(void)
{
	RULE(0, RSP(1));
	RULE(1, RSP(2));
	RULE(2, RSP(2));
	RULE(3, RSP(2));
	PUT(0, RET(1), 0, RET(2), 0, RET(3), 0, RET(4));
}

/* Fails if frames that are the same are sent again, or a frame is sent wrong. */
static void test_shared_frames(void **state)
{
	(void)state;
	put_four_frames();
	learn();
	assert_int_equal(known.nr_walked, 4);
	EXPECT_SHARED(4, FN(0));
	assert_int_equal(usermem.nr_reads, 4);
	task.regs.ip = FN(0) + 1;
	EXPECT_SHARED(4, FN(0) + 1);
	/* Without its sample in the ring a stack is only known. */
	known.nr_sent = 0;
	EXPECT_SHARED(0, FN(0) + 1, RET(1), RET(2), RET(3), RET(4));
	assert_int_equal(usermem.nr_reads, 4);
	known.nr_sent = 2;
	EXPECT_SHARED(2, FN(0) + 1, RET(1), RET(2));
	/* The PC is no return address, even if it is in a known frame. */
	known.nr_sent = 4;
	task.regs.ip = RET(2) - 1;
	task.regs.sp = SLOT(3);
	EXPECT_SHARED(2, RET(2) - 1);
}

/* Fails if a frame that has changed is taken for a known one. */
static void test_changed_frames(void **state)
{
	(void)state;
	put_four_frames();
	learn();
	PUT(2, RET(3));
	EXPECT_SHARED(2, FN(0), RET(1), RET(3));
	PUT(2, RET(2));
	PUT(6, RET(5));
	EXPECT_SHARED(0, FN(0), RET(1), RET(2), RET(3), RET(5));
	PUT(6, RET(4));
	/* One frame more, and one less */
	learn();
	task.regs.sp = SLOT(2);
	EXPECT_SHARED(3, FN(0));
	task.regs.sp = STACK;
	RULE(0, RSP(3));
	task.epoch++;
	EXPECT_SHARED(0, FN(0), RET(2), RET(3), RET(4));
}

/* The leaf is known, too: a walk whose cache has no rules shares nothing else. */
static void expect_known_leaf(u32 nr_shared, u64 leaf)
{
	const struct pprof_rule_cache with_rules = cache;

	memset(&cache, 0, sizeof(cache));
	expect_shared(nr_shared, 1, &leaf);
	cache = with_rules;
}

/* Fails if a walk compares the known words anew at each frame below one that has changed. */
static void test_reads_of_changed_frames(void **state)
{
	(void)state;
	put_four_frames();
	learn();
	PUT(6, RET(5));
	EXPECT_SHARED(0, FN(0), RET(1), RET(2), RET(3), RET(5));
	assert_in_range(usermem.nr_reads, 1, 9);
}

/* A saved fp counts only where an outer frame needs it for its CFA. */
static void test_changed_fp(void **state)
{
	(void)state;
	RULE(0, RSP_SAVED(2, -2));
	RULE(1, RBP);
	RULE(2, RSP_SAVED(2, -2));
	RULE(3, RSP(2));
	PUT(0, SLOT(3), RET(1), 0, 11, RET(2), 22, RET(3), 0, RET(4));
	learn();
	expect_known_leaf(4, FN(0));
	PUT(3, 12);	/* fp of RET(2), which saves it */
	PUT(5, 23);	/* fp of RET(3), where nothing needs it */
	EXPECT_SHARED(4, FN(0));
	/* Another frame of the same function */
	PUT(0, SLOT(5));
	EXPECT_SHARED(2, FN(0), RET(1));
	PUT(0, SLOT(3));
	learn();
	task.regs.ip = RET(1) - 1;
	task.regs.sp = SLOT(2);
	task.words[BP] = SLOT(3);
	EXPECT_SHARED(3, RET(1) - 1);
	task.words[BP] = SLOT(5);
	EXPECT_SHARED(2, RET(1) - 1);
}

/* The leaf leaves fp as it is, and its caller needs it. */
static void test_fp_of_the_leaf(void **state)
{
	(void)state;
	RULE(0, RSP(1));
	RULE(1, RBP);
	RULE(2, RSP(2));
	task.words[BP] = SLOT(3);
	PUT(0, RET(1), 0, 0, 11, RET(2), 22, RET(3), 33, RET(4));
	learn();
	expect_known_leaf(3, FN(0));
	task.words[BP] = SLOT(7);
	EXPECT_SHARED(0, FN(0), RET(1), RET(4));
}

/* The sample of the walk that learned the stack may not have been sent. */
static void test_learned_and_not_sent(void **state)
{
	(void)state;
	put_four_frames();
	learn();
	task.epoch++;
	for (int i = 0; i < 2; i++)
		expect_shared(0, 5, (u64[]){ FN(0), RET(1), RET(2), RET(3), RET(4) });
	EXPECT_SHARED(0, FN(0), RET(1), RET(2), RET(3), RET(4));
	known.nr_sent = known.nr_walked;
	EXPECT_SHARED(4, FN(0));
}

/* What is known of a stack ends with the room of the caller. */
static void test_known_and_too_deep(void **state)
{
	(void)state;
	put_four_frames();
	learn();
	task.epoch--;
	walk(4);
	assert_int_equal(task.stack.end_reason, PPROF_END_DEPTH);
	assert_int_equal(task.stack.nr, 4);
	assert_int_equal(task.stack.nr_shared, 0);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup(test, setup)

static const struct CMUnitTest tests[] = {
	WITH_SETUP(test_rsp_rules),
	WITH_SETUP(test_shared_frames),
	WITH_SETUP(test_changed_frames),
	WITH_SETUP(test_reads_of_changed_frames),
	WITH_SETUP(test_changed_fp),
	WITH_SETUP(test_fp_of_the_leaf),
	WITH_SETUP(test_learned_and_not_sent),
	WITH_SETUP(test_known_and_too_deep),
	WITH_SETUP(test_no_caller),
	WITH_SETUP(test_which_instruction),
	WITH_SETUP(test_rbp_rules),
	WITH_SETUP(test_saved_rbp),
	WITH_SETUP(test_awaited),
	WITH_SETUP(test_awaited_pc),
	WITH_SETUP(test_breakpoint),
	WITH_SETUP(test_breakpoint_below_uretprobe),
	WITH_SETUP(test_emulated_push),
	WITH_SETUP(test_padding_is_no_breakpoint),
	WITH_SETUP(test_realigned),
	WITH_SETUP(test_deref_rsp),
	WITH_SETUP(test_each_register),
	WITH_SETUP(test_registers_are_lost_on_the_way),
	WITH_SETUP(test_vfork),
	WITH_SETUP(test_clone),
	WITH_SETUP(test_other_stack),
	WITH_SETUP(test_other_stack_is_not_there),
	WITH_SETUP(test_many_other_stacks),
	WITH_SETUP(test_plt),
	WITH_SETUP(test_rbx),
	WITH_SETUP(test_signal),
	WITH_SETUP(test_registers_after_a_signal),
	WITH_SETUP(test_rbx_after_a_signal),
	WITH_SETUP(test_signal_stack),
	WITH_SETUP(test_odd_signals),
	WITH_SETUP(test_signals_do_not_last_for_ever),
	WITH_SETUP(test_depth),
	WITH_SETUP(test_the_most_frames),
	WITH_SETUP(test_zero_return_address),
	WITH_SETUP(test_ends),
	WITH_SETUP(test_compat_and_unknown_processes),
	WITH_SETUP(test_odd_stack_pointers),
	WITH_SETUP(test_odd_frame_pointers),
	WITH_SETUP(test_odd_cfas),
	WITH_SETUP(test_the_end_of_user_memory),
	WITH_SETUP(test_return_address_cannot_be_read),
	WITH_SETUP(test_rbp_cannot_be_read),
	WITH_SETUP(test_lost_rbp),
	WITH_SETUP(test_few_faults_are_borne),
	WITH_SETUP(test_rare_rules_at_length),
	WITH_SETUP(test_a_deep_stack_for_the_first_time),
	WITH_SETUP(test_frame_pointer_chain),
	WITH_SETUP(test_rule_of_frame_pointers),
	WITH_SETUP(test_trampolines),
	WITH_SETUP(test_no_trampolines),
	WITH_SETUP(test_epilogue),
	WITH_SETUP(test_no_epilogue),
	WITH_SETUP(test_code_that_faults),
	WITH_SETUP(test_odd_chains),
	WITH_SETUP(test_leaf),
	WITH_SETUP(test_leaf_after_a_call),
	WITH_SETUP(test_leaf_of_another_call),
	WITH_SETUP(test_in_sigreturn),
	WITH_SETUP(test_no_leaf_after_a_signal),
	WITH_SETUP(test_the_cache_is_no_bridge),
	WITH_SETUP(test_an_empty_cache_knows_nothing),
	WITH_SETUP(test_sets),
	WITH_SETUP(test_tables_with_rbx_are_not_cached),
	WITH_SETUP(test_what_is_cached),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
