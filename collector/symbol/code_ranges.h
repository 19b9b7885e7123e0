/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Address ranges of code in the debug info of one file, with limits: many DIEs may refer to one
 * list of ranges, so a small file can stand for any number of them. Ranges of functions that the
 * linker removed are left out.
 */
#ifndef COLLECTOR_CODE_RANGES_H
#define COLLECTOR_CODE_RANGES_H

#include <stdint.h>
#include <elfutils/libdw.h>

#include "base/interval_set.h"

/* The number of ranges so far, for the limits. All zeroes at first. */
struct code_ranges {
	uint32_t nr_kept;
	uint32_t nr_read;
};

/*
 * Adds a range to s. It is left out if it is over a limit, or is of removed code.
 * Returns: 0, or -ENOMEM.
 */
int code_ranges_add(struct code_ranges *r, struct interval_set *s, uint64_t start, uint64_t end,
		    uint32_t id);

/* The same for all ranges of a DIE. */
int code_ranges_add_die(struct code_ranges *r, struct interval_set *s, Dwarf_Die *die, uint32_t id);

/* A range of a unit; unit is the offset of its DIE. Returns: 0, or a negative errno. */
typedef int (*code_ranges_fn)(void *ctx, Dwarf_Off unit, uint64_t start, uint64_t end);

/*
 * Calls fn for each range in .debug_aranges, in the order of addresses, until it fails. A unit in
 * this table has all of its ranges there. They are those of its DIE, but to read an attribute of a
 * DIE, libdw parses all abbreviations of the unit: 25,000 instructions.
 * Returns: 0, also if there is no table or it is damaged; or the error of fn.
 */
int code_ranges_visit_table(Dwarf *dw, code_ranges_fn fn, void *ctx);

#endif /* COLLECTOR_CODE_RANGES_H */
