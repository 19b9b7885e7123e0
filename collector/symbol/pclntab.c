// SPDX-License-Identifier: GPL-2.0
#include "symbol/pclntab.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "elf/go_module.h"
#include "elf/go_table.h"

/* Indices of PCDATA and FUNCDATA (src/internal/abi/symtab.go). */
#define PCDATA_INLINE_INDEX	2
#define FUNCDATA_INLINE_TREE	3
/* Stands for a missing _func, file, unit or inline tree. */
#define NO_OFFSET		UINT32_MAX

/*
 * Limit of value changes that one look-up reads, which takes some milliseconds. In the compiler and
 * the linker of Go 1.26 a look-up reads 40 on average, and 15,540 at most.
 */
#define MAX_STEPS	(1U << 20)

/* Go 1.20 added startLine to struct _func and inlinedCall, and removed fields of the latter. */
static const struct layout {
	unsigned int func_bytes;	/* of _func, without pcdata and funcdata */
	unsigned int call_bytes;	/* of inlinedCall */
	unsigned int call_name;		/* in inlinedCall: offset of the field with the name */
	unsigned int call_parent;	/* offset of parentPc */
	unsigned int call_line;		/* offset of startLine; 0: there is none */
} layouts[] = {
	[GO_VERSION_1_18] = { 40, 20, 12, 16, 0 },
	[GO_VERSION_1_20] = { 44, 16, 4, 8, 12 },
};

/* A look-up. */
struct pclntab {
	const struct layout *layout;
	struct go_table table;
	struct go_part trees;
	unsigned int nr_steps;
};

/* A function. Each number but entry and start_line is an offset from the start of a part. */
struct function {
	uint32_t entry;		/* of the code, as an offset from text */
	uint32_t name;
	uint32_t file_values;
	uint32_t line_values;
	uint32_t unit;
	uint32_t start_line;
	uint32_t tree_values;	/* 0: no inlined function */
	uint32_t tree;
};

static uint32_t u32_at(struct pclntab *t, const struct go_part *p, uint64_t at)
{
	return go_table_u32(&t->table, p, at);
}

static void open_table(struct pclntab *t, const struct go_module *m)
{
	*t = (struct pclntab){ .layout = &layouts[m->version] };
	t->trees = (struct go_part){ m->funcdata, m->funcdata_bytes };
	go_table_init(&t->table, m);
}

/* Returns the string that starts at an offset; NULL if none starts there, or it is "". */
static const char *text_at(const struct go_part *p, uint32_t at)
{
	const char *text = (const char *)p->at + at;

	if (at >= p->bytes || !*text || (at && text[-1]) || !memchr(text, 0, p->bytes - at))
		return NULL;
	return text;
}

/*
 * Searches the index, which is sorted by the offset of the code. Its last entry is the end of the
 * last function.
 * Returns: the offset of the _func whose code covers offset in the text, or NO_OFFSET.
 */
static uint32_t search_index(struct go_table *t, uint32_t offset)
{
	uint64_t low = 0, high = t->nr_functions;

	if (t->is_bad || !high || offset < go_table_start(t, 0) ||
	    offset >= go_table_start(t, high))
		return NO_OFFSET;
	while (high - low > 1) {
		uint64_t mid = low + (high - low) / 2;

		if (go_table_start(t, mid) <= offset)
			low = mid;
		else
			high = mid;
	}
	return go_table_func(t, low);
}

/* Reads struct _func (src/runtime/runtime2.go), and the inline tree from the arrays behind it. */
static void read_function(struct pclntab *t, uint32_t at, struct function *f)
{
	const struct go_part *p = &t->table.functions;
	uint64_t pcdata = (uint64_t)at + t->layout->func_bytes;
	uint32_t nr_pcdata = u32_at(t, p, at + 28ULL);
	uint8_t nr_funcdata = go_table_number(&t->table, p, pcdata - 1, 1);
	uint64_t funcdata = pcdata + 4ULL * nr_pcdata;

	*f = (struct function){
		.entry = u32_at(t, p, at), .name = u32_at(t, p, at + 4ULL),
		.file_values = u32_at(t, p, at + 20ULL), .line_values = u32_at(t, p, at + 24ULL),
		.unit = u32_at(t, p, at + 32ULL),
		.start_line = t->layout->call_line ? u32_at(t, p, at + 36ULL) : 0,
	};
	if (nr_pcdata <= PCDATA_INLINE_INDEX || nr_funcdata <= FUNCDATA_INLINE_TREE)
		return;
	f->tree_values = u32_at(t, p, pcdata + 4ULL * PCDATA_INLINE_INDEX);
	f->tree = u32_at(t, p, funcdata + 4ULL * FUNCDATA_INLINE_TREE);
	if (f->tree == NO_OFFSET)
		f->tree_values = 0;
}

