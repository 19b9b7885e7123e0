/* SPDX-License-Identifier: GPL-2.0 */
/* An unwind table of uapi/pprof_table.h. It is checked once, then searched. */
#ifndef PPROF_TABLE_H
#define PPROF_TABLE_H

#include <linux/types.h>

#include "uapi/pprof_table.h"

/* Points into the memory of the table, which it does not own. */
struct pprof_table {
	u64 start;		/* file offset of the first page */
	u64 text_bytes;		/* bytes of all pages */
	const struct pprof_rule *rules;
	const u32 *pages;
	const struct pprof_row *rows;
	u32 nr_rules;
	bool keeps_base;		/* PPROF_TABLE_BASE */
};

/*
 * Checks all @bytes of @data against uapi/pprof_table.h. @data is 8-aligned, and user space cannot
 * write to it. The caller owns it, keeps it unchanged, and frees it after the table.
 * Returns: 0, or -EINVAL.
 * Sleeps.
 */
int pprof_table_init(struct pprof_table *table, const void *data, u32 bytes);

/*
 * Returns the rule for the instruction at @offset of the file, or NULL: outside the pages. The rule
 * is in the table, or in @room, which the caller owns.
 * Context: any.
 */
const struct pprof_rule *pprof_table_find(const struct pprof_table *table, u64 offset,
					  struct pprof_rule *room);

#endif
