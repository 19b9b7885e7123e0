// SPDX-License-Identifier: GPL-2.0
#include "arch/startup_code.h"

#include <sys/param.h>

/* _init and _fini have fewer bytes of calls. */
#define INIT_BYTES		64
/* Bound on the distance from each found piece of crtbegin.o to the next */
#define CRTBEGIN_BYTES		256
/* What follows __do_global_dtors_aux in crtbegin.o: frame_dummy, a jump */
#define AFTER_CRTBEGIN_BYTES	32

/* At a function's start. */
static const struct pprof_rule called = {
	.cfa = PPROF_CFA_SP, .ra = PPROF_REG_RA, .cfa_offset = 8,
};

/* After a word is reserved. */
static const struct pprof_rule one_word = {
	.cfa = PPROF_CFA_SP, .ra = PPROF_REG_RA, .cfa_offset = 16,
};

/* After push %rbp. */
static const struct pprof_rule pushed_rbp = {
	.cfa = PPROF_CFA_SP, .ra = PPROF_REG_RA, .cfa_offset = 16,
	.fp = PPROF_FP_SAVED, .fp_offset = -16,
};

#define ANY	(-1)	/* byte */
static const int16_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
static const int16_t sub_8_rsp[] = { 0x48, 0x83, 0xec, 0x08 };
static const int16_t add_8_rsp_ret[] = { 0x48, 0x83, 0xc4, 0x08, 0xc3 };
static const int16_t pop_rbp_ret[] = { 0x5d, 0xc3 };

/* deregister_tm_clones, the first function of gcc's crtbegin.o: lea, lea, cmp, je */
static const int16_t crtbegin[] = {
	0x48, 0x8d, 0x3d, ANY, ANY, ANY, ANY, 0x48, 0x8d, 0x05, ANY, ANY, ANY, ANY,
	0x48, 0x39, 0xf8, 0x74,
};

/* The same in a program at a fixed address: mov, cmp, je */
static const int16_t crtbegin_fixed[] = {
	0xb8, ANY, ANY, ANY, ANY, 0x48, 0x3d, ANY, ANY, ANY, ANY, 0x74,
};

/* In its __do_global_dtors_aux: cmpb $0, jne, push %rbp */
static const int16_t dtors_push[] = {
	0x80, 0x3d, ANY, ANY, ANY, ANY, 0x00, 0x75, ANY, 0x55,
};

/* The code that may be read. */
struct piece {
	const uint8_t *code;
	size_t nr;
};

#define NR(array)	(sizeof(array) / sizeof(*(array)))

/* Is the pattern of nr bytes at offset at? */
static bool is_at(const struct piece *p, size_t at, const int16_t *pattern, size_t nr)
{
	if (at > p->nr || p->nr - at < nr)
		return false;
	for (size_t i = 0; i < nr; i++)
		if (pattern[i] >= 0 && pattern[i] != p->code[at + i])
			return false;
	return true;
}

/* Returns the end of the first such pattern that begins within bytes from at on, or 0. */
static size_t find_end(const struct piece *p, size_t at, size_t bytes, const int16_t *pattern,
		       size_t nr)
{
	size_t last = MIN(p->nr, at + bytes);

	for (; at < last; at++)
		if (is_at(p, at, pattern, nr))
			return at + nr;
	return 0;
}

/*
 * Makes three rows: as called; from byte pushed on, with the words of the function on the stack;
 * and as called again, at the ret. The ret is the byte before end.
 */
static bool found_from(struct startup_code *found, size_t pushed, const struct pprof_rule *inside,
		       size_t end, size_t bytes)
{
	*found = (struct startup_code){
		.bytes = bytes, .starts = { 0, pushed, end - 1, end - 1 },
		.rules = { called, *inside, called, called },
	};
	return true;
}

/* _init and _fini, from crti.o to crtn.o: they reserve a word, call, and return. */
static bool find_init(const struct piece *p, struct startup_code *found)
{
	size_t reserved = is_at(p, 0, endbr64, NR(endbr64)) ? NR(endbr64) : 0, end;

	if (!is_at(p, reserved, sub_8_rsp, NR(sub_8_rsp)))
		return false;
	reserved += NR(sub_8_rsp);
	end = find_end(p, reserved, INIT_BYTES, add_8_rsp_ret, NR(add_8_rsp_ret));
	return end && found_from(found, reserved, &one_word, end, end);
}

/* Those of musl that call nothing: push %rax; pop %rax; ret */
static bool find_musl_init(const struct piece *p, struct startup_code *found)
{
	static const int16_t insns[] = { 0x50, 0x58, 0xc3 };

	return is_at(p, 0, insns, NR(insns)) &&
	       found_from(found, 1, &one_word, NR(insns), NR(insns));
}

/*
 * gcc's crtbegin.o has four functions. Only __do_global_dtors_aux pushes a register. It calls the
 * destructors of the file, which may run for long.
 */
