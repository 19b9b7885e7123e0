/* SPDX-License-Identifier: GPL-2.0 */
/* The symbol tables of one ELF file: whose code is at an address. */
#ifndef COLLECTOR_SYMTAB_H
#define COLLECTOR_SYMTAB_H

#include <stdint.h>

struct symtab;
struct Dwfl_Module;

/*
 * Reads the symbols of a module, which has to live as long: .symtab, its own
 * or the debug file's, else .dynsym and .gnu_debugdata. NULL: errno ENOMEM.
 */
struct symtab *symtab_new(struct Dwfl_Module *mod);

/* NULL is fine. */
void symtab_free(struct symtab *t);

/*
 * The linker name of the function at an address in the module, or NULL: a
 * symbol covers its size, and one without a size, as assembly leaves it, up to
 * the next symbol of its section. Of several the best is: a function, with a
 * size, the shortest, global before local before weak. The name is the
 * module's; *offset becomes that of addr in the function.
 */
const char *symtab_find(const struct symtab *t, uint64_t addr, uint64_t *offset);

#endif /* COLLECTOR_SYMTAB_H */
