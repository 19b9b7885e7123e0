/* SPDX-License-Identifier: GPL-2.0 */
/* The symbols of one ELF file: finds the function at an address. */
#ifndef COLLECTOR_SYMTAB_H
#define COLLECTOR_SYMTAB_H

#include <stdint.h>

struct symtab;
struct Dwfl_Module;

/*
 * Reads the symbols of mod: .symtab of the file or of its debug file, else .dynsym and
 * .gnu_debugdata. mod must live as long as the table. symtab_free() frees it.
 * Returns: the table, or NULL with errno ENOMEM.
 */
struct symtab *symtab_new(struct Dwfl_Module *mod);

/* Frees the table. t may be NULL. */
void symtab_free(struct symtab *t);

/*
 * Returns the linker name of the function at addr, or NULL. The string belongs to the module.
 * *offset becomes the offset of addr in the function; without a function it is unchanged.
 *
 * A symbol covers its size. A symbol without a size, as assembly code has them, covers the code
 * up to the next symbol, or to the end of its section. If several symbols cover addr, the best
 * one wins, by these rules in order:
 * - one with a type, rather than STT_NOTYPE;
 * - one with a size;
 * - the shortest;
 * - global, then local, then weak;
 * - the fewest leading underscores, as in perf.
 */
const char *symtab_find(const struct symtab *t, uint64_t addr, uint64_t *offset);

#endif /* COLLECTOR_SYMTAB_H */
