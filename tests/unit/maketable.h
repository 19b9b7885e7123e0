/* SPDX-License-Identifier: GPL-2.0 */
/* Makes unwind tables by hand. */
#ifndef TESTS_MAKETABLE_H
#define TESTS_MAKETABLE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pprof_table.h"

/* A row begins at an offset in the file; those of a table are in its order. */
struct row {
	uint64_t offset;
	struct pprof_rule rule;
};

static inline uint32_t table_bytes(const struct pprof_table_head *head)
{
	uint64_t sum = sizeof(*head) + head->nr_rules * sizeof(struct pprof_rule) +
		       (head->nr_pages + 1ULL) * 4 + head->nr_rows * 3ULL;

	return (sum + 7) / 8 * 8;
}

static inline struct pprof_rule *table_rules(void *table)
{
	return (struct pprof_rule *)((struct pprof_table_head *)table + 1);
}

static inline uint32_t *table_pages(void *table)
{
	return (uint32_t *)(table_rules(table) + ((struct pprof_table_head *)table)->nr_rules);
}

static inline uint16_t *table_row_rules(void *table)
{
	return (uint16_t *)(table_pages(table) + ((struct pprof_table_head *)table)->nr_pages + 1);
}

static inline uint8_t *table_row_lows(void *table)
{
	return (uint8_t *)(table_row_rules(table) + ((struct pprof_table_head *)table)->nr_rows);
}

/*
 * A table of nr_pages that begins at the first row, each row with a rule of its
 * own. The caller frees it.
 */
static inline void *make_table(const struct row *rows, uint32_t nr_rows, uint32_t nr_pages,
			       uint32_t flags)
{
	struct pprof_table_head head = {
		.magic = PPROF_TABLE_MAGIC, .start = rows[0].offset, .nr_pages = nr_pages,
		.nr_rows = nr_rows, .nr_rules = nr_rows, .flags = flags,
	};
	uint32_t page, row = 0;
	void *table;

	head.bytes = table_bytes(&head);
	table = calloc(1, head.bytes);
	memcpy(table, &head, sizeof(head));
	for (page = 0; page < nr_pages; page++) {
		for (; row < nr_rows && (rows[row].offset - head.start) / 256 == page; row++) {
			table_rules(table)[row] = rows[row].rule;
			table_row_rules(table)[row] = row;
			table_row_lows(table)[row] = rows[row].offset % 256;
		}
		table_pages(table)[page + 1] = row;
	}
	return table;
}

#endif
