/* SPDX-License-Identifier: GPL-2.0 */
/* Builds an unwind table (pprof_table.h), row by row, in the order of file offsets. */
#ifndef COLLECTOR_TABLE_BUILDER_H
#define COLLECTOR_TABLE_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "pprof_table.h"

struct table_builder {
	uint64_t start;		/* file offset of the first page */
	uint64_t end;		/* file offset of the end of the text */
	uint64_t last;		/* file offset of the last row */
	uint32_t nr_pages;
	uint32_t nr_begun;	/* pages whose first row is known */
	uint32_t nr;		/* rows */
	uint32_t nr_rules;
	int err;		/* first error; nothing is added after it */
	uint32_t *pages;	/* index of the first row of each page */
	struct pprof_row *rows;
	size_t room;
	uint16_t last_rule;	/* rule of the last row, as the row encodes it */
	uint8_t last_cfa;	/* PPROF_CFA_* of that rule */
	struct pprof_rule *dictionary;	/* rules that no row can hold itself */
	uint16_t *slots;	/* hash table of the dictionary: index + 1 */
	uint64_t bytes[PPROF_NR_CFA];	/* bytes of text by PPROF_CFA_* */
};

/*
 * Begins a table for the text from file offset start to end. Call table_builder_fini() also
 * after an error.
 * Returns: 0, -ENOMEM, or -EFBIG if a table cannot hold that much text.
 */
int table_builder_init(struct table_builder *r, uint64_t start, uint64_t end);

/* Frees what is left of the builder. The table of table_builder_finish() is not touched. */
void table_builder_fini(struct table_builder *r);

/*
 * Adds a rule that holds from file offset `offset` on. Offsets must rise from call to call, and
 * not exceed the end of the text. Equal rules in sequence become one row. If the dictionary is
 * full, the rule becomes PPROF_CFA_UNSUPPORTED. table_builder_finish() returns the errors.
 */
void table_builder_add(struct table_builder *r, uint64_t offset, const struct pprof_rule *rule);

/*
 * Completes the table; its last row holds up to the end of the text. The table comes from
 * malloc(): the caller frees it. *bytes becomes its size.
 * Returns: the table, or NULL with *err set to -ENOMEM or -EFBIG.
 */
void *table_builder_finish(struct table_builder *r, uint16_t flags, uint32_t *bytes, int *err);

#endif /* COLLECTOR_TABLE_BUILDER_H */
