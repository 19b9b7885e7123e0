/* SPDX-License-Identifier: GPL-2.0 */
/* The symbols of one ELF file: finds the function at an address. */
#ifndef COLLECTOR_SYMTAB_H
#define COLLECTOR_SYMTAB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/code_span.h"

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

/* A symbol that was found. */
struct symtab_symbol {
	const char *name;	/* the linker name; it belongs to the module */
	uint64_t start;
	bool is_sized;		/* false: its end is not sure */
};

/*
 * Finds the function at addr. Returns false if there is none.
 *
 * A symbol covers its size, as far as its section reaches. A symbol without a size, as assembly
 * code has them, covers the code up to the next start or end of a symbol, or to the end of its
 * section. Code whose own symbol was stripped may lie before that: see symtab_has_locals(). If
 * several symbols cover addr, the best one wins, by these rules in order:
 * - one with a size;
 * - one with a type, rather than STT_NOTYPE;
 * - the shortest;
 * - global, then local, then weak;
 * - the fewest leading underscores, as in perf.
 */
bool symtab_find(const struct symtab *t, uint64_t addr, struct symtab_symbol *found);

/* Narrows span to addresses for which symtab_find() has the same result as for addr. */
void symtab_narrow(const struct symtab *t, uint64_t addr, struct code_span *span);

/* Are there symbols of local functions? If not, they were stripped. */
bool symtab_has_locals(const struct symtab *t);

#endif /* COLLECTOR_SYMTAB_H */
