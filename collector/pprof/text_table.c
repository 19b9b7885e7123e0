// SPDX-License-Identifier: GPL-2.0
/*
 * Aligns cells with tabs alone. A column is as wide as its widest cell, and at least one tab
 * follows each cell: a cell of 7 characters needs one tab stop of 8, a cell of 8 needs two.
 *
 * As in Go's tabwriter, names need not have one column for the whole table. A column consists of
 * consecutive lines that have a source position after the name. A line without a source position
 * ends the column, and the next line begins a new one.
 */
#include "pprof/text_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "pprof/profile.h"
#include "pprof/text_escape.h"

#define TAB	8

int text_table_add(struct text_table *t, const struct text_table_row *row)
{
	struct text_table_row *rows = array_grow(t->rows, &t->room, t->nr + 1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	t->rows = rows;
	rows[t->nr++] = *row;
	return 0;
}

void text_table_clear(struct text_table *t)
{
	t->nr = 0;
}

void text_table_fini(struct text_table *t)
{
	free(t->rows);
	*t = (struct text_table){ 0 };
}

static size_t name_width(const struct text_table_row *row)
{
	size_t width = text_escape_width(row->name);

	if (row->offset != PROFILE_NO_OFFSET)
		width += snprintf(NULL, 0, "+0x%" PRIx64, row->offset);
	return width;
}

static size_t address_width(const struct text_table_row *row)
{
	return snprintf(NULL, 0, "0x%" PRIx64, row->address);
}

/* Fills a cell of this width up to the next column. widest is the widest cell of the column. */
static void put_tabs(FILE *out, size_t width, size_t widest)
{
	size_t column = (widest + 1 + TAB - 1) / TAB * TAB;

	for (size_t at = width; at < column; at += TAB)
		fputc('\t', out);
}

static void put_row(FILE *out, const struct text_table_row *row, size_t widest_address,
		    size_t widest_name)
{
	fprintf(out, "#\t0x%" PRIx64, row->address);
	put_tabs(out, address_width(row), widest_address);
	text_escape_put(out, row->name, " ");
	if (row->offset != PROFILE_NO_OFFSET)
		fprintf(out, "+0x%" PRIx64, row->offset);
	if (row->file[0]) {
		put_tabs(out, name_width(row), widest_name);
		text_escape_put(out, row->file, " ");
		fprintf(out, ":%" PRId64, row->line);
	}
	fputc('\n', out);
}

static size_t widest_address(const struct text_table *t)
{
	size_t widest = 0, width;

	for (size_t i = 0; i < t->nr; i++) {
		width = address_width(&t->rows[i]);
		widest = width > widest ? width : widest;
	}
	return widest;
}

/* Of the column of names that begins at row first. */
static size_t widest_name(const struct text_table *t, size_t first)
{
	size_t widest = 0, width;

	for (size_t i = first; i < t->nr && t->rows[i].file[0]; i++) {
		width = name_width(&t->rows[i]);
		widest = width > widest ? width : widest;
	}
	return widest;
}

void text_table_write(const struct text_table *t, FILE *out)
{
	size_t address = widest_address(t), name = 0;

	for (size_t i = 0; i < t->nr; i++) {
		if (!i || !t->rows[i - 1].file[0])
			name = widest_name(t, i);
		put_row(out, &t->rows[i], address, name);
	}
}
