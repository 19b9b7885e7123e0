// SPDX-License-Identifier: GPL-2.0
#include "plt.h"

#include <endian.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>

/* .plt, .plt.sec or .plt.got, whichever holds addr. */
static bool is_plt(Elf *elf, const GElf_Shdr *shdr, uint64_t addr)
{
	const char *name;
	size_t names;

	if (shdr->sh_type != SHT_PROGBITS || !(shdr->sh_flags & SHF_EXECINSTR) ||
	    addr - shdr->sh_addr >= shdr->sh_size || elf_getshdrstrndx(elf, &names))
		return false;
	name = elf_strptr(elf, names, shdr->sh_name);
	return name && !strncmp(name, ".plt", 4);
}

/*
 * Where the stub at insn finds its target, 0 if it is no stub: an optional
 * endbr64, an optional bnd, then jmp *disp(%rip). The section's first, which
 * calls the dynamic linker, begins with a push and is none.
 */
static uint64_t got_slot(const uint8_t *insn, size_t size, uint64_t addr)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	uint32_t disp;
	size_t at = 0;

	if (size >= 4 && !memcmp(insn, endbr64, 4))
		at = 4;
	if (at < size && insn[at] == 0xf2)
		at++;
	if (at + 6 > size || insn[at] != 0xff || insn[at + 1] != 0x25)
		return 0;
	memcpy(&disp, insn + at + 2, 4);
	return addr + at + 6 + (int32_t)le32toh(disp);
}

/* Stubs of 8 bytes say so in sh_entsize; lld leaves it 0 for those of 16. */
static uint64_t slot_in(Elf_Scn *scn, const GElf_Shdr *shdr, uint64_t addr)
{
	size_t entry_bytes = shdr->sh_entsize == 8 ? 8 : 16;
	size_t at = (addr - shdr->sh_addr) / entry_bytes * entry_bytes;
	Elf_Data *data = elf_rawdata(scn, NULL);

	if (!data || !data->d_buf || data->d_size < at + entry_bytes)
		return 0;
	return got_slot((const uint8_t *)data->d_buf + at, entry_bytes, shdr->sh_addr + at);
}

static uint64_t find_slot(Elf *elf, uint64_t addr)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && is_plt(elf, &shdr, addr))
			return slot_in(scn, &shdr, addr);
	return 0;
}

static const char *symbol_name(Elf *elf, size_t table, size_t index)
{
	Elf_Scn *scn = elf_getscn(elf, table);
	GElf_Shdr shdr;
	GElf_Sym sym;

	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_DYNSYM ||
	    !gelf_getsym(elf_getdata(scn, NULL), index, &sym))
		return NULL;
	return elf_strptr(elf, shdr.sh_link, sym.st_name);
}

/* One pass over the relocations a stub: an address is named only once. */
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

	if (!gelf_getehdr(elf, &ehdr) || ehdr.e_machine != EM_X86_64)
		return NULL;
	slot = find_slot(elf, addr);
	while (slot && !name && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_RELA)
			name = filler_of(elf, scn, &shdr, slot);
	return name && *name ? name : NULL;
}
