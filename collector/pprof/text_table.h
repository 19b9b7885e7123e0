/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frames of one stack as lines of text: address, function, and source position, in columns
 * that are aligned with tabs as by Go's text/tabwriter.
 */
#ifndef COLLECTOR_TEXT_TABLE_H
#define COLLECTOR_TEXT_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* One frame. The strings are borrowed. */
struct text_table_row {
	uint64_t address;
	const char *name;
	uint64_t offset;	/* of the address in the function, or PROFILE_NO_OFFSET */
	const char *file;	/* "" if the source position is not known */
	int64_t line;
};

/* All zeroes is an empty table. */
struct text_table {
	struct text_table_row *rows;
	size_t nr;
	size_t room;
};

/*
 * Adds a copy of a row.
 * Returns: 0, or -ENOMEM.
 */
int text_table_add(struct text_table *t, const struct text_table_row *row);

/* Removes all rows, and keeps the memory. */
void text_table_clear(struct text_table *t);

/* Writes the rows, each as "#", a tab and its columns. */
void text_table_write(const struct text_table *t, FILE *out);

/* Frees the memory of t. */
void text_table_fini(struct text_table *t);

#endif /* COLLECTOR_TEXT_TABLE_H */
