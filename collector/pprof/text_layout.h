/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The addresses at which a text profile shows its mappings and locations. The text format has one
 * address space, but a profile may be of several processes.
 *
 * First come, first served: a mapping whose addresses are taken already (by another process) is
 * moved to addresses where no code can be. A frame that is no code at all, such as
 * lostProfileEvent, gets an address there, too.
 */
#ifndef COLLECTOR_TEXT_LAYOUT_H
#define COLLECTOR_TEXT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "pprof/profile_data.h"

/* The size of the address range of a frame that is no code. */
#define TEXT_LAYOUT_PAGE_BYTES	4096

struct text_layout {
	uint64_t *bases;	/* start of each mapping; the index is the id - 1 */
	uint64_t *addresses;	/* of each location; the index is the id - 1 */
	uint64_t free;		/* first address that is not used for moved mappings yet */
};

/*
 * Lays out p. text_layout_fini() frees the layout, also after a failure.
 * Returns: 0, or -ENOMEM.
 */
int text_layout_init(struct text_layout *l, const struct profile *p);

/* Frees the memory of l. l may be all zeroes. */
void text_layout_fini(struct text_layout *l);

/* Is this location no code? Then it is in no mapping, and its address is 0. */
static inline bool text_layout_is_no_code(const struct profile_data_location *location)
{
	return !location->mapping_id && !location->address;
}

#endif /* COLLECTOR_TEXT_LAYOUT_H */
