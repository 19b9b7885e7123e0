// SPDX-License-Identifier: GPL-2.0
#include "elf/debug_sections.h"

#include <gelf.h>
#include <stddef.h>
#include <string.h>

#include "elf/string_section.h"

/* Can every libelf read the section? It is not compressed, or by zlib: other forms came later. */
static bool is_plain(Elf_Scn *scn, const GElf_Shdr *shdr)
{
	GElf_Chdr chdr;

	return !(shdr->sh_flags & SHF_COMPRESSED) || shdr->sh_type == SHT_NOBITS ||
	       !gelf_getchdr(scn, &chdr) || chdr.ch_type == ELFCOMPRESS_ZLIB;
}

static bool is_debug(const Elf_Data *names, const GElf_Shdr *shdr)
{
	const char *name = string_section_at(names, shdr->sh_name);

	return name && !strncmp(name, ".debug_", 7);
}

/* Finds the smallest debug section that is compressed in another form than zlib. */
static Elf_Scn *find_smallest(Elf *elf, const Elf_Data *names)
{
	Elf_Scn *scn = NULL, *smallest = NULL;
	GElf_Xword bytes = 0;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || is_plain(scn, &shdr) || !is_debug(names, &shdr) ||
		    (smallest && shdr.sh_size >= bytes))
			continue;
		smallest = scn;
		bytes = shdr.sh_size;
	}
	return smallest;
}

/* libelf does not say what it can decompress, so one section is decompressed here. */
bool debug_sections_are_unread(int fd)
{
	const Elf_Data *names;
	Elf_Scn *scn = NULL;
	bool are_unread;
	size_t index;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	names = elf_getshdrstrndx(elf, &index) ? NULL : string_section_get(elf, index);
	if (names)
		scn = find_smallest(elf, names);
	are_unread = scn && elf_compress(scn, 0, 0) < 0;
	elf_end(elf);
	return are_unread;
}
