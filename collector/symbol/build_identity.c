// SPDX-License-Identifier: GPL-2.0
#include "symbol/build_identity.h"

#include <link.h>
#include <stddef.h>
#include <xxhash.h>

/* A callback for dl_iterate_phdr(). Hashes the ELF notes, with the build ID of the linker. */
static int add_notes(struct dl_phdr_info *info, size_t size, void *ctx)
{
	uint64_t *id = ctx;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_NOTE)
			*id = XXH3_64bits_withSeed((const char *)info->dlpi_addr + ph->p_vaddr,
						   ph->p_memsz, *id);
	}
	return 0;
}

uint64_t build_identity(void)
{
	uint64_t id = 0;

	dl_iterate_phdr(add_notes, &id);
	return id;
}
