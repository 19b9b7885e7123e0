/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code without an FDE that is part of every program and library: _init and _fini, the functions of
 * gcc's crtbegin.o, and the PLT. lld and mold write no FDE for the PLT. The code calls other
 * functions, so walks go through it. The folder of each CPU has its startup_code.c.
 */
#ifndef COLLECTOR_ARCH_STARTUP_CODE_H
#define COLLECTOR_ARCH_STARTUP_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pprof_table.h"

#define ARCH_STARTUP_ROWS	4

/* A piece of startup code. Row i holds from byte starts[i] on, the last one to the end. */
struct startup_code {
	size_t bytes;
	/* The first is 0. Equal ones have equal rules. */
	size_t starts[ARCH_STARTUP_ROWS];
	struct pprof_rule rules[ARCH_STARTUP_ROWS];
};

/*
 * Looks for startup code in the nr bytes at code.
 * Returns: true, with *found set, if the bytes begin with it.
 * Context: any thread.
 */
bool arch_startup_code_find(const uint8_t *code, size_t nr, struct startup_code *found);

#endif /* COLLECTOR_ARCH_STARTUP_CODE_H */
