/* SPDX-License-Identifier: GPL-2.0 */
/* Builds an unwind table (pprof_table.h), row by row. */
#ifndef COLLECTOR_ROWS_H
#define COLLECTOR_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "pprof_table.h"

struct rows {
	uint64_t start;		/* file offset of the first page */
	uint64_t end;		/* of the end of the last */
	uint64_t last;		/* of the last row */
	uint32_t nr_pages;
	uint32_t nr_begun;	/* pages that know their first row */
	uint32_t nr;		/* rows */
	uint32_t nr_rules;
	int err;		/* nothing is added any more */
	uint32_t *pages;
	struct pprof_row *rows;
	size_t room;
	uint16_t last_rule;	/* of the last row, as that has it */
	uint8_t last_cfa;	/* the kind of that rule */
	struct pprof_rule *dictionary;	/* of what rows don't hold themselves */
	uint16_t *slots;	/* of the dictionary's hash table */
	uint64_t bytes[PPROF_NR_CFA];	/* of text with a rule of that kind */
};

/*
 * For the text from file offset start to end. 0, or -ENOMEM, or -EFBIG for
 * more than fits into a table. rows_fini() in any case.
 */
int rows_init(struct rows *r, uint64_t start, uint64_t end);
void rows_fini(struct rows *r);

/*
 * The rule holds from a file offset on, which is behind any other's and not
 * behind the text's end. Equal neighbours become one row. Beyond the
 * dictionary's size, rules become PPROF_CFA_UNSUPPORTED. Errors are told by
 * rows_finish().
 */
void rows_add(struct rows *r, uint64_t offset, const struct pprof_rule *rule);

/*
 * The table, malloc()ed, of *bytes; NULL: *err is -ENOMEM or -EFBIG. Its last
 * row holds up to the end.
 */
void *rows_finish(struct rows *r, uint32_t flags, uint32_t *bytes, int *err);

#endif /* COLLECTOR_ROWS_H */
