// SPDX-License-Identifier: GPL-2.0
/*
 * A DIE (debugging information entry, DWARF 5, section 2.1) is a node of the tree of a unit. The
 * nodes used here are functions, inlined calls, and the scopes around them.
 *
 * debuginfo_new() lists the address ranges of all units. The first look-up in a unit walks over its
 * tree once, and lists the address ranges of its functions and the extents of its scopes (structs,
 * namespaces). A look-up finds the unit, then the function, then walks down its inlined calls.
 *
 * The file is not trusted: all walks and lists have limits.
 */
#include "symbol/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interval_set.h"
#include "base/string_table.h"
#include "symbol/code_ranges.h"
#include "symbol/line_row.h"
#include "symbol/split_dwarf.h"

/* Compilers stay far below these. A deeper tree would exhaust the stack. */
#define MAX_TREE_DEPTH	128
#define MAX_INLINED	128
#define MAX_SCOPES	64
#define MAX_NAME_BYTES	16384
/* Limit of the ranges that are read for one address: see code_ranges.h. */
#define MAX_RANGES_TRIED	(1U << 22)

/*
 * A unit has two DIEs if it is split: the skeleton has the lines, and the tree has the functions.
 * Otherwise they are the same. Offsets of DIEs, as ids and in scopes, count from the tree's DIE.
 */
struct unit {
	Dwarf_Off own;				/* in debuginfo.dw */
	Dwarf *dw;				/* of the tree */
	Dwarf_Off die;
	bool is_skeleton;
	bool is_in_table;			/* .debug_aranges has its ranges */
	struct interval_set functions;		/* of addresses; id: offset of the DIE */
	struct interval_set scopes;		/* of offsets of DIEs; id: offset of the DIE */
	bool is_read;
	bool is_damaged;
};

struct debuginfo {
	Dwarf *dw;
	struct strtab *strings;
	struct split_dwarf *split;
	bool is_split;			/* some units are */
	struct interval_set covered;		/* id: index of the unit */
	struct code_ranges ranges;		/* of units and of functions */
	struct unit *units;
	size_t nr_units;
	size_t units_room;
};

static int add_unit(struct debuginfo *d, Dwarf_Die *die, bool is_skeleton)
{
	struct unit *units = array_grow(d->units, &d->units_room, d->nr_units + 1, sizeof(*units));

	if (!units)
		return -ENOMEM;
	d->units = units;
	d->units[d->nr_units++] = (struct unit){
		.own = dwarf_dieoffset(die), .dw = d->dw, .die = dwarf_dieoffset(die),
		.is_skeleton = is_skeleton,
	};
	d->is_split |= is_skeleton;
	return 0;
}

/* Split units are not requested here: libdw would open any path that the file names. */
static int list_units(struct debuginfo *d)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	int err = 0;

	while (!err && !dwarf_get_units(d->dw, cu, &cu, NULL, &type, &die, NULL))
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			err = add_unit(d, &die, type == DW_UT_skeleton);
	return err;
}

static int by_offset(const void *key, const void *unit)
{
	Dwarf_Off offset = *(const Dwarf_Off *)key, own = ((const struct unit *)unit)->own;

	return offset < own ? -1 : offset > own;
}

static int add_range(void *ctx, Dwarf_Off own, uint64_t start, uint64_t end)
{
	struct debuginfo *d = ctx;
	struct unit *u = NULL;

	if (d->nr_units)
		u = bsearch(&own, d->units, d->nr_units, sizeof(*u), by_offset);
	if (!u)
		return 0;
	u->is_in_table = true;
	return code_ranges_add(&d->ranges, &d->covered, start, end, u - d->units);
}

static int add_own_ranges(struct debuginfo *d, struct unit *u)
{
	Dwarf_Die die;

	if (u->is_in_table || !dwarf_offdie(d->dw, u->own, &die))
		return 0;
	return code_ranges_add_die(&d->ranges, &d->covered, &die, u - d->units);
}

/* gcc writes .debug_aranges, and clang does not. */
static int read_units(struct debuginfo *d)
{
	int err = list_units(d);

	if (!err)
		err = code_ranges_visit_table(d->dw, add_range, d);
	for (size_t i = 0; !err && i < d->nr_units; i++)
		err = add_own_ranges(d, &d->units[i]);
	interval_set_sort(&d->covered);
	interval_set_index(&d->covered);
	return err;
}

static void free_unit(struct unit *u)
{
	interval_set_fini(&u->functions);
	interval_set_fini(&u->scopes);
}

struct debuginfo *debuginfo_new(Dwarf *dw, struct strtab *strings, const char *path)
{
	struct debuginfo *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->dw = dw;
	d->strings = strings;
	d->split = split_dwarf_new(dw, path);
	if (!d->split || read_units(d)) {
		debuginfo_free(d, false);
		errno = ENOMEM;
		return NULL;
	}
	return d;
}

