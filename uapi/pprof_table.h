/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * An unwind table of one ELF file. For each instruction it says how to find the frame of the
 * caller. User space compiles it from .eh_frame. The kernel copies it, checks it once, and looks it
 * up in interrupts.
 *
 * A table is one piece of memory, without holes, in this order:
 *
 *	struct pprof_table_head
 *	struct pprof_rule	rules[nr_rules]
 *	__u32			pages[nr_pages + 1]
 *	struct pprof_row	rows[nr_rows]
 *	zeroes, up to a multiple of 8 bytes
 *
 * Addresses are offsets in the file. So a mapping of the file needs its start and offset only.
 *
 * Text is divided into pages of 256 bytes. Rows are in rising order of address. The rows of page p
 * are pages[p] to pages[p + 1] - 1. A row is valid from its address to the address of the next row.
 * The first row must be at the first byte of the first page. The last row is valid to the end of
 * the last page. Addresses outside the pages have no rule.
 */
#ifndef _UAPI_PPROF_TABLE_H
#define _UAPI_PPROF_TABLE_H

#include <linux/types.h>

#define PPROF_TABLE_MAGIC	0x33425450	/* "PTB3" */
#define PPROF_TABLE_PAGE_BYTES	256
#define PPROF_TABLE_MAX_BYTES	(64U << 20)
#define PPROF_TABLE_MAX_RULES	4096

struct pprof_table_head {
	__u32 magic;
	__u32 bytes;		/* size of the whole table, a multiple of 8 */
	__u64 start;		/* file offset of the first page, a multiple of 256 */
	__u32 nr_pages;
	__u32 nr_rows;		/* at least 1 */
	__u32 nr_rules;		/* 0 if each row holds its rule itself */
	__u16 machine;		/* e_machine of the ELF file: 62 (EM_X86_64) */
	__u16 flags;		/* PPROF_TABLE_* */
};

/*
 * Some rules need the base pointer. The walk then follows it from frame to frame within this file.
 */
#define PPROF_TABLE_BASE	(1U << 0)

/*
 * Three registers have names here. The stack pointer is sp (rsp on x86-64). The frame pointer is fp
 * (rbp). The base pointer, as LLVM names it, is base (rbx).
 *
 * How to compute the canonical frame address (CFA): the value of sp before the call instruction
 * pushed the return address. See DWARF 5, section 6.4.
 */
#define PPROF_CFA_NONE		0	/* no rule is known for this code */
#define PPROF_CFA_END		1	/* the thread or program starts here: no caller */
#define PPROF_CFA_SP		2	/* sp + offset */
#define PPROF_CFA_FP		3	/* fp + offset */
#define PPROF_CFA_BASE		4	/* base + offset; needs PPROF_TABLE_BASE */
#define PPROF_CFA_PLT		5	/* sp + offset, plus 8 if (pc & 15) >= add */
#define PPROF_CFA_SIGNAL	6	/* all registers are in the ucontext at sp + offset */
#define PPROF_CFA_DEREF_SP	7	/* *(sp + offset) + add */
#define PPROF_CFA_DEREF_FP	8	/* *(fp + offset) + add */
/*
 * Register reg + offset. Registers are known in the topmost frame, and in the frame that a signal
 * interrupted.
 */
#define PPROF_CFA_REG		9
#define PPROF_CFA_UNSUPPORTED	10	/* .eh_frame has a rule, but none of this list */
#define PPROF_CFA_FRAME_POINTER	11	/* code without rules that keeps frame pointers */
/*
 * Behind the system call of clone(): sp + offset. If register reg is 0, this is the child, on a
 * stack of its own: no caller.
 */
#define PPROF_CFA_CLONE		12
/*
 * Since ABI 3.4: fp + offset, on another stack, at any address. The code has switched stacks. The
 * return address must be behind a direct call of the same function, which begins at most 1,024
 * bytes before the PC. Otherwise the walk ends: fp has another value.
 */
#define PPROF_CFA_OTHER_STACK	13
#define PPROF_NR_CFA		14

/* How to find the fp of the caller. */
#define PPROF_FP_SAME		0
#define PPROF_FP_SAVED		1	/* at CFA + fp_offset */
#define PPROF_FP_AT_FP		2	/* at the address in fp: a frame that realigns its stack */
#define PPROF_FP_LOST		3
#define PPROF_NR_FP		4

/*
 * Registers have the DWARF numbers of the machine. For EM_X86_64 these are in the System V ABI for
 * x86-64, figure 3.36 (rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 ... r15, return address). A field
 * that a rule does not use must be zero.
 */
#define PPROF_REG_RA		16

struct pprof_rule {
	__u8 cfa;		/* PPROF_CFA_* */
	__u8 reg;		/* of PPROF_CFA_REG and _CLONE: 0 to 15 */
	/* PPROF_REG_RA: the return address is at CFA - 8; 0 to 15: in that register */
	__u8 ra;
	__u8 fp;		/* PPROF_FP_* */
	__s32 cfa_offset;
	__s32 cfa_add;
	__s16 fp_offset;
	__s16 base_offset;	/* the caller's base is at CFA + this; 0: unchanged */
};

/* All fields are bytes, so that a row takes three bytes. */
struct pprof_row {
	__u8 low;	/* the address of the row, as an offset in its page */
	__u8 rule[2];	/* little-endian: see below */
};

/*
 * pprof_row.rule is a little-endian number. Below PPROF_ROW_PLAIN it is an index of rules[]. From
 * PPROF_ROW_PLAIN on it is the rule itself, so that the walk need not fetch another cache line.
 * Nearly all code has one of these two forms:
 *
 *	PPROF_ROW_PLAIN | saved << PPROF_ROW_SAVED_SHIFT | words
 *		The CFA is sp + 8 * words; words is at least 1.
 *		The caller's fp is at CFA - 8 * saved; 0: unchanged.
 *		The return address is at CFA - 8. So saved is never 1.
 *	PPROF_ROW_KIND | PPROF_CFA_*
 *		This is the unused value 1 of saved.
 *		PPROF_CFA_NONE, _END, _UNSUPPORTED and _FRAME_POINTER have no other field.
 *		PPROF_CFA_FP: the CFA is fp + 16, the caller's fp is at CFA - 16,
 *		the return address is at CFA - 8.
 *		No other PPROF_CFA_* is valid.
 *
 * None of these rules changes base.
 */
#define PPROF_ROW_PLAIN		0x8000
#define PPROF_ROW_KIND		0x9000
#define PPROF_ROW_SAVED_SHIFT	12
#define PPROF_ROW_MAX_SAVED	7
#define PPROF_ROW_MAX_WORDS	4095

#endif /* _UAPI_PPROF_TABLE_H */
