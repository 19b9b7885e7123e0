/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recognises a few instructions of the CPU. No function reads more than nr bytes at code. They have
 * no state: any thread may call them. The folder of each CPU has its machine_code.c.
 */
#ifndef COLLECTOR_ARCH_MACHINE_CODE_H
#define COLLECTOR_ARCH_MACHINE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the length of the nop at code, or 0 if there is another instruction. A nop whose
 * operand is cut off by the end of the code has nr bytes.
 */
size_t arch_nop_bytes(const uint8_t *code, size_t nr);

/* Is this a byte with which linkers fill the room between sections? */
bool arch_is_filler(uint8_t byte);

/* Is a system call the last instruction? */
bool arch_ends_with_syscall(const uint8_t *code, size_t nr);

/*
 * Finds a system call with a test of its result right after it, as in clone().
 * Returns: the offset of the test, or 0 if there is none.
 */
size_t arch_find_result_test(const uint8_t *code, size_t nr);

/* Is the last instruction a push of fp? */
bool arch_ends_with_push_fp(const uint8_t *code, size_t nr);

/* Returns how often the code sets up a frame pointer. */
size_t arch_count_frame_pointers(const uint8_t *code, size_t nr);

/*
 * Finds the two moves by which longjmp() leaves its stack. The first is from register sp to the
 * stack pointer. The second comes after it, from register fp to the frame pointer. sp and fp are
 * DWARF numbers.
 * Returns: the offset after the first move, or 0 without them.
 */
size_t arch_find_stack_switch(const uint8_t *code, size_t nr, unsigned int sp, unsigned int fp);

/* How a walk leaves code that runs on another stack than its caller, or on a realigned one. */
enum arch_stack {
	ARCH_STACK_UNKNOWN,	/* it does not */
	ARCH_STACK_BY_FP,	/* fp is that of the function */
	ARCH_STACK_STARTS,	/* it has no caller */
};

/* Bytes start to end - 1 of a function are such code. */
struct arch_other_stack {
	size_t start;
	size_t end;
	/* The one of two returns that lies in between, 0: none. There the caller's fp is back. */
	size_t returns;
	enum arch_stack kind;
};

/*
 * Finds where a function of the Go runtime runs on another stack. It loads sp, or aligns it, and
 * may load it again to return. Or a goroutine ends there. A function of nr bytes begins at code.
 * Returns: false for all other functions, in which sp only moves by pushes and pops.
 */
bool arch_find_other_stack(const uint8_t *code, size_t nr, struct arch_other_stack *found);

/* Is the last instruction such a move to the stack pointer, of any register? */
bool arch_ends_with_stack_switch(const uint8_t *code, size_t nr);

/* Returns the size of the stubs in a PLT section with this sh_entsize. */
size_t arch_plt_stub_bytes(uint64_t entsize);

/*
 * Returns the address of the GOT slot through which the PLT stub at code jumps. addr is the address
 * of the stub. Returns 0 if it is no such stub. The first entry of a section, which calls the
 * dynamic linker, is none.
 */
uint64_t arch_plt_slot(const uint8_t *code, size_t nr, uint64_t addr);

/* The two functions below need no more bytes from the start of a function. */
#define ARCH_ENTRY_BYTES	16

/*
 * Returns the offset in a function, in bytes, at which a uprobe costs one trap less than at the
 * start. It is hit as often there. Returns 0 if there is no such instruction.
 */
size_t arch_cheap_probe(const uint8_t *code, size_t nr);

/*
 * Returns where a function jumps at once. addr is its address, or its offset in the file. The
 * result is of the same kind. Returns:
 * - addr, if it does not jump.
 * - UINT64_MAX, if it jumps through the GOT, as a PLT stub does, or if the code is cut off.
 */
uint64_t arch_jump_target(const uint8_t *code, size_t nr, uint64_t addr);

#endif /* COLLECTOR_ARCH_MACHINE_CODE_H */
