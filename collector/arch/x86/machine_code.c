// SPDX-License-Identifier: GPL-2.0
#include "arch/machine_code.h"

#include <endian.h>
#include <string.h>

#include "arch/machine.h"
#include "base/byte_reader.h"

#define REG_R8		8
#define NR_REGS		16
#define MOVE_BYTES	3
#define JUMP_BYTES	5
#define MAX_PREFIXES	8	/* bytes before a jump */

static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

/*
 * Prefixes 66 and 2e, then 90 or 0f 1f with an operand. The gap after an FDE may end in the middle
 * of a nop: the FDE of glibc's __restore_rt begins a byte early.
 */
size_t arch_nop_bytes(const uint8_t *code, size_t nr)
{
	static const uint8_t displacement_bytes[] = { 0, 1, 4, 0 };
	struct bytes b = { .at = code, .end = code + nr };
	uint8_t op = bytes_number(&b, 1), modrm;

	while (op == 0x66 || op == 0x2e)
		op = bytes_number(&b, 1);
	if (op == 0x90)
		return b.at - code;
	if (op != 0x0f || bytes_number(&b, 1) != 0x1f)
		return 0;
	modrm = bytes_number(&b, 1);
	if (modrm >> 6 != 3 && (modrm & 7) == 4)
		bytes_take(&b, 1);
	bytes_take(&b, displacement_bytes[modrm >> 6]);
	return b.at - code;
}

/* Zeroes, or int3, which lld uses. */
bool arch_is_filler(uint8_t byte)
{
	return !byte || byte == 0xcc;
}

bool arch_ends_with_syscall(const uint8_t *code, size_t nr)
{
	return nr >= 2 && code[nr - 2] == 0x0f && code[nr - 1] == 0x05;
}

/* syscall; test %rax,%rax */
size_t arch_find_result_test(const uint8_t *code, size_t nr)
{
	static const uint8_t insns[] = { 0x0f, 0x05, 0x48, 0x85, 0xc0 };
	const uint8_t *found = memmem(code, nr, insns, sizeof(insns));

	return found ? found + ARCH_SYSCALL_BYTES - code : 0;
}

/* push %rbp, and not push %r13, which is 41 55 */
bool arch_ends_with_push_fp(const uint8_t *code, size_t nr)
{
	return nr && code[nr - 1] == 0x55 && (nr < 2 || code[nr - 2] != 0x41);
}

/* push %rbp; mov %rsp,%rbp */
size_t arch_count_frame_pointers(const uint8_t *code, size_t nr)
{
	static const uint8_t push_frame[] = { 0x55, 0x48, 0x89, 0xe5 };
	size_t found = 0;

	for (size_t at = 0; at + sizeof(push_frame) <= nr; at++)
		found += !memcmp(code + at, push_frame, sizeof(push_frame));
	return found;
}

/*
 * mov disp(reg),%rsp, or mov reg,%rsp of another register than %rbp. Returns the offset after the
 * first one from `at` on, or 0.
 */
static size_t find_load_of_sp(const uint8_t *code, size_t nr, size_t at)
{
	for (; at + MOVE_BYTES <= nr; at++) {
		uint8_t rex = code[at], modrm = code[at + 2];

		if ((rex & 0xfc) == 0x48 && code[at + 1] == 0x8b && (modrm & 0x38) == 0x20 &&
		    modrm >> 6 < 2)
			return at + MOVE_BYTES + (modrm >> 6);
		if ((rex & 0xfb) == 0x48 && code[at + 1] == 0x89 && (modrm & 0xc7) == 0xc4 &&
		    modrm != 0xec)
			return at + MOVE_BYTES;
	}
	return 0;
}

/* Returns the offset after the pattern, or 0. */
static size_t find_end_of(const uint8_t *code, size_t nr, const void *pattern, size_t bytes)
{
	const uint8_t *found = memmem(code, nr, pattern, bytes);

	return found ? found + bytes - code : 0;
}

/*
 * push %rax right after the load of sp, or after a mov $0,%rbp behind it: mcall(). It leaves the
 * goroutine for good. What it calls never returns, and the goroutine may go on in another thread.
 * So the stack of the scheduler begins there, as it does in Go's own profiles (golang/go#63630).
 * morestack() pushes nothing: it calls a function that works for its caller.
 */
static bool is_scheduler_call(const uint8_t *code, size_t nr)
{
	static const uint8_t clear_fp[] = { 0x48, 0xc7, 0xc5, 0, 0, 0, 0 };
	size_t at = nr > sizeof(clear_fp) && !memcmp(code, clear_fp, sizeof(clear_fp)) ?
			    sizeof(clear_fp) : 0;

	return at < nr && code[at] == 0x50;
}

/*
 * A function that loads sp once does not return to its caller by itself, and changes rbp. It may be
 * run on later, up to pop %rbp; ret. A new thread loads sp after the system call of clone().
 */
static void set_single_load(const uint8_t *code, size_t nr, size_t load,
			    struct arch_other_stack *found)
{
	size_t returns = find_end_of(code + load, nr - load, "\x5d\xc3", 2);

	found->end = returns ? load + returns - 2 : nr;
	if ((code[load - 2] == 0x89 && find_end_of(code, load, "\x0f\x05", 2)) ||
	    is_scheduler_call(code + load, nr - load))
		found->kind = ARCH_STACK_STARTS;
}