static bool find_crtbegin(const struct piece *p, struct startup_code *found)
{
	size_t pushed, end;

	if (!is_at(p, 0, crtbegin, NR(crtbegin)) &&
	    !is_at(p, 0, crtbegin_fixed, NR(crtbegin_fixed)))
		return false;
	pushed = find_end(p, 0, CRTBEGIN_BYTES, dtors_push, NR(dtors_push));
	if (!pushed)
		return false;
	end = find_end(p, pushed, CRTBEGIN_BYTES, pop_rbp_ret, NR(pop_rbp_ret));
	return end && found_from(found, pushed, &pushed_rbp, end,
				 MIN(p->nr, end + AFTER_CRTBEGIN_BYTES));
}

#define STUB_BYTES	16

/* Forms of the PLT: a head for lazy binding, if at all, and stubs. */
static const int16_t plt_head[] = {
	0xff, 0x35, ANY, ANY, ANY, ANY, 0xff, 0x25, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY,
};

/* jmp through the GOT, push of the index, jmp to the head */
static const int16_t plt_stub[] = {
	0xff, 0x25, ANY, ANY, ANY, ANY, 0x68, ANY, ANY, ANY, ANY, 0xe9, ANY, ANY, ANY, ANY,
};

static const int16_t plt_stub_ibt[] = {
	0xf3, 0x0f, 0x1e, 0xfa, 0x68, ANY, ANY, ANY, ANY, 0xe9, ANY, ANY, ANY, ANY, 0x66, 0x90,
};

/* mold: push %r11 in the head. The stubs push nothing. */
static const int16_t plt_head_mold[] = {
	0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x53, 0xff, 0x35, ANY, ANY, ANY, ANY,
	0xff, 0x25, ANY, ANY, ANY, ANY, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
	0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
};

static const int16_t plt_stub_mold[] = {
	0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0xbb, ANY, ANY, ANY, ANY, 0xff, 0x25, ANY, ANY, ANY, ANY,
};

static const int16_t plt_jump_ibt[] = {
	0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY,
};

static const struct pprof_rule two_words = {
	.cfa = PPROF_CFA_SP, .ra = PPROF_REG_RA, .cfa_offset = 24,
};

/* From byte cfa_add of a stub on, the index is on the stack. */
static const struct pprof_rule stub_11 = {
	.cfa = PPROF_CFA_PLT, .ra = PPROF_REG_RA, .cfa_offset = 8, .cfa_add = 11,
};

static const struct pprof_rule stub_9 = {
	.cfa = PPROF_CFA_PLT, .ra = PPROF_REG_RA, .cfa_offset = 8, .cfa_add = 9,
};

static const struct plt {
	const int16_t *head;
	size_t head_bytes;
	const int16_t *stub;
	size_t starts[ARCH_STARTUP_ROWS];
	const struct pprof_rule *rules[ARCH_STARTUP_ROWS];
} plts[] = {
	{ plt_head, NR(plt_head), plt_stub, { 0, 6, 16, 16 },
	  { &one_word, &two_words, &stub_11, &stub_11 } },
	{ plt_head, NR(plt_head), plt_stub_ibt, { 0, 6, 16, 16 },
	  { &one_word, &two_words, &stub_9, &stub_9 } },
	{ plt_head_mold, NR(plt_head_mold), plt_stub_mold, { 0, 6, 12, 32 },
	  { &called, &one_word, &two_words, &called } },
	{ NULL, 0, plt_stub, { 0 }, { &stub_11, &stub_11, &stub_11, &stub_11 } },
	{ NULL, 0, plt_jump_ibt, { 0 }, { &called, &called, &called, &called } },
};

/* Finds as many stubs as there are: at least one. */
static bool find_plt(const struct piece *p, const struct plt *plt, struct startup_code *found)
{
	size_t end = plt->head_bytes;

	if (!is_at(p, 0, plt->head, plt->head_bytes))
		return false;
	while (is_at(p, end, plt->stub, STUB_BYTES))
		end += STUB_BYTES;
	if (end == plt->head_bytes)
		return false;
	*found = (struct startup_code){ .bytes = end };
	for (size_t i = 0; i < ARCH_STARTUP_ROWS; i++) {
		found->starts[i] = plt->starts[i];
		found->rules[i] = *plt->rules[i];
	}
	return true;
}

static bool find_any_plt(const struct piece *p, struct startup_code *found)
{
	for (size_t i = 0; i < NR(plts); i++)
		if (find_plt(p, &plts[i], found))
			return true;
	return false;
}

bool arch_startup_code_find(const uint8_t *code, size_t nr, struct startup_code *found)
{
	const struct piece p = { .code = code, .nr = nr };

	return find_init(&p, found) || find_musl_init(&p, found) || find_crtbegin(&p, found) ||
	       find_any_plt(&p, found);
}
