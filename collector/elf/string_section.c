// SPDX-License-Identifier: GPL-2.0
#include "elf/string_section.h"

#include <gelf.h>
#include <stddef.h>

/* The largest programs, with all symbols, have string tables of some 100 MB. */
#define MAX_BYTES	(UINT64_C(256) << 20)

const Elf_Data *string_section_get(Elf *elf, size_t section)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	const Elf_Data *data;
	GElf_Shdr shdr;

	if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_STRTAB || shdr.sh_size > MAX_BYTES)
		return NULL;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || !data->d_size ||
	    ((const char *)data->d_buf)[data->d_size - 1])
		return NULL;
	return data;
}

const char *string_section_at(const Elf_Data *names, size_t at)
{
	return at < names->d_size ? (const char *)names->d_buf + at : NULL;
}
