// SPDX-License-Identifier: GPL-2.0
#include "elf/plt.h"

#include <gelf.h>
#include <stdbool.h>
#include <string.h>

#include "arch/machine.h"
#include "arch/machine_code.h"
#include "elf/string_section.h"

/* No program has more. They bound the time that a hostile file can cost. */
#define MAX_BYTES	(UINT64_C(128) << 20)
#define MAX_STUB_BYTES	(UINT64_C(16) << 20)
#define MAX_SLOTS	4	/* slots of one name: in .got.plt and .got */

static bool is_small(Elf *elf, size_t table)
{
	GElf_Shdr shdr;

	return gelf_getshdr(elf_getscn(elf, table), &shdr) && shdr.sh_size <= MAX_BYTES;
}

/* Is this .plt, .plt.sec or .plt.got? */
static bool is_plt(Elf *elf, const GElf_Shdr *shdr)
{
	const char *name;
	size_t names;

	if (shdr->sh_type != SHT_PROGBITS || !(shdr->sh_flags & SHF_EXECINSTR) ||
	    elf_getshdrstrndx(elf, &names) || !is_small(elf, names))
		return false;
	name = elf_strptr(elf, names, shdr->sh_name);
	return name && !strncmp(name, ".plt", 4);
}

static uint64_t slot_in(Elf_Scn *scn, const GElf_Shdr *shdr, uint64_t addr)
{
	size_t bytes = arch_plt_stub_bytes(shdr->sh_entsize);
	size_t at = (addr - shdr->sh_addr) / bytes * bytes;
	Elf_Data *data = elf_rawdata(scn, NULL);

	if (!data || !data->d_buf || data->d_size < at + bytes)
		return 0;
	return arch_plt_slot((const uint8_t *)data->d_buf + at, bytes, shdr->sh_addr + at);
}

static uint64_t find_slot(Elf *elf, uint64_t addr)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && addr - shdr.sh_addr < shdr.sh_size &&
		    is_plt(elf, &shdr))
			return slot_in(scn, &shdr, addr);
	return 0;
}

static const char *symbol_name(Elf *elf, size_t table, size_t index)
{
	Elf_Scn *scn = elf_getscn(elf, table);
	GElf_Shdr shdr;
	GElf_Sym sym;

	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_DYNSYM ||
	    !is_small(elf, table) || !is_small(elf, shdr.sh_link) ||
	    !gelf_getsym(elf_getdata(scn, NULL), index, &sym))
		return NULL;
	return elf_strptr(elf, shdr.sh_link, sym.st_name);
}

/*
 * Returns the name of the symbol whose address a relocation stores in the slot, or NULL. It reads
 * all relocations for each stub. An index would not pay: callers keep the name of an address.
 */
static const char *filler_of(Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr, uint64_t slot)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Rela rela;

	for (int i = 0; gelf_getrela(data, i, &rela); i++)
		if (rela.r_offset == slot && GELF_R_SYM(rela.r_info))
			return symbol_name(elf, shdr->sh_link, GELF_R_SYM(rela.r_info));
	return NULL;
}

const char *plt_find(Elf *elf, uint64_t addr)
{
	const char *name = NULL;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	GElf_Ehdr ehdr;
	uint64_t slot;

	if (!gelf_getehdr(elf, &ehdr) || ehdr.e_machine != ARCH_MACHINE)
		return NULL;
	slot = find_slot(elf, addr);
	while (slot && !name && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_RELA)
			name = filler_of(elf, scn, &shdr, slot);
	return name && *name ? name : NULL;
}

void plt_narrow(Elf *elf, uint64_t addr, struct code_span *span)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || !is_plt(elf, &shdr))
			continue;
		code_span_pass(span, addr, shdr.sh_addr, shdr.sh_addr + shdr.sh_size);
		if (addr - shdr.sh_addr < shdr.sh_size)
			*span = CODE_SPAN_ONE_BYTE;
	}
}

/* Returns the address of the section's first stub that jumps through one of the slots, or 0. */
static uint64_t stub_in(Elf_Scn *scn, const GElf_Shdr *shdr, const uint64_t *slots, size_t nr)
{
	const Elf_Data *data = elf_rawdata(scn, NULL);
	size_t bytes = arch_plt_stub_bytes(shdr->sh_entsize);
	uint64_t slot;

	if (!data || !data->d_buf)
		return 0;
	for (size_t at = 0; at + bytes <= data->d_size; at += bytes) {
		slot = arch_plt_slot((const uint8_t *)data->d_buf + at, bytes, shdr->sh_addr + at);
		for (size_t i = 0; i < nr; i++)
			if (slots[i] == slot)
				return shdr->sh_addr + at;
	}
	return 0;
}

/* Takes the size of a section off the budget. Returns false if the budget is too small. */
static bool spend(uint64_t *budget, const GElf_Shdr *shdr)
{
	if (shdr->sh_size > *budget)
		return false;
	*budget -= shdr->sh_size;
	return true;
}

static uint64_t stub_of(Elf *elf, const uint64_t *slots, size_t nr)
{
	uint64_t budget = MAX_STUB_BYTES, stub = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while (nr && !stub && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && is_plt(elf, &shdr) && spend(&budget, &shdr))
			stub = stub_in(scn, &shdr, slots, nr);
	return stub;
}

/*
 * Appends the slots in which a relocation stores the address of the wanted function.
 * Returns: the new number of slots.
 */
static size_t find_slots(Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr, const char *wanted,
			 uint64_t slots[MAX_SLOTS], size_t nr)
{
	Elf_Scn *symbols_scn = elf_getscn(elf, shdr->sh_link);
	const Elf_Data *names;
	Elf_Data *symbols, *data;
	const char *name;
	GElf_Shdr of;
	GElf_Rela rela;
	GElf_Sym sym;

	if (!gelf_getshdr(symbols_scn, &of) || of.sh_type != SHT_DYNSYM || of.sh_size > MAX_BYTES)
		return nr;
	names = string_section_get(elf, of.sh_link);
	symbols = elf_getdata(symbols_scn, NULL);
	data = names ? elf_getdata(scn, NULL) : NULL;
	for (int i = 0; nr < MAX_SLOTS && gelf_getrela(data, i, &rela); i++) {
		if (!GELF_R_SYM(rela.r_info) ||
		    !gelf_getsym(symbols, GELF_R_SYM(rela.r_info), &sym))
			continue;
		name = string_section_at(names, sym.st_name);
		if (name && !strcmp(name, wanted))
			slots[nr++] = rela.r_offset;
	}
	return nr;
}

uint64_t plt_stub(Elf *elf, const char *name)
{
	uint64_t slots[MAX_SLOTS], budget = MAX_BYTES;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t nr = 0;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_RELA && spend(&budget, &shdr))
			nr = find_slots(elf, scn, &shdr, name, slots, nr);
	return stub_of(elf, slots, nr);
}
