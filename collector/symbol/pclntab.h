/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Go's table of functions, inlined functions and lines, pclntab. Go's runtime prints stacks by it,
 * so it is there also in a stripped program. The formats are those of Go 1.18 and later:
 * src/runtime/symtab.go, symtabinl.go and src/debug/gosym/pclntab.go.
 */
#ifndef COLLECTOR_PCLNTAB_H
#define COLLECTOR_PCLNTAB_H

#include <stdint.h>

#include "symbol/frame.h"

struct go_module;

/*
 * Fills frames with those at addr, an address of the ELF file, at most max (at least 1), innermost
 * inlined frame first. Strings belong to the ELF file. They are names as Go's runtime prints them:
 * a generic function has [...] in place of its types. Only name is set, not system_name.
 *
 * The content of the table is not trusted. A look-up takes some milliseconds at most.
 * Returns: the number of frames; 0 if addr is in no function of Go.
 */
int pclntab_lookup(const struct go_module *m, uint64_t addr, struct frame *frames, int max);

#endif /* COLLECTOR_PCLNTAB_H */
