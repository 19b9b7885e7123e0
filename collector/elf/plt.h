/* SPDX-License-Identifier: GPL-2.0 */
/* The stubs through which x86-64 code calls other files' functions. */
#ifndef COLLECTOR_PLT_H
#define COLLECTOR_PLT_H

#include <stdint.h>

struct Elf;

/*
 * The linker name of the function that the stub at an address of the file
 * jumps to, or NULL if there is no stub. The name is the file's.
 */
const char *plt_find(struct Elf *elf, uint64_t addr);

/* The address of a stub that jumps to the function of a linker name; 0: there is none. */
uint64_t plt_stub(struct Elf *elf, const char *name);

#endif /* COLLECTOR_PLT_H */
