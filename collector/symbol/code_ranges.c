// SPDX-License-Identifier: GPL-2.0
#include "symbol/code_ranges.h"

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "elf/string_section.h"

/* The limits of ranges that are kept (200 MB), and that are read. */
#define MAX_KEPT	(1U << 23)
#define MAX_READ	(1U << 28)
/* Limit of .debug_aranges. A range has 16 bytes there, and takes 72 bytes of memory in libdw. */
#define MAX_TABLE_BYTES	(32U << 20)

/*
 * The linker removes functions (--gc-sections, a second copy of a template) but not their debug
 * info: it sets their address to 0, some linkers to 1. No code is there, but such a range may reach
 * over real code.
 */
static bool is_removed(uint64_t start)
{
	return start <= 1;
}

static bool is_full(const struct code_ranges *r)
{
	return r->nr_kept >= MAX_KEPT || r->nr_read >= MAX_READ;
}

int code_ranges_add(struct code_ranges *r, struct interval_set *s, uint64_t start, uint64_t end,
		    uint32_t id)
{
	if (is_full(r))
		return 0;
	r->nr_read++;
	if (is_removed(start))
		return 0;
	r->nr_kept++;
	return interval_set_add(s, start, end, id);
}

int code_ranges_add_die(struct code_ranges *r, struct interval_set *s, Dwarf_Die *die, uint32_t id)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int err = 0;

	while (!err && !is_full(r) && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		err = code_ranges_add(r, s, start, end, id);
	return err;
}

/* The old GNU form of a compressed section has a z in its name. libdw has decompressed both. */
static bool is_table(const char *name)
{
	return name && (!strcmp(name, ".debug_aranges") || !strcmp(name, ".zdebug_aranges"));
}

static bool is_too_large(Elf *elf)
{
	const Elf_Data *names;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t index;

	names = elf_getshdrstrndx(elf, &index) ? NULL : string_section_get(elf, index);
	while (names && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_size > MAX_TABLE_BYTES &&
		    is_table(string_section_at(names, shdr.sh_name)))
			return true;
	return !names;
}

int code_ranges_visit_table(Dwarf *dw, code_ranges_fn fn, void *ctx)
{
	Dwarf_Aranges *table;
	Dwarf_Addr start = 0;
	Dwarf_Word length = 0;
	Dwarf_Off unit = 0;
	int err = 0;
	size_t nr;

	if (is_too_large(dwarf_getelf(dw)) || dwarf_getaranges(dw, &table, &nr))
		return 0;
	for (size_t i = 0; !err && i < nr; i++)
		if (!dwarf_getarangeinfo(dwarf_onearange(table, i), &start, &length, &unit))
			err = fn(ctx, unit, start, start + length);
	return err;
}
