// SPDX-License-Identifier: GPL-2.0
#include "unwind/uncovered_code.h"

#include <string.h>
#include <sys/param.h>

#include "base/byte_reader.h"

/*
 * A gap below either size holds no function of its own. What stands before such
 * nops may go on through them: memcpy_chk does.
 */
#define PADDING_BYTES		16
#define NOPS_BYTES		64

/* glibc ends the FDE of clone at the syscall, and a few instructions follow. */
#define AFTER_SYSCALL_BYTES	64

/* What is larger than _start may hold more than that. */
#define ENTRY_BYTES		1024

/* All up to the next section of code: a page, for an alignment of so much. */
#define MAX_PADDING_BYTES	8192

/*
 * A gap as large as that is code from another compiler. V8's pushes a frame each
 * 860 bytes, Go's each 300 to 700; assembly without frames has 4,800 and more.
 */
#define ALIEN_BYTES		65536
#define MAX_ALIEN_BYTES_READ	((uint64_t)1 << 20)
#define BYTES_A_FRAME		2048

/* No more than these stand between the ends of startup code. */
#define INIT_BYTES		64
#define CRTBEGIN_BYTES		256
#define AFTER_CRTBEGIN_BYTES	32

static const struct pprof_rule none = { .cfa = PPROF_CFA_NONE };
static const struct pprof_rule end_of_stack = { .cfa = PPROF_CFA_END };
static const struct pprof_rule frame_pointer = { .cfa = PPROF_CFA_FRAME_POINTER };

/* At a function's start. */
static const struct pprof_rule called = {
	.cfa = PPROF_CFA_SP, .ra = PPROF_REG_RA, .cfa_offset = 8,
};

/* After a word is reserved, or rbp is pushed. */
static const struct pprof_rule one_word = {
	.cfa = PPROF_CFA_SP, .ra = PPROF_REG_RA, .cfa_offset = 16,
};

static const struct pprof_rule pushed_rbp = {
	.cfa = PPROF_CFA_SP, .ra = PPROF_REG_RA, .cfa_offset = 16,
	.fp = PPROF_FP_SAVED, .fp_offset = -16,
};

struct gap {
	struct rows *rows;
	const uint8_t *image;
	uint64_t at;		/* the rest of it: offsets */
	uint64_t end;
	bool follows;		/* the row before may hold on */
};

/* Machine code. */
#define ANY	(-1)	/* byte */
static const int16_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
static const int16_t sub_8_rsp[] = { 0x48, 0x83, 0xec, 0x08 };
static const int16_t add_8_rsp_ret[] = { 0x48, 0x83, 0xc4, 0x08, 0xc3 };
static const int16_t push_frame[] = { 0x55, 0x48, 0x89, 0xe5 };
static const int16_t pop_rbp_ret[] = { 0x5d, 0xc3 };

/* deregister_tm_clones, which gcc's crtbegin begins with: lea, lea, cmp, je */
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

#define NR(array)	(sizeof(array) / sizeof(*(array)))

static bool matches(const uint8_t *code, const int16_t *pattern, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (pattern[i] >= 0 && pattern[i] != code[i])
			return false;
	return true;
}

/* Those of the gap's bytes that are at offset at and after. */
static bool is_at(const struct gap *g, uint64_t at, const int16_t *pattern, size_t nr)
{
	return g->end - at >= nr && matches(g->image + at, pattern, nr);
}

/* The end of the first such code that begins within bytes from at on, or 0. */
static uint64_t find_end(const struct gap *g, uint64_t at, uint64_t bytes, const int16_t *pattern,
			 size_t nr)
{
	uint64_t last = MIN(g->end, at + bytes);

	for (; at < last; at++)
		if (is_at(g, at, pattern, nr))
			return at + nr;
	return 0;
}

/*
 * The length of the nop at code, 0 if it is none: 66 and 2e as prefixes, then 90
 * or 0f 1f with what it would address. The gap may end in its midst: the FDE of
 * glibc's __restore_rt begins a byte early.
 */
