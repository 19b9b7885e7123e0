// SPDX-License-Identifier: GPL-2.0
#include "arch/luajit_code.h"

#include <string.h>

/* A frame with rbp saved below the return address, of so many words. */
#define FRAME(words)	{						\
	.cfa = PPROF_CFA_SP, .cfa_offset = 8 * (words), .ra = PPROF_REG_RA,	\
	.fp = PPROF_FP_SAVED, .fp_offset = -16,				\
}

#define CALLED		{ .cfa = PPROF_CFA_SP, .cfa_offset = 8, .ra = PPROF_REG_RA }
#define UNSUPPORTED	{ .cfa = PPROF_CFA_UNSUPPORTED }

/* push %rbp; push %rbx; push %r15; push %r14; sub $40,%rsp */
static const uint8_t enters[] = { 0x55, 0x53, 0x41, 0x57, 0x41, 0x56, 0x48, 0x83, 0xec, 0x28 };

static const struct luajit_code entered = {
	.starts = { 0, 1, 2, 4, 6 }, .end = sizeof(enters),
	.rules = { CALLED, FRAME(2), FRAME(3), FRAME(4), FRAME(5) },
};

/* add $40,%rsp; pop %r14; pop %r15; pop %rbx; pop %rbp; ret */
static const uint8_t leaves[] = {
	0x48, 0x83, 0xc4, 0x28, 0x41, 0x5e, 0x41, 0x5f, 0x5b, 0x5d, 0xc3,
};

static const struct luajit_code left = {
	.starts = { 4, 6, 8, 9, 10 }, .end = sizeof(leaves),
	.rules = { FRAME(5), FRAME(4), FRAME(3), FRAME(2), CALLED },
};

/*
 * Where a trace ends, its frame is on the stack, of a size that the code does not know: push %r13,
 * and all registers below it. mov %rcx,%rsp leaves it.
 */
static const uint8_t saves_all[] = {
	0x41, 0x55, 0x41, 0x54, 0x41, 0x53, 0x41, 0x52, 0x41, 0x51, 0x41, 0x50, 0x57, 0x56, 0x55,
};

static const uint8_t leaves_trace[] = { 0x48, 0x89, 0xcc };

static bool is_at(const uint8_t *code, size_t nr, const uint8_t *pattern, size_t bytes)
{
	return nr >= bytes && !memcmp(code, pattern, bytes);
}

static bool find_trace_exit(const uint8_t *code, size_t nr, struct luajit_code *found)
{
	const uint8_t *end;

	if (!is_at(code, nr, saves_all, sizeof(saves_all)))
		return false;
	end = memmem(code, nr, leaves_trace, sizeof(leaves_trace));
	*found = (struct luajit_code){
		.end = end ? (size_t)(end - code) + sizeof(leaves_trace) : nr,
		.rules = { UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED },
	};
	return true;
}

bool arch_is_luajit(const struct pprof_rule *rule)
{
	static const struct pprof_rule inside = FRAME(10);

	return !memcmp(rule, &inside, sizeof(inside));
}

static bool find_at(const uint8_t *code, size_t nr, struct luajit_code *found)
{
	if (is_at(code, nr, enters, sizeof(enters)))
		*found = entered;
	else if (is_at(code, nr, leaves, sizeof(leaves)))
		*found = left;
	else
		return find_trace_exit(code, nr, found);
	return true;
}

bool arch_luajit_find(const uint8_t *code, size_t nr, struct luajit_code *found)
{
	for (size_t at = 0; at < nr; at++) {
		if (!find_at(code + at, nr - at, found))
			continue;
		for (size_t i = 0; i < ARCH_LUAJIT_ROWS; i++)
			found->starts[i] += at;
		found->end += at;
		return true;
	}
	return false;
}