void debuginfo_free(struct debuginfo *d, bool is_broken)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->nr_units; i++)
		free_unit(&d->units[i]);
	free(d->units);
	interval_set_fini(&d->covered);
	split_dwarf_free(d->split, is_broken);
	free(d);
}

bool debuginfo_is_split(const struct debuginfo *d)
{
	return d->is_split;
}

const struct debug_fault *debuginfo_fault(const struct debuginfo *d)
{
	return split_dwarf_fault(d->split);
}

/* The limit of offsets in a unit: an offset from the unit's DIE has to fit into 32 bits. */
static Dwarf_Off end_of(const struct unit *u)
{
	return u->die + UINT32_MAX;
}

static bool first_child(const struct unit *u, Dwarf_Die *parent, Dwarf_Off end, Dwarf_Die *child)
{
	return !u->is_damaged && !dwarf_child(parent, child) && dwarf_dieoffset(child) < end;
}

/*
 * Returns the offset that libdw reached in its search for the next sibling of `from`. That is the
 * sibling, or the end of the list of siblings. At the end of the unit libdw sets no address.
 */
static Dwarf_Off reached(const struct unit *u, Dwarf_Die *from, const Dwarf_Die *to)
{
	return to->addr ? dwarf_dieoffset(from) + ((char *)to->addr - (char *)from->addr) :
			  end_of(u) - 1;
}

/*
 * Moves *die to its next sibling. Returns false if there is none. `end` is the offset of the next
 * DIE that is not below the same parent.
 *
 * DW_AT_sibling of a hostile file may point anywhere, and libdw follows it:
 * - back: the walk would never end;
 * - to a child: each level would double the number of visits;
 * - beyond the parent: each walk would search the rest of the unit.
 *
 * So a sibling must lie after *die and before `end`. If it does not, the unit counts as damaged,
 * and no walk enters it again.
 */
static bool next_die(struct unit *u, Dwarf_Die *die, Dwarf_Off end)
{
	Dwarf_Die next = { 0 };
	bool any = !dwarf_siblingof(die, &next);
	Dwarf_Off at = reached(u, die, &next);

	if (at <= dwarf_dieoffset(die) || at >= end)
		u->is_damaged = true;
	if (any)
		*die = next;
	return any && !u->is_damaged;
}

static bool is_scope(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_module:
	case DW_TAG_namespace:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return true;
	}
	return false;
}

/* The unit that is read. */
struct reading {
	struct debuginfo *d;
	struct unit *u;
};

static int read_children(const struct reading *r, Dwarf_Die *parent, Dwarf_Off end, int depth);

/* end: the offset of the next DIE that is not below this one. */
static int read_die(const struct reading *r, Dwarf_Die *die, Dwarf_Off end, int depth)
{
	struct unit *u = r->u;
	uint32_t id = dwarf_dieoffset(die) - u->die;
	int tag = dwarf_tag(die);
	int err = 0;

	if (is_scope(die))
		err = interval_set_add(&u->scopes, id, end - u->die, id);
	else if (tag == DW_TAG_subprogram)
		err = code_ranges_add_die(&r->d->ranges, &u->functions, die, id);
	else if (tag != DW_TAG_lexical_block)
		return 0;
	return err ? err : read_children(r, die, end, depth + 1);
}

static int read_children(const struct reading *r, Dwarf_Die *parent, Dwarf_Off end, int depth)
{
	Dwarf_Die die, next;
	bool more = depth < MAX_TREE_DEPTH && first_child(r->u, parent, end, &next);
	int err = 0;

	while (more && !err) {
		die = next;
		more = next_die(r->u, &next, end);
		err = read_die(r, &die, more ? dwarf_dieoffset(&next) : end, depth);
	}
	return err;
}

/* Replaces the skeleton by the tree. Without it the unit has lines only. */
static int find_tree(struct debuginfo *d, struct unit *u, Dwarf_Die *die)
{
	Dwarf_Die split;
	int found = u->is_skeleton ? split_dwarf_find(d->split, die, &split) : 0;

	if (found <= 0)
		return found;
	*die = split;
	u->dw = dwarf_cu_getdwarf(split.cu);
	u->die = dwarf_dieoffset(&split);
	return 0;
}