/*
 * Finds the value at pc, an offset from the function's entry, in the list of values at offset at.
 * Returns: the value; or -1 if the list ends before pc, or there is no list: at is 0.
 */
static int32_t value_at(struct pclntab *t, uint32_t at, uint32_t pc)
{
	struct go_values v;

	go_values_init(&v, go_table_values(&t->table, at));
	while (t->nr_steps++ < MAX_STEPS && go_values_next(&v))
		if (pc < v.end)
			return v.value;
	t->table.is_bad |= v.is_bad || t->nr_steps > MAX_STEPS;
	return -1;
}

static void set_position(struct pclntab *t, const struct function *f, uint32_t pc, struct frame *l)
{
	int32_t file = value_at(t, f->file_values, pc);
	int32_t line = value_at(t, f->line_values, pc);
	uint32_t offset;

	if (t->table.is_bad || file < 0 || line <= 0 || f->unit == NO_OFFSET)
		return;
	offset = u32_at(t, &t->table.units, 4 * ((uint64_t)f->unit + file));
	l->file = t->table.is_bad || offset == NO_OFFSET ? NULL : text_at(&t->table.files, offset);
	l->line = l->file ? line : 0;
}

/*
 * A Go after 1.26 may change the layout of the inline tree, but not the magic number. The known
 * layout begins with one byte, funcID, and three bytes of padding, which are zero. In another
 * layout, some of these would be part of a name's offset.
 */
static bool is_tree_known(struct pclntab *t, const struct function *f)
{
	return t->layout->call_name != 4 || !(u32_at(t, &t->trees, f->tree) >> 8);
}

/*
 * Sets the name of the inlined function with this index in the tree, and *pc to the place in the
 * next outer function at which it was inlined.
 * Returns: false if the tree is damaged.
 */
static bool read_call(struct pclntab *t, const struct function *f, uint32_t index, struct frame *l,
		      uint32_t *pc)
{
	const struct layout *y = t->layout;
	uint64_t at = f->tree + (uint64_t)index * y->call_bytes;

	l->name = text_at(&t->table.names, u32_at(t, &t->trees, at + y->call_name));
	l->start_line = y->call_line ? u32_at(t, &t->trees, at + y->call_line) : 0;
	*pc = u32_at(t, &t->trees, at + y->call_parent);
	return !t->table.is_bad && l->name;
}

/* Fills in the inlined frames, then the outermost. Returns: their number; 0 for a damaged table. */
static int read_frames(struct pclntab *t, const struct function *f, uint32_t pc,
		       struct frame *frames, int max)
{
	uint64_t offset = pc;

	for (int i = 0; i < max; i++) {
		struct frame *l = &frames[i];
		int32_t index = f->tree_values ? value_at(t, f->tree_values, pc) : -1;

		*l = (struct frame){ .offset = offset };
		set_position(t, f, pc, l);
		if (index < 0) {
			l->name = text_at(&t->table.names, f->name);
			l->start_line = f->start_line;
			return l->name && !t->table.is_bad ? i + 1 : 0;
		}
		if (!read_call(t, f, index, l, &pc))
			return 0;
	}
	return max;
}

/*
 * Fills in the outermost function alone, without file and line: the position at pc may belong to an
 * inlined function.
 * Returns: the number of frames, 0 or 1.
 */
static int read_outermost(struct pclntab *t, const struct function *f, uint32_t pc,
			  struct frame *frame)
{
	*frame = (struct frame){
		.name = text_at(&t->table.names, f->name), .start_line = f->start_line,
		.offset = pc,
	};
	return frame->name ? 1 : 0;
}

int pclntab_lookup(const struct go_module *m, uint64_t addr, struct frame *frames, int max)
{
	uint64_t offset = addr - m->text;
	struct pclntab t;
	struct function f;
	uint32_t at, pc;
	int nr = 0;

	open_table(&t, m);
	at = offset < UINT32_MAX && !t.table.is_bad ? search_index(&t.table, offset) : NO_OFFSET;
	if (at == NO_OFFSET || t.table.is_bad)
		return 0;
	read_function(&t, at, &f);
	if (t.table.is_bad || offset < f.entry)
		return 0;
	pc = offset - f.entry;
	if (!f.tree_values || is_tree_known(&t, &f))
		nr = read_frames(&t, &f, pc, frames, max);
	return nr ? nr : read_outermost(&t, &f, pc, frames);
}
