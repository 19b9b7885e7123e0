/* SPDX-License-Identifier: GPL-2.0 */
/* Makes unwind tables from a list of rows; see uapi/pprof_table.h. */
#ifndef TESTS_MAKETABLE_H
#define TESTS_MAKETABLE_H

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pprof_table.h"

/* The rule from this file offset on. The rows of a table are in the order of their offsets. */
struct row {
	uint64_t offset;
	struct pprof_rule rule;
};

static inline uint32_t table_bytes(const struct pprof_table_head *head)
{
	uint64_t sum = sizeof(*head) + head->nr_rules * sizeof(struct pprof_rule) +
		       (head->nr_pages + 1ULL) * 4 +
		       head->nr_rows * (uint64_t)sizeof(struct pprof_row);

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

static inline struct pprof_row *table_rows(void *table)
{
	uint32_t nr_pages = ((struct pprof_table_head *)table)->nr_pages;

	return (struct pprof_row *)(table_pages(table) + nr_pages + 1);
}

/* code is the number of a rule, or a plain rule. */
static inline void table_set_rule(void *table, uint32_t row, uint16_t code)
{
	struct pprof_row *to = &table_rows(table)[row];

	to->rule[0] = code & 0xff;
	to->rule[1] = code >> 8;
}

/*
 * Returns a table of nr_pages that begins at the first row. Each row has a rule of its own.
 * The caller frees the table.
 */
static inline void *make_table(const struct row *rows, uint32_t nr_rows, uint32_t nr_pages,
			       uint32_t flags)
{
	struct pprof_table_head head = {
		.magic = PPROF_TABLE_MAGIC, .start = rows[0].offset, .nr_pages = nr_pages,
		.nr_rows = nr_rows, .nr_rules = nr_rows,
		.machine = EM_X86_64, .flags = flags,
	};
	uint32_t page, row = 0;
	void *table;

	head.bytes = table_bytes(&head);
	table = calloc(1, head.bytes);
	memcpy(table, &head, sizeof(head));
	for (page = 0; page < nr_pages; page++) {
		for (; row < nr_rows && (rows[row].offset - head.start) / 256 == page; row++) {
			table_rules(table)[row] = rows[row].rule;
			table_set_rule(table, row, row);
			table_rows(table)[row].low = rows[row].offset % 256;
		}
		table_pages(table)[page + 1] = row;
	}
	return table;
}

#endif
