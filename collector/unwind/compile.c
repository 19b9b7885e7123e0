// SPDX-License-Identifier: GPL-2.0
#include "unwind/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/libc_code.h"
#include "arch/luajit_code.h"
#include "arch/machine.h"
#include "arch/machine_code.h"
#include "elf/code_segments.h"
#include "unwind/fde_index.h"
#include "unwind/uncovered_code.h"
#include "unwind/table_builder.h"
#include "base/sigbus_guard.h"

static const struct pprof_rule none = { .cfa = PPROF_CFA_NONE };
static const struct pprof_rule end_of_stack = { .cfa = PPROF_CFA_END };
static const struct pprof_rule unsupported = { .cfa = PPROF_CFA_UNSUPPORTED };
static const struct pprof_rule frame_pointer = { .cfa = PPROF_CFA_FRAME_POINTER };

static const struct pprof_rule called = {
	.cfa = PPROF_CFA_SP, .cfa_offset = 8, .ra = PPROF_REG_RA,
};

/* After push %rbp; mov %rsp,%rbp, wherever sp is. */
static const struct pprof_rule by_fp = {
	.cfa = PPROF_CFA_OTHER_STACK, .cfa_offset = 16, .ra = PPROF_REG_RA,
	.fp = PPROF_FP_SAVED, .fp_offset = -16,
};

/* The functions of the Go runtime that switch stacks have fewer bytes. */
#define MAX_SWITCH_BYTES	1024

#define MIN_LUAJIT_BYTES	8192

/*
 * How a file becomes a table. code_segments_init() finds the executable segments. fdes_init() reads
 * the FDEs and sorts them by address. add_segments() goes through each segment once, in rising
 * order of file offsets. It adds the rows of each FDE, and lets uncovered_code_fill() add rows for
 * the gaps between them. table_builder_finish() puts the table together.
 *
 * The file may be truncated while it is read. sigbus_guard() then leaves compile() by a longjmp,
 * and returns -EIO. The parts of this struct are allocated and freed without an access to the file.
 * So they can be freed afterwards. The memory of libelf leaks then.
 */
struct compiler {
	const void *image;
	size_t bytes;
	struct code_segments text;
	struct fdes fdes;
	struct table_builder rows;
	bool follows_base;
	bool is_go;
	struct cfi *out;
};

/*
 * Returns for how many bytes of this row the row before it still holds.
 *
 * In glibc's longjmp() a row describes the frame of the jump's target. The row begins seven
 * instructions before the code moves sp to that frame. Until that move the stack is still the old
 * one. By this row a walk would find a stack that never existed: the leaf of longjmp() and the
 * callers of the target. So the row before holds up to the move of sp. The move of sp is the one
 * with a move of fp after it. The code pushes nothing before it.
 */
static uint64_t bytes_before_jump(const struct compiler *c, const struct fde *fde,
				  const struct cfa_rows *r)
{
	const uint8_t *code = (const uint8_t *)c->image + fde->offset + r->start;

	if (!r->jumps || !r->start)
		return 0;
	return arch_find_stack_switch(code, r->end - r->start, r->next_sp, r->next_fp);
}

/*
 * Go's rules are in .debug_frame, or in a table of its runtime. They follow pushes and pops of sp
 * only.
 */
static bool is_go_function(const struct compiler *c, const struct fde *fde)
{
	return c->is_go && (size_t)(fde - c->fdes.v) >= c->fdes.nr_eh_frame;
}

/* The rows of a function. */
struct rows {
	struct cfa_rows cfa;
	const uint8_t *go;	/* the code, if it is Go's */
	bool saves_fp;
};

static void rows_init(struct rows *r, const struct compiler *c, const struct fde *fde)
{
	cfa_rows_init(&r->cfa, &c->fdes.cies[fde->cie], fde->code, fde->nr_code, fde->bytes,
		      c->follows_base);
	r->go = is_go_function(c, fde) ? (const uint8_t *)c->image + fde->offset : NULL;
	r->saves_fp = false;
}

/* Since Go 1.21, the first push of a function that has a frame is that of fp. */
static bool next_row(struct rows *r)
{
	struct pprof_rule *rule = &r->cfa.rule;

	if (!cfa_next(&r->cfa))
		return false;
	if (!r->go || rule->cfa != PPROF_CFA_SP)
		return true;
	r->saves_fp |= rule->cfa_offset == 16 && arch_ends_with_push_fp(r->go, r->cfa.start);
	if (r->saves_fp && rule->cfa_offset >= 16) {
		rule->fp = PPROF_FP_SAVED;
		rule->fp_offset = -16;
	}
	return true;
}

/* Which part of a function of Go runs on another stack than its caller? */
static bool find_other_stack(const struct compiler *c, const struct fde *fde,
			     struct arch_other_stack *found)
{
	return is_go_function(c, fde) && fde->bytes <= MAX_SWITCH_BYTES &&
	       arch_find_other_stack((const uint8_t *)c->image + fde->offset, fde->bytes, found);
}

