/* SPDX-License-Identifier: GPL-2.0 */
/* The line table of a compilation unit. */
#ifndef COLLECTOR_LINE_ROW_H
#define COLLECTOR_LINE_ROW_H

#include <elfutils/libdw.h>

#include "base/code_span.h"

/*
 * Finds the row of an address, as dwarf_getsrc_die() does, and narrows span to the addresses of the
 * row. unit is the unit's own DIE.
 * Returns: the row, which libdw owns; NULL if no code is there.
 */
Dwarf_Line *line_row_find(Dwarf_Die *unit, Dwarf_Addr addr, struct code_span *span);

#endif /* COLLECTOR_LINE_ROW_H */
