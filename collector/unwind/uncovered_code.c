// SPDX-License-Identifier: GPL-2.0
#include "unwind/uncovered_code.h"

#include <sys/param.h>

#include "arch/dwarf_registers.h"
#include "arch/libc_code.h"
#include "arch/machine.h"
#include "arch/machine_code.h"
#include "arch/startup_code.h"

/*
 * A gap is a range of code without an FDE. A gap below PADDING_BYTES, or of nops up to NOPS_BYTES,
 * holds no function of its own. Code before nops may continue through them: memcpy_chk does.
 */
#define PADDING_BYTES		16
#define NOPS_BYTES		64

/*
 * glibc ends the FDE of clone at the system call. A few instructions follow it, and then the FDE of
 * the child's code.
 */
#define AFTER_SYSCALL_BYTES	64

/* A larger gap at the program's entry has more functions than _start. */
#define ENTRY_BYTES		1024

/* Padding up to the next section of code. Sections may be aligned to pages. */
#define MAX_PADDING_BYTES	8192

/*
 * A gap of at least ALIEN_BYTES is code of another compiler. It keeps frame pointers if it sets one
 * up at least once in BYTES_A_FRAME. V8's code does so each 860 bytes, Go's each 300 to 700.
 * Assembly without frames has 4,800 bytes and more.
 */
#define ALIEN_BYTES		65536
#define MAX_ALIEN_BYTES_READ	((uint64_t)1 << 20)
#define BYTES_A_FRAME		2048

static const struct pprof_rule none = { .cfa = PPROF_CFA_NONE };
static const struct pprof_rule end_of_stack = { .cfa = PPROF_CFA_END };
static const struct pprof_rule frame_pointer = { .cfa = PPROF_CFA_FRAME_POINTER };
static const struct pprof_rule clone_result = {
	.cfa = PPROF_CFA_CLONE, .reg = ARCH_REG_RESULT, .cfa_offset = 8, .ra = PPROF_REG_RA,
};

struct gap {
	struct table_builder *rows;
	const uint8_t *image;
	uint64_t at;		/* file offset of the part that has no rows yet */
	uint64_t end;		/* file offset */
	bool follows;		/* the rule of the row before may continue */
	bool is_musl;		/* the file contains musl */
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

/* Returns the end of the padding: nops, or filler between sections. */
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
	table_builder_add(g->rows, at, rule);
	g->follows = true;
}

/*
 * Takes startup code, and the padding before it. The padding keeps the rule of the row before, if
 * there is such a row.
 */
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

/* Takes code of which only a few pieces are known. */
static void take_libc_code(struct gap *g)
{
	struct libc_code found;

	while (arch_libc_code_find(g->image + g->at, g->end - g->at, g->is_musl, &found)) {
		if (found.start)
			add(g, g->at, &none);
		add(g, g->at + found.start, &found.rule);
		g->at += found.end;
	}
	if (g->at < g->end)
		add(g, g->at, &none);
}

static void fill_rest(struct gap *g)
{
	if (g->at >= g->end || (g->follows && is_padding(g)))
		return;
	if (keeps_frame_pointers(g))
		add(g, g->at, &frame_pointer);
	else
		take_libc_code(g);
}

/*
 * Adds rows for what is left. The program's entry, _start, is the end of the stack, if the rest of
 * the gap is small enough to hold _start alone.
 */
static void fill(struct gap *g, uint64_t entry)
{
	uint64_t end = g->end;

	if (entry < g->at || entry >= end || end - entry > ENTRY_BYTES) {
		fill_rest(g);
		return;
	}
	g->end = entry;
	fill_rest(g);
	table_builder_add(g->rows, entry, &end_of_stack);
}

/*
 * Does the gap only align the next function? Almost every gap does. The code is not read: that
 * would bring the whole file into memory.
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

/*
 * Takes the gap of clone(), which both the parent and the child execute. The FDE before it ends
 * before the system call, or after it. So the search begins before the gap, by the size of a system
 * call. In the row before the gap the CFA is sp + 8, and fp is not saved (PPROF_ROW_PLAIN, 1 word).
 */
static bool take_clone(struct gap *g)
{
	uint64_t from = g->at - MIN(g->at, ARCH_SYSCALL_BYTES);
	size_t result;

	if (g->end - g->at >= AFTER_SYSCALL_BYTES ||
	    g->rows->last_rule != (PPROF_ROW_PLAIN | 1))
		return false;
	result = arch_find_result_test(g->image + from, g->end - from);
	if (result)
		add(g, from + result, &clone_result);
	return result;
}

bool uncovered_code_is_musl(const struct code_segments *t)
{
	return t->entry < t->bytes && arch_is_musl_entry(t->image + t->entry, t->bytes - t->entry);
}

void uncovered_code_fill(struct table_builder *r, const struct code_segments *t, uint64_t start,
			 uint64_t end, unsigned int sides)
{
	struct gap g = {
		.rows = r, .image = t->image, .at = start, .end = end,
		.follows = sides & UNCOVERED_AFTER_FDE,
	};

	if ((sides & UNCOVERED_AFTER_FDE) && (sides & UNCOVERED_BEFORE_FDE)) {
		if ((sides & UNCOVERED_BEFORE_START) && take_clone(&g))
			return;
		if (is_alignment(&g, t->entry) || is_after_syscall(&g))
			return;
	}
	g.is_musl = uncovered_code_is_musl(t);
	while (g.at < end && take_startup_code(&g))
		;
	fill(&g, t->entry);
}