static void add_other_stack(struct compiler *c, const struct fde *fde,
			    const struct arch_other_stack *other)
{
	static const struct pprof_rule *const rules[] = {
		[ARCH_STACK_UNKNOWN] = &unsupported, [ARCH_STACK_BY_FP] = &by_fp,
		[ARCH_STACK_STARTS] = &end_of_stack,
	};
	const struct pprof_rule *rule = rules[other->kind];

	table_builder_add(&c->rows, fde->offset + other->start, rule);
	if (other->returns) {
		table_builder_add(&c->rows, fde->offset + other->returns, &called);
		table_builder_add(&c->rows, fde->offset + other->returns + 1, rule);
	}
}

/* Adds the rows of a function that runs on another stack in between. */
static void add_rows_around(struct compiler *c, const struct fde *fde,
			    const struct arch_other_stack *other)
{
	struct rows rows;
	const struct cfa_rows *r = &rows.cfa;

	rows_init(&rows, c, fde);
	while (next_row(&rows)) {
		if (r->start < other->start)
			table_builder_add(&c->rows, fde->offset + r->start, &r->rule);
		if (r->start <= other->start && other->start < r->end)
			add_other_stack(c, fde, other);
		if (r->start <= other->end && other->end < r->end)
			table_builder_add(&c->rows, fde->offset + other->end, &r->rule);
		else if (r->start > other->end)
			table_builder_add(&c->rows, fde->offset + r->start, &r->rule);
	}
}

/* The interpreter of LuaJIT is larger than any other function with its rule. */
static bool is_luajit(const struct fde *fde, const struct cfa_rows *only)
{
	return fde->bytes >= MIN_LUAJIT_BYTES && only->end == fde->bytes &&
	       arch_is_luajit(&only->rule);
}

static void add_luajit(struct compiler *c, const struct fde *fde, const struct pprof_rule *rule)
{
	const uint8_t *code = (const uint8_t *)c->image + fde->offset;
	struct luajit_code found;
	uint32_t at = 0;
	bool more;

	do {
		more = arch_luajit_find(code + at, fde->bytes - at, &found);
		if (at < fde->bytes && (!more || found.starts[0]))
			table_builder_add(&c->rows, fde->offset + at, rule);
		for (size_t i = 0; more && i < ARCH_LUAJIT_ROWS; i++)
			table_builder_add(&c->rows, fde->offset + at + found.starts[i],
					  &found.rules[i]);
		at += more ? found.end : 0;
	} while (more);
}

static void add_rows(struct compiler *c, const struct fde *fde)
{
	struct arch_other_stack other;
	struct rows rows;
	const struct cfa_rows *r = &rows.cfa;

	if (find_other_stack(c, fde, &other)) {
		add_rows_around(c, fde, &other);
		return;
	}
	rows_init(&rows, c, fde);
	while (next_row(&rows)) {
		if (!r->start && is_luajit(fde, r)) {
			add_luajit(c, fde, &r->rule);
			return;
		}
		table_builder_add(&c->rows, fde->offset + r->start + bytes_before_jump(c, fde, r),
				  &r->rule);
	}
}

static bool is_context_start(const struct compiler *c, const struct fde *fde)
{
	return arch_is_context_start((const uint8_t *)c->image + fde->offset, fde->bytes);
}

static unsigned int side_before(const struct compiler *c, const struct fde *fde)
{
	struct cfa_rows r;

	cfa_rows_init(&r, &c->fdes.cies[fde->cie], fde->code, fde->nr_code, fde->bytes, false);
	if (cfa_next(&r) && r.rule.cfa == PPROF_CFA_END)
		return UNCOVERED_BEFORE_FDE | UNCOVERED_BEFORE_START;
	return UNCOVERED_BEFORE_FDE;
}

/*
 * Adds all rows of a segment. *i is the first FDE of the order that was not added yet. An FDE that
 * begins within the one before it is left out. Of FDEs with the same start, the first in the file
 * counts.
 *
 * A walk that leaves the first function of a fiber looks up the byte before __start_context. So
 * its rule begins there, unless that is the last byte of a function: an instruction may begin in
 * it.
 */
