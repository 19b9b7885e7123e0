// SPDX-License-Identifier: GPL-2.0
#include "symbol/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/interval_set.h"
#include "base/string_table.h"

/* Compilers stop far below; what is deeper is made to exhaust our stack. */
#define MAX_TREE_DEPTH	128
#define MAX_INLINED	128
#define MAX_SCOPES	64
#define MAX_NAME_BYTES	16384
/*
 * Many may share a list of ranges, so that what a file says so has no end: so many are
 * kept, 200 MB, so many are looked at, and so many for one address.
 */
#define MAX_RANGES		(1U << 23)
#define MAX_RANGES_READ		(1U << 28)
#define MAX_RANGES_TRIED	(1U << 22)

/* Offsets of DIEs in a unit count from the unit's own. */
struct unit {
	Dwarf_Off die;
	struct interval_set functions;		/* of addresses; id: offset of the DIE */
	struct interval_set scopes;		/* of offsets of DIEs; id: offset of the DIE */
	bool is_read;
	bool is_damaged;
};

struct debuginfo {
	Dwarf *dw;
	struct strtab *strings;
	struct interval_set covered;		/* id: index of the unit */
	uint32_t nr_kept;		/* ranges of units and of functions */
	uint32_t nr_read;
	struct unit *units;
	size_t nr_units;
	size_t cap_units;
};

/*
 * What the linker removed (--gc-sections, a second copy of a template) is left at
 * address 0, by some at 1: no code is there, but its size may reach where code is.
 */
static bool is_removed(Dwarf_Addr start)
{
	return start <= 1;
}

static int add_ranges(struct debuginfo *d, struct interval_set *s, Dwarf_Die *die, uint32_t id)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int err = 0;

	while (!err && d->nr_kept < MAX_RANGES && d->nr_read < MAX_RANGES_READ &&
	       (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		d->nr_read++;
		if (is_removed(start))
			continue;
		d->nr_kept++;
		err = interval_set_add(s, start, end, id);
	}
	return err;
}

static int add_unit(struct debuginfo *d, Dwarf_Die *die)
{
	if (d->nr_units == d->cap_units) {
		size_t cap = d->cap_units ? 2 * d->cap_units : 16;
		struct unit *units = reallocarray(d->units, cap, sizeof(*units));

		if (!units)
			return -ENOMEM;
		d->units = units;
		d->cap_units = cap;
	}
	d->units[d->nr_units] = (struct unit){ .die = dwarf_dieoffset(die) };
	return add_ranges(d, &d->covered, die, d->nr_units++);
}

/*
 * Not .debug_aranges, which is quicker to read: clang writes none. No split
 * unit is asked for: libdw would open any path that the file names.
 */
static int read_units(struct debuginfo *d)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	int err = 0;

	while (!err && !dwarf_get_units(d->dw, cu, &cu, NULL, &type, &die, NULL))
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			err = add_unit(d, &die);
	interval_set_sort(&d->covered);
	interval_set_index(&d->covered);
	return err;
}

static void forget(struct unit *u)
{
	interval_set_fini(&u->functions);
	interval_set_fini(&u->scopes);
}

struct debuginfo *debuginfo_new(Dwarf *dw, struct strtab *strings)
{
	struct debuginfo *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->dw = dw;
	d->strings = strings;
	if (read_units(d)) {
		debuginfo_free(d);
		errno = ENOMEM;
		return NULL;
	}
	return d;
}

void debuginfo_free(struct debuginfo *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->nr_units; i++)
		forget(&d->units[i]);
	free(d->units);
	interval_set_fini(&d->covered);
	free(d);
}

static Dwarf_Off end_of(const struct unit *u)
{
	return u->die + UINT32_MAX;
}

static bool first_child(const struct unit *u, Dwarf_Die *parent, Dwarf_Off end, Dwarf_Die *child)
{
	return !u->is_damaged && !dwarf_child(parent, child) && dwarf_dieoffset(child) < end;
}

/*
 * How far libdw went from one DIE to look for its next sibling: to that, or to the end of
 * the list, or of the unit, where it tells no place.
 */
static Dwarf_Off reached(const struct unit *u, Dwarf_Die *from, const Dwarf_Die *to)
{
	return to->addr ? dwarf_dieoffset(from) + ((char *)to->addr - (char *)from->addr) :
			  end_of(u) - 1;
}

/*
 * To the next sibling, which lies behind, and before what is not below the same parent.
 * DW_AT_sibling may point anywhere, and libdw follows: back, for a loop; or to a child, so
 * that each would be visited twice as often as the one before; or so that each time the
 * rest of the unit is searched. What such a unit says is not looked at any further.
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

/* Those below one DIE of a unit. */
struct reading {
	struct debuginfo *d;
	struct unit *u;
};

static int read_children(const struct reading *r, Dwarf_Die *parent, Dwarf_Off end, int depth);