/* *die is the unit's own DIE. */
static int read_unit(struct debuginfo *d, struct unit *u, Dwarf_Die *die)
{
	const struct reading r = { d, u };
	Dwarf_Die tree = *die;
	int err;

	if (u->is_read)
		return 0;
	err = find_tree(d, u, &tree);
	if (!err)
		err = read_children(&r, &tree, end_of(u), 0);
	if (err) {
		free_unit(u);
		return err;
	}
	interval_set_sort(&u->functions);
	interval_set_index(&u->functions);
	interval_set_sort(&u->scopes);
	interval_set_index(&u->scopes);
	u->is_read = true;
	return 0;
}

/* The functions at an address, outermost first. */
struct chain {
	struct unit *unit;		/* NULL if no unit covers the address */
	Dwarf_Die unit_die;		/* its own */
	Dwarf_Die tree_die;
	Dwarf_Die dies[MAX_INLINED];
	int nr;
	uint32_t nr_tried;		/* ranges read so far */
	/* Start of that range of the outermost function which covers the address. */
	uint64_t start;
	struct code_span *span;		/* of equal answers, so far */
};

static bool covers(struct chain *c, Dwarf_Die *die, Dwarf_Addr addr)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while (c->nr_tried++ < MAX_RANGES_TRIED &&
	       (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		code_span_pass(c->span, addr, start, end);
		if (addr >= start && addr < end)
			return true;
	}
	return false;
}

static bool leads_to(struct chain *c, Dwarf_Die *die, Dwarf_Addr addr)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return covers(c, die, addr);
	}
	return false;
}

static bool add_inlined(struct chain *c, Dwarf_Die *parent, Dwarf_Off end, Dwarf_Addr addr,
			int depth);

/* Walks down from die if it covers addr. Returns true if an inlined function was found there. */
static bool add_below(struct chain *c, Dwarf_Die *die, Dwarf_Off end, Dwarf_Addr addr, int depth)
{
	bool is_inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;

	if (!leads_to(c, die, addr))
		return false;
	if (is_inlined)
		c->dies[c->nr++] = *die;
	return add_inlined(c, die, end, addr, depth + 1) || is_inlined;
}

/* end: the offset of the next DIE that is not below parent. */
static bool add_inlined(struct chain *c, Dwarf_Die *parent, Dwarf_Off end, Dwarf_Addr addr,
			int depth)
{
	Dwarf_Die die, next;
	bool more = depth < MAX_TREE_DEPTH && c->nr < MAX_INLINED &&
		    first_child(c->unit, parent, end, &next);
	bool found = false;

	while (more && !found) {
		die = next;
		more = next_die(c->unit, &next, end);
		found = add_below(c, &die, more ? dwarf_dieoffset(&next) : end, addr, depth);
	}
	return found;
}

static void find_functions(uint64_t addr, struct chain *c)
{
	const struct interval *v = interval_set_find(&c->unit->functions, addr, NULL);

	interval_set_narrow(&c->unit->functions, addr, c->span);
	if (!v || !dwarf_offdie(c->unit->dw, c->unit->die + v->id, &c->dies[0]))
		return;
	c->nr = 1;
	c->start = v->start;
	c->nr_tried = 0;
	add_inlined(c, &c->dies[0], end_of(c->unit), addr, 0);
}

static uint32_t number(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (dwarf_formudata(dwarf_attr(die, name, &attr), &value))
		return 0;
	return value <= UINT32_MAX ? value : 0;
}

/* Returns a copy of text that lives in the string table; NULL for "", or without memory. */
static const char *intern(struct debuginfo *d, const char *text, size_t len)
{
	int64_t index = strtab_intern(d->strings, text, len);

	return index > 0 ? strtab_at(d->strings, index) : NULL;
}

/* Makes a path absolute. libdw leaves some relative paths of DWARF 5, such as those of rustc. */
static const char *absolute(struct debuginfo *d, struct chain *c, const char *file)
{
	char path[PATH_MAX];
	Dwarf_Attribute attr;
	const char *dir;
	int len;

	if (!file || *file == '/')
		return file;
	dir = dwarf_formstring(dwarf_attr(&c->unit_die, DW_AT_comp_dir, &attr));
	if (!dir)
		return file;
	len = snprintf(path, sizeof(path), "%s/%s", dir, file);
	return len < PATH_MAX ? intern(d, path, len) : file;
}

/* Sets the source position of the code at addr. */
static void set_line(struct debuginfo *d, struct chain *c, Dwarf_Addr addr, struct frame *l)
{
	Dwarf_Line *row = line_row_find(&c->unit_die, addr, c->span);
	int line = 0, column = 0;

	if (!row)
		return;
	l->file = absolute(d, c, dwarf_linesrc(row, NULL, NULL));
	dwarf_lineno(row, &line);
	dwarf_linecol(row, &column);
	l->line = line;
	l->column = column;
}

