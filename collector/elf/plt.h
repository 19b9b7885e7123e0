/* SPDX-License-Identifier: GPL-2.0 */
/* PLT stubs: the code through which a file calls functions of other files. */
#ifndef COLLECTOR_PLT_H
#define COLLECTOR_PLT_H

#include <stdint.h>

#include "base/code_span.h"

struct Elf;

/*
 * Finds the function to which a stub jumps. addr is the address of the stub in the ELF file.
 * Returns: the linker name, which elf owns. NULL: there is no stub, or the file is for another
 * machine.
 */
const char *plt_find(struct Elf *elf, uint64_t addr);

/* Narrows span to the code around addr that is in no stub; in a stub, to one byte. */
void plt_narrow(struct Elf *elf, uint64_t addr, struct code_span *span);

/*
 * Returns the address of a stub that jumps to the function with this linker name, as in plt_find().
 * Returns 0 if there is none.
 */
uint64_t plt_stub(struct Elf *elf, const char *name);

#endif /* COLLECTOR_PLT_H */
