// SPDX-License-Identifier: GPL-2.0
#include "elf/symtab.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/interval_set.h"

struct symtab {
	Dwfl_Module *mod;
	/* The id of a range is the index of its symbol, with UNSIZED for one without a size. */
	struct interval_set ranges;
	bool has_locals;
};

#define UNSIZED		(1u << 31)

/* The section that libdwfl reports for symbols of a section that is not loaded. */
#define NOT_LOADED	UINT32_MAX

struct symbol {
	const char *name;
	GElf_Sym sym;
	GElf_Addr addr;
	GElf_Word section;
	Elf *elf;
	GElf_Addr bias;
};

/* Reads symbol i. Returns false for one without a name. */
static bool read_symbol(const struct symtab *t, uint32_t i, struct symbol *s)
{
	s->name = dwfl_module_getsym_info(t->mod, i, &s->sym, &s->addr, &s->section,
					  &s->elf, &s->bias);
	return s->name && *s->name;
}

static bool read_section(const struct symbol *s, GElf_Shdr *shdr)
{
	Elf_Scn *scn = elf_getscn(s->elf, s->section);

	return scn && gelf_getshdr(scn, shdr);
}

static bool is_located(const struct symbol *s)
{
	return s->section != SHN_UNDEF && s->section != SHN_ABS && s->section != NOT_LOADED;
}

static bool is_code(const struct symbol *s)
{
	switch (GELF_ST_TYPE(s->sym.st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_NOTYPE:
		return true;
	}
	return false;
}

/* Data in a code section gives no name, but ends the symbol before it. */
static bool is_data(const struct symbol *s)
{
	return GELF_ST_TYPE(s->sym.st_info) == STT_OBJECT;
}

/* Without section headers a symbol keeps its size, and one without a size covers nothing. */
static int add_range(struct symtab *t, const struct symbol *s, uint32_t i)
{
	uint64_t end = s->addr + s->sym.st_size, section_end = 0;
	bool is_executable = false;
	GElf_Shdr shdr;

	if (read_section(s, &shdr)) {
		is_executable = shdr.sh_flags & SHF_EXECINSTR;
		if (s->addr - s->bias - shdr.sh_addr < shdr.sh_size)
			section_end = shdr.sh_addr + shdr.sh_size + s->bias;
	}
	if (is_data(s) && !is_executable)
		return 0;
	if (!s->sym.st_size)
		return interval_set_add(&t->ranges, s->addr, is_executable ? section_end : 0,
					i | UNSIZED);
	if (section_end && end > section_end)
		end = section_end;
	return interval_set_add(&t->ranges, s->addr, end, i);
}

static int add_symbol(struct symtab *t, uint32_t i)
{
	struct symbol s;

	if (!read_symbol(t, i, &s) || !is_located(&s) || !(is_code(&s) || is_data(&s)))
		return 0;
	t->has_locals |= is_code(&s) && GELF_ST_BIND(s.sym.st_info) == STB_LOCAL;
	return add_range(t, &s, i);
}

/*
 * add_symbol() lets a symbol without a size reach to the end of its section. This shortens it to
 * the start of the next symbol.
 */
static void limit_unsized(struct interval_set *s)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = s->nr; i-- > 0;) {
		struct interval *v = &s->v[i];

		if (i + 1 < s->nr && s->v[i + 1].start > v->start)
			next = s->v[i + 1].start;
		if ((v->id & UNSIZED) && v->nr_bytes > next - v->start)
			v->nr_bytes = next - v->start;
	}
}

static int read_all(struct symtab *t)
{
	int nr = dwfl_module_getsymtab(t->mod);
	int err = 0;

	/* Symbol 0 is the undefined symbol: see the ELF specification, "Symbol Table". */
	for (int i = 1; i < nr && !err; i++)
		err = add_symbol(t, i);
	if (err)
		return err;
	interval_set_sort(&t->ranges);
	limit_unsized(&t->ranges);
	interval_set_index(&t->ranges);
	return 0;
}

struct symtab *symtab_new(Dwfl_Module *mod)
{
	struct symtab *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->mod = mod;
	if (read_all(t)) {
		symtab_free(t);
		errno = ENOMEM;
		return NULL;
	}
	return t;
}

void symtab_free(struct symtab *t)
{
	if (!t)
		return;
	interval_set_fini(&t->ranges);
	free(t);
}

static int binding_rank(const struct symbol *s)
{
	switch (GELF_ST_BIND(s->sym.st_info)) {
	case STB_GLOBAL:
	case STB_GNU_UNIQUE:
		return 0;
	case STB_LOCAL:
		return 1;
	}
	return 2;
}

/*
 * The rules of symtab_find(). The last rule is that of perf: malloc is better than __libc_malloc.
 * If all are equal, the symbol that was found first stays.
 */
static bool is_better(const struct symbol *a, const struct symbol *b)
{
	bool a_notype = GELF_ST_TYPE(a->sym.st_info) == STT_NOTYPE;
	bool b_notype = GELF_ST_TYPE(b->sym.st_info) == STT_NOTYPE;

	if (!a->sym.st_size != !b->sym.st_size)
		return a->sym.st_size;
	if (a_notype != b_notype)
		return b_notype;
	if (a->sym.st_size != b->sym.st_size)
		return a->sym.st_size < b->sym.st_size;
	if (binding_rank(a) != binding_rank(b))
		return binding_rank(a) < binding_rank(b);
	return strspn(a->name, "_") < strspn(b->name, "_");
}

static bool find_best(const struct symtab *t, uint64_t addr, struct symbol *best)
{
	const struct interval *v = NULL;
	struct symbol s;

	*best = (struct symbol){ 0 };
	while ((v = interval_set_find(&t->ranges, addr, v)))
		if (read_symbol(t, v->id & ~UNSIZED, &s) && is_code(&s) &&
		    (!best->name || is_better(&s, best)))
			*best = s;
	return best->name;
}

/* Does a symbol with a size that covers from end at or before to? */
static bool any_ends_between(const struct symtab *t, uint64_t from, uint64_t to)
{
	const struct interval *v = NULL;

	while ((v = interval_set_find(&t->ranges, from, v)))
		if (!(v->id & UNSIZED) && v->start + v->nr_bytes <= to)
			return true;
	return false;
}

bool symtab_find(const struct symtab *t, uint64_t addr, struct symtab_symbol *found)
{
	struct symbol best;

	if (!find_best(t, addr, &best) ||
	    (!best.sym.st_size && any_ends_between(t, best.addr, addr)))
		return false;
	*found = (struct symtab_symbol){ best.name, best.addr, best.sym.st_size };
	return true;
}

/* The result depends only on the ranges that cover addr, and on ranges that end before it. */
void symtab_narrow(const struct symtab *t, uint64_t addr, struct code_span *span)
{
	interval_set_narrow(&t->ranges, addr, span);
}

/* .dynsym has no locals. Of a program that has none, .symtab shows that nothing was stripped. */
bool symtab_has_locals(const struct symtab *t)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(t->mod, &bias);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while (!t->has_locals && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_SYMTAB)
			return true;
	return t->has_locals;
}
