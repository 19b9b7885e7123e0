/* SPDX-License-Identifier: GPL-2.0 */
/*
 * String tables of ELF files. Not by elf_strptr(), which looks for the end of a
 * table that lacks it at each name, and inflates.
 */
#ifndef COLLECTOR_ELFNAMES_H
#define COLLECTOR_ELFNAMES_H

#include <libelf.h>

/* What is in this section, until elf_end(); NULL: no strings, or larger than any are. */
const Elf_Data *elfnames_get(struct Elf *elf, size_t section);

/* NULL: it has no such. */
const char *elfnames_at(const Elf_Data *names, size_t at);

#endif /* COLLECTOR_ELFNAMES_H */
