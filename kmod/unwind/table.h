/* SPDX-License-Identifier: GPL-2.0 */
/* An unwind table, see uapi/pprof_table.h: checked once, then searched. */
#ifndef PPROF_TABLE_H
#define PPROF_TABLE_H

#include <linux/types.h>

#include "uapi/pprof_table.h"

/* Points into the table's memory, which it does not own. */
struct pprof_table {
	u64 start;		/* file offset of the first page */
	u64 text_bytes;		/* of all pages */
	const struct pprof_rule *rules;
	const u32 *pages;
	const struct pprof_row *rows;
	u32 nr_rules;
	bool keeps_rbx;		/* PPROF_TABLE_RBX */
};

/*
 * Checks all of @data, @bytes long, 8-aligned and out of its author's reach,
 * which must outlive the table and stay as it is. -EINVAL unless it is wholly
 * as uapi/pprof_table.h says. May sleep.
 */
int pprof_table_init(struct pprof_table *table, const void *data, u32 bytes);

/*
 * The rule for the instruction at @offset of the file: in the table, or in @room,
 * which the caller lends. NULL beyond the pages. Any context.
 */
const struct pprof_rule *pprof_table_find(const struct pprof_table *table, u64 offset,
					  struct pprof_rule *room);

#endif