/* A split unit of gcc has a table of files. That of clang refers to the table of the skeleton. */
static bool find_files(struct chain *c, Dwarf_Files **files)
{
	size_t nr;

	return !dwarf_getsrcfiles(&c->tree_die, files, &nr) ||
	       !dwarf_getsrcfiles(&c->unit_die, files, &nr);
}

/* Sets the source position of the call of an inlined function, which is in its caller. */
static void set_call_line(struct debuginfo *d, struct chain *c, Dwarf_Die *inlined, struct frame *l)
{
	Dwarf_Files *files;

	if (dwarf_hasattr(inlined, DW_AT_call_file) && find_files(c, &files))
		l->file = absolute(d, c, dwarf_filesrc(files, number(inlined, DW_AT_call_file),
						       NULL, NULL));
	l->line = number(inlined, DW_AT_call_line);
	l->column = number(inlined, DW_AT_call_column);
}

/*
 * Moves *die to the declaration of the function. An inlined or separately defined function refers
 * to it. The loop has a limit, since a hostile file may refer in circles.
 */
static void find_declaration(Dwarf_Die *die)
{
	static const unsigned int links[] = { DW_AT_abstract_origin, DW_AT_specification };
	Dwarf_Attribute attr;
	Dwarf_Die next;

	for (int i = 0; i < 4; i++)
		if (dwarf_formref_die(dwarf_attr(die, links[i % 2], &attr), &next))
			*die = next;
}

static const char *not_empty(const char *name)
{
	return name && *name ? name : NULL;
}

/* Returns the names of the scopes around a DIE, outermost first, and its own, joined by "::". */
static const char *scoped_name(struct debuginfo *d, struct unit *u, Dwarf_Die *die)
{
	const char *names[MAX_SCOPES + 1] = { not_empty(dwarf_diename(die)) };
	Dwarf_Off at = dwarf_dieoffset(die) - u->die;
	const struct interval *v = NULL;
	char text[MAX_NAME_BYTES];
	size_t len = 0;
	Dwarf_Die scope;
	int nr = 1;

	while (names[0] && nr <= MAX_SCOPES && (v = interval_set_find(&u->scopes, at, v))) {
		const char *name = NULL;

		if (dwarf_offdie(u->dw, u->die + v->id, &scope))
			name = dwarf_diename(&scope);
		names[nr++] = name ? name : "(anonymous namespace)";
	}
	while (names[0] && nr-- > 0 && len < sizeof(text))
		len += snprintf(text + len, sizeof(text) - len, nr ? "%s::" : "%s", names[nr]);
	return len && len < sizeof(text) ? intern(d, text, len) : names[0];
}

/* An unknown language does not count as C: that only costs a look-up in the symbol table. */
static bool is_c(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Mips_Assembler:
		return true;
	}
	return false;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));

	if (!name)
		name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr));
	return not_empty(name);
}

static void set_function(struct debuginfo *d, struct chain *c, Dwarf_Die *die,
			 struct frame *l)
{
	Dwarf_Die declared = *die;
	int line = 0;

	dwarf_decl_line(die, &line);
	l->start_line = line;
	l->system_name = linkage_name(die);
	if (l->system_name)
		return;
	if (is_c(&c->tree_die)) {
		l->system_name = not_empty(dwarf_diename(die));
	} else {
		find_declaration(&declared);
		l->name = scoped_name(d, c->unit, &declared);
	}
}

static int find_chain(struct debuginfo *d, uint64_t addr, struct chain *c)
{
	const struct interval *v = interval_set_find(&d->covered, addr, NULL);
	int err;

	c->unit = NULL;
	c->nr = 0;
	interval_set_narrow(&d->covered, addr, c->span);
	if (!v || !dwarf_offdie(d->dw, d->units[v->id].own, &c->unit_die))
		return 0;
	c->unit = &d->units[v->id];
	err = read_unit(d, c->unit, &c->unit_die);
	if (!err && dwarf_offdie(c->unit->dw, c->unit->die, &c->tree_die))
		find_functions(addr, c);
	return err;
}

int debuginfo_lookup(struct debuginfo *d, uint64_t addr, struct frame *frames, int max,
		     struct code_span *span)
{
	struct chain c;
	int err;

	c.span = span;
	err = find_chain(d, addr, &c);
	frames[0] = (struct frame){ 0 };
	if (err || !c.unit)
		return err;
	set_line(d, &c, addr, &frames[0]);
	for (int i = 0; i < c.nr && i < max; i++) {
		Dwarf_Die *die = &c.dies[c.nr - 1 - i];

		if (i) {
			frames[i] = (struct frame){ 0 };
			set_call_line(d, &c, die + 1, &frames[i]);
		}
		set_function(d, &c, die, &frames[i]);
		frames[i].offset = addr - c.start;
	}
	return c.nr < max ? c.nr : max;
}
