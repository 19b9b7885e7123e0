// SPDX-License-Identifier: GPL-2.0
#include "unwind/uncovered_code.h"

#include <sys/param.h>

#include "arch/machine_code.h"
#include "arch/startup_code.h"

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

static const struct pprof_rule none = { .cfa = PPROF_CFA_NONE };
static const struct pprof_rule end_of_stack = { .cfa = PPROF_CFA_END };
static const struct pprof_rule frame_pointer = { .cfa = PPROF_CFA_FRAME_POINTER };

struct gap {
	struct rows *rows;
	const uint8_t *image;
	uint64_t at;		/* the rest of it: offsets */
	uint64_t end;
	bool follows;		/* the row before may hold on */
};

static bool are_nops(const uint8_t *code, uint64_t bytes)
{
	size_t nr;

	for (; bytes; bytes -= nr, code += nr) {
		nr = arch_nop_bytes(code, bytes);
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
	size_t nr = 1;

	for (; at < last && nr; at += nr)
		nr = arch_is_filler(code[at]) ? 1 : arch_nop_bytes(code + at, g->end - at);
	return at;
}

static void add(struct gap *g, uint64_t at, const struct pprof_rule *rule)
{
	rows_add(g->rows, at, rule);
	g->follows = true;
}

/* Padding before it keeps the rule of the row before the gap, if there is such a row. */
static bool take_startup_code(struct gap *g)
{
	uint64_t at = skip_padding(g);
	struct startup_code code;

	if (!arch_startup_code_find(g->image + at, g->end - at, &code))
		return false;
	if (at > g->at && !g->follows)
		add(g, g->at, &none);
	for (size_t i = 0; i < ARCH_STARTUP_ROWS; i++)
		add(g, at + code.starts[i], &code.rules[i]);
	g->at = at + code.bytes;
	return true;
}

static bool keeps_frame_pointers(const struct gap *g)
{
	uint64_t bytes = MIN(g->end - g->at, MAX_ALIEN_BYTES_READ);

	return bytes >= ALIEN_BYTES &&
	       arch_count_frame_pointers(g->image + g->at, bytes) * BYTES_A_FRAME >= bytes;
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
	return g->end - g->at < AFTER_SYSCALL_BYTES && arch_ends_with_syscall(g->image, g->at);
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
	while (g.at < end && take_startup_code(&g))
		;
	fill(&g, t->entry);
}