/*
 * goexit(): nop; call; nop. The first function of a goroutine returns to it, and nothing calls it.
 * What is above it on the stack is of an earlier goroutine.
 */
static bool is_goexit(const uint8_t *code, size_t nr)
{
	return nr == 7 && code[0] == 0x90 && code[1] == 0xe8 && code[6] == 0x90;
}

bool arch_find_other_stack(const uint8_t *code, size_t nr, struct arch_other_stack *found)
{
	/* push %rbp; mov %rsp,%rbp */
	bool keeps_fp = nr >= 4 && !memcmp(code, "\x55\x48\x89\xe5", 4);
	/* and $-16,%rsp */
	size_t aligned = find_end_of(code, nr, "\x48\x83\xe4\xf0", 4);
	size_t first = find_load_of_sp(code, nr, 0), last = first, next = first;

	while (next && (next = find_load_of_sp(code, nr, next)))
		last = next;
	*found = (struct arch_other_stack){
		.start = aligned && (!first || aligned < first) ? aligned : first, .end = last,
		.kind = keeps_fp ? ARCH_STACK_BY_FP : ARCH_STACK_UNKNOWN,
	};
	if (!first) {
		found->kind = ARCH_STACK_STARTS;
		found->end = nr;
	} else if (last == first && found->start == first) {
		found->kind = ARCH_STACK_UNKNOWN;
		set_single_load(code, nr, first, found);
	} else if (keeps_fp) {
		found->returns = find_end_of(code + found->start, last - found->start,
					     "\x5d\xc3", 2);
		found->returns += found->returns ? found->start - 1 : 0;
	}
	return is_goexit(code, nr) || (found->start && found->end > found->start);
}

/* Moves of two of r8 to r15, the registers that glibc uses for it. */
size_t arch_find_stack_switch(const uint8_t *code, size_t nr, unsigned int sp, unsigned int fp)
{
	const uint8_t moves[2 * MOVE_BYTES] = {
		0x4c, 0x89, 0xc4 | (sp & 7) << 3, 0x4c, 0x89, 0xc5 | (fp & 7) << 3,
	};
	const uint8_t *found;

	if (sp < REG_R8 || sp >= NR_REGS || fp < REG_R8 || fp >= NR_REGS)
		return 0;
	found = memmem(code, nr, moves, sizeof(moves));
	return found ? found + MOVE_BYTES - code : 0;
}

/* mov %r,%rsp, of one of r8 to r15 */
bool arch_ends_with_stack_switch(const uint8_t *code, size_t nr)
{
	if (nr < MOVE_BYTES)
		return false;
	code += nr - MOVE_BYTES;
	return code[0] == 0x4c && code[1] == 0x89 && (code[2] & 0xc7) == 0xc4;
}

/* Sections with stubs of 8 bytes have that in sh_entsize. lld leaves it 0 for stubs of 16. */
size_t arch_plt_stub_bytes(uint64_t entsize)
{
	return entsize == 8 ? 8 : 16;
}

/* An optional endbr64, an optional bnd, then jmp *disp(%rip). */
uint64_t arch_plt_slot(const uint8_t *code, size_t nr, uint64_t addr)
{
	uint32_t disp;
	size_t at = 0;

	if (nr >= 4 && !memcmp(code, endbr64, 4))
		at = 4;
	if (at < nr && code[at] == 0xf2)
		at++;
	if (at + 6 > nr || code[at] != 0xff || code[at + 1] != 0x25)
		return 0;
	memcpy(&disp, code + at + 2, 4);
	return addr + at + 6 + (int32_t)le32toh(disp);
}

/*
 * free() begins with `test %rdi,%rdi`. The kernel single-steps it, at the cost of a second trap.
 * It emulates the branch that follows, je or the long je (arch/x86/kernel/uprobes.c).
 */
size_t arch_cheap_probe(const uint8_t *code, size_t nr)
{
	static const uint8_t test[] = { 0x48, 0x85, 0xff };

	if (nr < 5 || memcmp(code, test, 3))
		return 0;
	if (code[3] == 0x74 || (code[3] == 0x0f && code[4] == 0x84))
		return sizeof(test);
	return 0;
}

/* Returns the bytes of endbr64 or of a bnd prefix, which may stand before a jump. */
static size_t prefix_bytes(const uint8_t *code)
{
	if (!memcmp(code, endbr64, sizeof(endbr64)))
		return sizeof(endbr64);
	return code[0] == 0xf2;
}

/* jmp with a distance of 32 bits, or jmp *disp(%rip) */
uint64_t arch_jump_target(const uint8_t *code, size_t nr, uint64_t addr)
{
	size_t at = 0, prefix = 1;
	int32_t distance;

	for (; prefix && at < MAX_PREFIXES; at += prefix) {
		if (at + JUMP_BYTES > nr)
			return UINT64_MAX;
		prefix = prefix_bytes(code + at);
	}
	if (prefix)
		return addr;
	memcpy(&distance, code + at + 1, sizeof(distance));
	if (code[at] == 0xe9)
		return addr + at + JUMP_BYTES + distance;
	return code[at] == 0xff && code[at + 1] == 0x25 ? UINT64_MAX : addr;
}