static void add_segment(struct compiler *c, const struct code_segment *s, size_t *i)
{
	uint64_t at = s->code, segment_end = s->offset + s->bytes, start;
	unsigned int sides = 0;
	bool is_start;

	for (; *i < c->fdes.nr; (*i)++) {
		const struct fde *fde = &c->fdes.v[c->fdes.order[*i].index];

		if (fde->offset >= segment_end)
			break;
		if (fde->offset < at)
			continue;
		is_start = is_context_start(c, fde);
		start = fde->offset - (is_start && fde->offset > at);
		if (start > at)
			uncovered_code_fill(&c->rows, &c->text, at, start,
					    sides | side_before(c, fde));
		if (is_start)
			table_builder_add(&c->rows, start, &end_of_stack);
		else
			add_rows(c, fde);
		at = fde->offset + fde->bytes;
		sides = UNCOVERED_AFTER_FDE;
	}
	if (at < segment_end)
		uncovered_code_fill(&c->rows, &c->text, at, segment_end, sides);
}

/*
 * A file without any FDE is assumed to be a stripped program of a Go before 1.18, whose tables are
 * not known. Go keeps frame pointers. musl has no tables, and keeps none.
 */
static void add_segments(struct compiler *c)
{
	const struct code_segments *t = &c->text;
	bool has_rules = c->fdes.nr || uncovered_code_is_musl(t);
	size_t next_fde = 0;

	for (unsigned int i = 0; i < t->nr; i++) {
		const struct code_segment *s = &t->segments[i];

		if (has_rules)
			add_segment(c, s, &next_fde);
		else
			table_builder_add(&c->rows, s->offset, &frame_pointer);
		if (i + 1 == t->nr || t->segments[i + 1].offset != s->offset + s->bytes)
			table_builder_add(&c->rows, s->offset + s->bytes, &none);
	}
}

static int finish(struct compiler *c)
{
	const struct table_builder *r = &c->rows;
	const uint16_t flags = c->follows_base ? PPROF_TABLE_BASE : 0;
	struct cfi *out = c->out;
	int err;

	out->table = table_builder_finish(&c->rows, flags, &out->bytes, &err);
	if (!out->table)
		return err;
	out->stats = (struct cfi_stats){
		.rows = r->nr, .rules = r->nr_rules,
		.unsupported_bytes = r->bytes[PPROF_CFA_UNSUPPORTED],
	};
	for (unsigned int i = 0; i < c->text.nr; i++)
		out->stats.text_bytes += c->text.segments[i].bytes;
	for (unsigned int i = 0; i < PPROF_NR_CFA; i++)
		if (i != PPROF_CFA_NONE && i != PPROF_CFA_UNSUPPORTED)
			out->stats.covered_bytes += r->bytes[i];
	return 0;
}

static int compile(void *arg)
{
	struct compiler *c = arg;
	const struct code_segment *first, *last;
	int err = code_segments_init(&c->text, c->image, c->bytes);

	if (err)
		return err;
	first = &c->text.segments[0];
	last = &c->text.segments[c->text.nr - 1];
	c->is_go = code_segments_is_go(&c->text);
	c->follows_base = code_segments_is_linker(&c->text);
	err = table_builder_init(&c->rows, first->offset, last->offset + last->bytes);
	if (!err)
		err = fdes_init(&c->fdes, &c->text);
	if (!err) {
		add_segments(c);
		err = finish(c);
	}
	code_segments_fini(&c->text);
	return err;
}

static int compile_guarded(const void *image, size_t bytes, struct cfi *out)
{
	struct compiler c = { .image = image, .bytes = bytes, .out = out };
	int err = sigbus_guard(compile, &c);

	fdes_fini(&c.fdes);
	table_builder_fini(&c.rows);
	return err;
}

int cfi_compile_memory(const void *image, size_t bytes, struct cfi *out)
{
	return compile_guarded(image, bytes, out);
}

/*
 * Maps the file, with a page of zeroes after it: libdw was seen to read a number beyond the end of
 * its section.
 */
static void *map_file(int fd, size_t bytes)
{
	size_t room = bytes + sysconf(_SC_PAGESIZE);
	void *image = mmap(NULL, room, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (image == MAP_FAILED)
		return NULL;
	if (mmap(image, bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) != MAP_FAILED)
		return image;
	munmap(image, room);
	return NULL;
}

int cfi_compile(int fd, struct cfi *out)
{
	struct stat st;
	void *image;
	int err;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0)
		return -ENOMSG;
	image = map_file(fd, st.st_size);
	if (!image)
		return -ENOMEM;
	err = compile_guarded(image, st.st_size, out);
	munmap(image, st.st_size + sysconf(_SC_PAGESIZE));
	return err;
}

void cfi_fini(struct cfi *c)
{
	free(c->table);
}

const char *cfi_reason(int err)
{
	switch (err) {
	case -ENOMSG:
		return "is no ELF file";
	case -ENOEXEC:
		return "is no ELF program or library for " ARCH_NAME ", or is damaged";
	case -ENOTSUP:
		return "has 32-bit code (" ARCH_NAMES_32_BITS ")";
	case -ENODATA:
		return "has no code";
	case -EIO:
		return "was cut off while it was read";
	case -EFBIG:
		return "needs a larger table than there can be";
	}
	return strerror(-err);
}
