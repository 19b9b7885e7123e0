// SPDX-License-Identifier: GPL-2.0
#include "symbol/line_row.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns how many rows are at addr or below. libdw has sorted them by address. */
static size_t nr_rows_up_to(Dwarf_Lines *rows, size_t nr, Dwarf_Addr addr)
{
	size_t low = 0, high = nr;
	Dwarf_Addr at;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (!dwarf_lineaddr(dwarf_onesrcline(rows, mid), &at) && at <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

Dwarf_Line *line_row_find(Dwarf_Die *unit, Dwarf_Addr addr, struct code_span *span)
{
	Dwarf_Addr start = 0, end = UINT64_MAX;
	Dwarf_Line *row = NULL;
	bool is_end = true;
	Dwarf_Lines *rows;
	size_t nr, up_to;

	if (dwarf_getsrclines(unit, &rows, &nr))
		return NULL;
	up_to = nr_rows_up_to(rows, nr, addr);
	if (up_to) {
		row = dwarf_onesrcline(rows, up_to - 1);
		dwarf_lineaddr(row, &start);
		dwarf_lineendsequence(row, &is_end);
	}
	if (up_to < nr)
		dwarf_lineaddr(dwarf_onesrcline(rows, up_to), &end);
	code_span_pass(span, addr, start, end);
	return is_end ? NULL : row;
}
