/* SPDX-License-Identifier: GPL-2.0 */
/* The DWARF of one ELF file: functions, inlined frames and lines at an address. */
#ifndef COLLECTOR_DEBUGINFO_H
#define COLLECTOR_DEBUGINFO_H

#include <stdint.h>

#include "symbol/frame.h"

struct debuginfo;
struct strtab;
struct Dwarf;

/*
 * Reads of dw, which has to live as long, which addresses each unit covers;
 * the rest is read when an address falls into a unit. strings, which has to
 * live as long too, takes the names that are made here. NULL: errno ENOMEM.
 */
struct debuginfo *debuginfo_new(struct Dwarf *dw, struct strtab *strings);

/* NULL is fine. */
void debuginfo_free(struct debuginfo *d);

/*
 * Fills lines for an address in dw, innermost inlined frame first, at most max
 * (at least 1). Strings are dw's or those of debuginfo_new().
 * Sets system_name, if the linker has it or would not change it, and name only
 * otherwise, with its scopes: gcc gives what is local in C++ no linkage name.
 * A function without any name has neither. Offsets are in the outermost one,
 * whose code the inlined ones are.
 * Returns the number of functions, or -ENOMEM. If it is 0, lines[0] still has
 * file, line and column as far as they are known: assembly has lines only.
 */
int debuginfo_lookup(struct debuginfo *d, uint64_t addr, struct sym_line *lines, int max);

#endif /* COLLECTOR_DEBUGINFO_H */
