/* SPDX-License-Identifier: GPL-2.0 */
/* The executable memory of a process, and the table for each part of it. */
#ifndef PPROF_PROCESS_RANGES_H
#define PPROF_PROCESS_RANGES_H

#include <linux/types.h>

#include "uapi/pprof.h"
#include "unwind/table.h"

/* The addresses start to end - 1. */
struct pprof_process_range {
	u64 start;
	u64 end;
	u64 bias;			/* address - offset in the file */
	const struct pprof_table *table;	/* NULL: no table; it outlives this struct */
};

/* Constant once it is filled. */
struct pprof_process_ranges {
	u64 epoch;	/* not 0; unique among all users of a rule cache */
	/* Pages of executable memory that the process had when the ranges were set */
	u64 exec_pages;
	struct pprof_tls_address context;	/* see struct pprof_ranges */
	u32 nr_ranges;
	u32 half;	/* the largest power of two that is not above nr_ranges */
	struct pprof_process_range ranges[];	/* by rising address, without overlap */
};

/*
 * Does @tls follow the rules of pprof.h?
 * Context: any.
 */
bool pprof_tls_address_is_valid(const struct pprof_tls_address *tls);

/*
 * Appends @range with its @table. The caller has copied @range from user space, and there is room
 * for it.
 * Returns: 0, or -EINVAL: not user memory, not after the last range, or padding that is not zero.
 * Context: any, before @process is used.
 */
int pprof_process_ranges_add(struct pprof_process_ranges *process, const struct pprof_range *range,
			     const struct pprof_table *table);

/*
 * A list of ranges that may change: by rising address, without overlap. Only the caller uses it.
 */
struct pprof_range_list {
	struct pprof_process_range *ranges;
	u32 nr;
	u32 room;
};

/*
 * Removes the addresses of @range from @list. A range of the list that loses only a part of its
 * addresses keeps the others, which may be two ranges then. If @add is set, @range is put in there.
 * Returns: true, or false if the result has no room: nothing has changed.
 * Context: any. Takes as long as a copy of the list.
 */
bool pprof_range_list_cut(struct pprof_range_list *list, const struct pprof_process_range *range,
			  bool add);

/*
 * Has @list a range with all addresses of @range, with the same table and bias?
 * Context: any. Reads the whole list.
 */
bool pprof_range_list_has(const struct pprof_range_list *list,
			  const struct pprof_process_range *range);

/*
 * Returns the number of addresses in @list.
 * Context: any. Reads the whole list.
 */
u64 pprof_range_list_bytes(const struct pprof_range_list *list);

/*
 * Sets the number of ranges after they were written into @process.
 * Context: any, before @process is used.
 */
void pprof_process_ranges_set_nr(struct pprof_process_ranges *process, u32 nr);

/*
 * Is @address in @range?
 * Context: any.
 */
static inline bool pprof_process_range_has(const struct pprof_process_range *range, u64 address)
{
	return address - range->start < range->end - range->start;
}

/*
 * Returns the range that contains @address, or NULL.
 * Context: any.
 */
const struct pprof_process_range *
pprof_process_ranges_find(const struct pprof_process_ranges *process, u64 address);

#endif
