/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interpreter of LuaJIT: one function with one rule, which does not hold where the function is
 * entered and left, nor where machine code of a trace comes back to it. The code is known by its
 * bytes. The folder of each CPU has its luajit_code.c.
 */
#ifndef COLLECTOR_ARCH_LUAJIT_CODE_H
#define COLLECTOR_ARCH_LUAJIT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pprof_table.h"

#define ARCH_LUAJIT_ROWS	5

/*
 * A piece of the interpreter with other rules. Row i holds from byte starts[i] on, the last one up
 * to byte end. Equal starts have equal rules.
 */
struct luajit_code {
	size_t starts[ARCH_LUAJIT_ROWS];
	size_t end;
	struct pprof_rule rules[ARCH_LUAJIT_ROWS];
};

/*
 * Is this the rule of the interpreter? A function with that rule alone is it.
 * Context: any thread.
 */
bool arch_is_luajit(const struct pprof_rule *rule);

/*
 * Looks for the first such piece in the nr bytes at code.
 * Returns: true, with *found set, if there is one.
 * Context: any thread.
 */
bool arch_luajit_find(const uint8_t *code, size_t nr, struct luajit_code *found);

#endif /* COLLECTOR_ARCH_LUAJIT_CODE_H */