/* end: where the next DIE that is not below this one begins. */
static int read_die(const struct reading *r, Dwarf_Die *die, Dwarf_Off end, int depth)
{
	struct unit *u = r->u;
	uint32_t id = dwarf_dieoffset(die) - u->die;
	int tag = dwarf_tag(die);
	int err = 0;

	if (is_scope(die))
		err = interval_set_add(&u->scopes, id, end - u->die, id);
	else if (tag == DW_TAG_subprogram)
		err = add_ranges(r->d, &u->functions, die, id);
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

static int read_unit(struct debuginfo *d, struct unit *u, Dwarf_Die *die)
{
	const struct reading r = { d, u };
	int err;

	if (u->is_read)
		return 0;
	err = read_children(&r, die, end_of(u), 0);
	if (err) {
		forget(u);
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
	struct unit *unit;		/* NULL if none covers it */
	Dwarf_Die unit_die;
	Dwarf_Die dies[MAX_INLINED];
	int nr;
	uint32_t nr_tried;		/* ranges */
	uint64_t start;			/* of the outermost: its range that covers the address */
};

static bool covers(struct chain *c, Dwarf_Die *die, Dwarf_Addr addr)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while (c->nr_tried++ < MAX_RANGES_TRIED &&
	       (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		if (addr >= start && addr < end)
			return true;
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

/* Descends if it leads to addr; true once an inlined function was found there. */
static bool add_below(struct chain *c, Dwarf_Die *die, Dwarf_Off end, Dwarf_Addr addr, int depth)
{
	bool is_inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;

	if (!leads_to(c, die, addr))
		return false;
	if (is_inlined)
		c->dies[c->nr++] = *die;
	return add_inlined(c, die, end, addr, depth + 1) || is_inlined;
}

/* end: where the next DIE that is not below parent begins. */
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

static void find_functions(struct debuginfo *d, uint64_t addr, struct chain *c)
{
	const struct interval *v = interval_set_find(&c->unit->functions, addr, NULL);

	if (!v || !dwarf_offdie(d->dw, c->unit->die + v->id, &c->dies[0]))
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

static const char *keep(struct debuginfo *d, const char *text, size_t len)
{
	int64_t index = strtab_intern(d->strings, text, len);

	return index > 0 ? strtab_at(d->strings, index) : NULL;
}

/* libdw leaves some of DWARF 5's relative names as they are: rustc's are. */
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
	return len < PATH_MAX ? keep(d, path, len) : file;
}

/* Where the code at addr was written. */
static void set_line(struct debuginfo *d, struct chain *c, Dwarf_Addr addr, struct frame *l)
{
	Dwarf_Line *row = dwarf_getsrc_die(&c->unit_die, addr);
	int line = 0, column = 0;

	if (!row)
		return;
	l->file = absolute(d, c, dwarf_linesrc(row, NULL, NULL));
	dwarf_lineno(row, &line);
	dwarf_linecol(row, &column);
	l->line = line;
	l->column = column;
}

/* Where the function that an inlined one stands in called it. */
static void set_call_line(struct debuginfo *d, struct chain *c, Dwarf_Die *inlined, struct frame *l)
{
	Dwarf_Files *files;
	size_t nr;

	if (dwarf_hasattr(inlined, DW_AT_call_file) &&
	    !dwarf_getsrcfiles(&c->unit_die, &files, &nr))
		l->file = absolute(d, c, dwarf_filesrc(files, number(inlined, DW_AT_call_file),
						       NULL, NULL));
	l->line = number(inlined, DW_AT_call_line);
	l->column = number(inlined, DW_AT_call_column);
}

/*
 * The DIE that stands where the function was declared: what is inlined or
 * defined elsewhere refers there. The loop is bounded, as references may not be.
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

/* The names of the scopes around a DIE, outermost first, and its own. */
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

		if (dwarf_offdie(d->dw, u->die + v->id, &scope))
			name = dwarf_diename(&scope);
		names[nr++] = name ? name : "(anonymous namespace)";
	}
	while (names[0] && nr-- > 0 && len < sizeof(text))
		len += snprintf(text + len, sizeof(text) - len, nr ? "%s::" : "%s", names[nr]);
	return len && len < sizeof(text) ? keep(d, text, len) : names[0];
}

/* What isn't known is not C: that only costs a look at the symbols. */
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
	if (is_c(&c->unit_die)) {
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
	if (!v || !dwarf_offdie(d->dw, d->units[v->id].die, &c->unit_die))
		return 0;
	c->unit = &d->units[v->id];
	err = read_unit(d, c->unit, &c->unit_die);
	if (!err)
		find_functions(d, addr, c);
	return err;
}

int debuginfo_lookup(struct debuginfo *d, uint64_t addr, struct frame *lines, int max)
{
	struct chain c;
	int err = find_chain(d, addr, &c);

	lines[0] = (struct frame){ 0 };
	if (err || !c.unit)
		return err;
	set_line(d, &c, addr, &lines[0]);
	for (int i = 0; i < c.nr && i < max; i++) {
		Dwarf_Die *die = &c.dies[c.nr - 1 - i];

		if (i) {
			lines[i] = (struct frame){ 0 };
			set_call_line(d, &c, die + 1, &lines[i]);
		}
		set_function(d, &c, die, &lines[i]);
		lines[i].offset = addr - c.start;
	}
	return c.nr < max ? c.nr : max;
}
