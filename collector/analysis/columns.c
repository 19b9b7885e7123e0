// SPDX-License-Identifier: GPL-2.0
#include "analysis/columns.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/utf8.h"

struct numbers {
	size_t *items;
	size_t nr;
	size_t room;
};

struct layout {
	struct numbers widths;		/* by column */
	struct numbers column_of;	/* by cell, in the order of the text */
	/* The columns of the last line, from left to right. The line before may have had more. */
	struct numbers open;
	size_t nr_cells;		/* of the current line */
};

static bool ends_cell(char c)
{
	return c == '\t' || c == '\v';
}

static bool ends_line(char c)
{
	return c == '\n' || c == '\f';
}

/* Returns the end of the cell, or of the text after the last cell. */
static size_t find_end(const char *text, size_t at, size_t len)
{
	while (at < len && !ends_cell(text[at]) && !ends_line(text[at]))
		at++;
	return at;
}

/* Adds a cell to the column that the last line has at this place, or to a new one. */
static int add_cell(struct layout *l, size_t width)
{
	size_t column = l->widths.nr, zero = 0;

	if (l->nr_cells < l->open.nr)
		column = l->open.items[l->nr_cells];
	else if (ARRAY_APPEND(l->open, &column, 1) || ARRAY_APPEND(l->widths, &zero, 1))
		return -ENOMEM;
	l->nr_cells++;
	if (l->widths.items[column] < width)
		l->widths.items[column] = width;
	return ARRAY_APPEND(l->column_of, &column, 1);
}

static int measure(struct layout *l, const char *text, size_t len)
{
	int err = 0;

	for (size_t at = 0, end; !err && at < len; at = end + 1) {
		end = find_end(text, at, len);
		if (end == len)
			break;
		if (ends_cell(text[end])) {
			err = add_cell(l, utf8_width(text + at, end - at) + 1);
			continue;
		}
		l->open.nr = text[end] == '\f' ? 0 : l->nr_cells;
		l->nr_cells = 0;
	}
	return err;
}

static void print(FILE *out, const struct layout *l, const char *text, size_t len)
{
	size_t cell = 0, end;

	for (size_t at = 0; at < len; at = end + 1) {
		end = find_end(text, at, len);
		if (end < len && ends_cell(text[end])) {
			size_t width = l->widths.items[l->column_of.items[cell++]];

			for (size_t i = utf8_width(text + at, end - at); i < width; i++)
				putc(' ', out);
		}
		fwrite(text + at, 1, end - at, out);
		if (end < len && ends_line(text[end]))
			putc('\n', out);
	}
}

int columns_print(FILE *out, const char *text, size_t len)
{
	struct layout l = { 0 };
	int err = measure(&l, text, len);

	if (!err)
		print(out, &l, text, len);
	free(l.widths.items);
	free(l.column_of.items);
	free(l.open.items);
	return err;
}
