/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads pclntab, Go's table of functions, inlined functions and lines. Go's runtime prints stacks
 * by it, so a stripped program has it, too. The formats are those of Go 1.18 and later. Sources:
 * src/runtime/symtab.go, symtabinl.go and src/debug/gosym/pclntab.go of Go.
 */
#ifndef COLLECTOR_PCLNTAB_H
#define COLLECTOR_PCLNTAB_H

#include <stdint.h>

#include "symbol/frame.h"

struct go_module;

/*
 * Finds the frames at addr, an ELF address. frames has room for max, which is at least 1. The
 * innermost inlined frame comes first. If there are more than max, the outer ones are left out.
 *
 * The strings belong to the image of the ELF file. Names are those that Go's runtime prints: a
 * generic function has [...] in place of its types. system_name is left NULL. file and line are set
 * if they are known.
 *
 * The content of the table is not trusted. A look-up takes some milliseconds at most.
 * Returns: the number of frames; 0 if addr is in no function of Go, or the table is damaged there.
 */
int pclntab_lookup(const struct go_module *m, uint64_t addr, struct frame *frames, int max);

#endif /* COLLECTOR_PCLNTAB_H */