static unsigned int nop_bytes(const uint8_t *code, uint64_t left)
{
	static const uint8_t displacement_bytes[] = { 0, 1, 4, 0 };
	struct bytes b = { .at = code, .end = code + left };
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

static bool are_nops(const uint8_t *code, uint64_t bytes)
{
	unsigned int nr;

	for (; bytes; bytes -= nr, code += nr) {
		nr = nop_bytes(code, bytes);
		if (!nr)
			return false;
	}
	return true;
}

/* Where padding ends: nops, or what sections are filled up with. */
static uint64_t skip_padding(const struct gap *g)
{
	uint64_t at = g->at, last = MIN(g->end, at + MAX_PADDING_BYTES);
	const uint8_t *code = g->image;
	unsigned int nr = 1;

	for (; at < last && nr; at += nr)
		nr = code[at] && code[at] != 0xcc ? nop_bytes(code + at, g->end - at) : 1;
	return at;
}

static void add(struct gap *g, uint64_t at, const struct pprof_rule *rule)
{
	rows_add(g->rows, at, rule);
	g->follows = true;
}

/* Padding has the row before it, if there is one. */
static void begin_stub(struct gap *g, uint64_t at)
{
	if (at > g->at && !g->follows)
		add(g, g->at, &none);
	add(g, at, &called);
}

/* _init and _fini, from crti.o to crtn.o: a word reserved, calls, a return. */
static bool take_init(struct gap *g, uint64_t at)
{
	uint64_t reserved = is_at(g, at, endbr64, NR(endbr64)) ? at + NR(endbr64) : at, end;

	if (!is_at(g, reserved, sub_8_rsp, NR(sub_8_rsp)))
		return false;
	reserved += NR(sub_8_rsp);
	end = find_end(g, reserved, INIT_BYTES, add_8_rsp_ret, NR(add_8_rsp_ret));
	if (!end)
		return false;
	begin_stub(g, at);
	add(g, reserved, &one_word);
	add(g, end - 1, &called);
	g->at = end;
	return true;
}

/*
 * gcc's crtbegin.o: four functions. Of those, only __do_global_dtors_aux pushes
 * something. It calls the destructors of the file, which may do much.
 */
static bool take_crtbegin(struct gap *g, uint64_t at)
{
	uint64_t pushed, end;

	if (!is_at(g, at, crtbegin, NR(crtbegin)) &&
	    !is_at(g, at, crtbegin_fixed, NR(crtbegin_fixed)))
		return false;
	pushed = find_end(g, at, CRTBEGIN_BYTES, dtors_push, NR(dtors_push));
	if (!pushed)
		return false;
	end = find_end(g, pushed, CRTBEGIN_BYTES, pop_rbp_ret, NR(pop_rbp_ret));
	if (!end)
		return false;
	begin_stub(g, at);
	add(g, pushed, &pushed_rbp);
	add(g, end - 1, &called);
	g->at = MIN(g->end, end + AFTER_CRTBEGIN_BYTES);
	return true;
}

static bool take_stub(struct gap *g)
{
	uint64_t at = skip_padding(g);

	return take_init(g, at) || take_crtbegin(g, at);
}

static bool keeps_frame_pointers(const struct gap *g)
{
	uint64_t bytes = MIN(g->end - g->at, MAX_ALIEN_BYTES_READ), nr = 0;
	uint64_t last = g->at + bytes;

	if (bytes < ALIEN_BYTES)
		return false;
	for (uint64_t at = g->at; at + NR(push_frame) <= last; at++)
		nr += matches(g->image + at, push_frame, NR(push_frame));
	return nr * BYTES_A_FRAME >= bytes;
}

static bool is_padding(const struct gap *g)
{
	uint64_t bytes = g->end - g->at;

	return bytes < PADDING_BYTES ||
	       (bytes <= NOPS_BYTES && are_nops(g->image + g->at, bytes));
}

static void fill_rest(struct gap *g)
{
	if (g->at < g->end && !(g->follows && is_padding(g)))
		add(g, g->at, keeps_frame_pointers(g) ? &frame_pointer : &none);
}

/* With the program's entry in it, if there is one and no more than that. */
static void fill(struct gap *g, uint64_t entry)
{
	uint64_t end = g->end;

	if (entry < g->at || entry >= end || end - entry > ENTRY_BYTES) {
		fill_rest(g);
		return;
	}
	g->end = entry;
	fill_rest(g);
	rows_add(g->rows, entry, &end_of_stack);
}

/*
 * What aligns the next function: almost every gap. The code is not even looked
 * at, which spares reading all of the file.
 */
static bool is_alignment(const struct gap *g, uint64_t entry)
{
	uint64_t bytes = g->end - g->at;

	return bytes < PADDING_BYTES && entry - g->at >= bytes;
}

static bool is_after_syscall(const struct gap *g)
{
	return g->at >= 2 && g->image[g->at - 2] == 0x0f && g->image[g->at - 1] == 0x05 &&
	       g->end - g->at < AFTER_SYSCALL_BYTES;
}

void uncovered_code_fill(struct rows *r, const struct code_segments *t, uint64_t start,
			 uint64_t end, unsigned int sides)
{
	struct gap g = {
		.rows = r, .image = t->image, .at = start, .end = end,
		.follows = sides & UNCOVERED_AFTER_FDE,
	};

	if (sides == (UNCOVERED_AFTER_FDE | UNCOVERED_BEFORE_FDE) &&
	    (is_alignment(&g, t->entry) || is_after_syscall(&g)))
		return;
	while (g.at < end && take_stub(&g))
		;
	fill(&g, t->entry);
}
