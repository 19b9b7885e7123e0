/* SPDX-License-Identifier: GPL-2.0 */
/*
 * String tables of ELF files. elf_strptr() is not used: at each call it searches for the end of
 * a table that lacks its final NUL, and it decompresses sections. A hostile file could make both
 * slow.
 */
#ifndef COLLECTOR_STRING_SECTION_H
#define COLLECTOR_STRING_SECTION_H

#include <libelf.h>

/*
 * Returns the content of a string table, which is valid until elf_end(). section is its index.
 * Returns NULL if the section is no string table, does not end with a NUL, or is larger than 256
 * MiB.
 */
const Elf_Data *string_section_get(struct Elf *elf, size_t section);

/* Returns the string at offset `at` of the table, or NULL if `at` is outside of it. */
const char *string_section_at(const Elf_Data *names, size_t at);

#endif /* COLLECTOR_STRING_SECTION_H */
