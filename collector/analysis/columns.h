/* SPDX-License-Identifier: GPL-2.0 */
/* Aligns text in columns, to the right, as Go's text/tabwriter does. */
#ifndef COLLECTOR_ANALYSIS_COLUMNS_H
#define COLLECTOR_ANALYSIS_COLUMNS_H

#include <stddef.h>
#include <stdio.h>

/*
 * Prints len bytes of text. A cell ends with a tab, or a vertical tab. Cells with the same number
 * in consecutive lines are a column. It is one blank wider than its widest cell. Text after the
 * last tab of a line is no cell. A form feed ends a line and all columns.
 * Returns: 0; or -ENOMEM, and nothing was printed.
 */
int columns_print(FILE *out, const char *text, size_t len);

#endif /* COLLECTOR_ANALYSIS_COLUMNS_H */
