// SPDX-License-Identifier: GPL-2.0
#include "pprof/text_layout.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

/* Addresses from here on are the kernel's, or not canonical: no code of a program is there. */
#define NO_CODE		(UINT64_C(1) << 63)

/*
 * Ranges that overlap are equal. The tree holds only ranges that do not overlap, so this is an
 * order among them.
 */
static int compare_ranges(const void *left, const void *right)
{
	const struct profile_data_mapping *a = left, *b = right;

	return a->limit <= b->start ? -1 : b->limit <= a->start;
}

static uint64_t take_no_code(struct text_layout *l, uint64_t nr_bytes)
{
	uint64_t start = l->free;

	l->free += nr_bytes;
	return start;
}

/* For tdestroy(): the tree does not own its mappings. */
static void keep(void *mapping)
{
	(void)mapping;
}

static int lay_out_mappings(struct text_layout *l, const struct profile *p)
{
	const struct profile_data_mapping *m, **first;
	void *placed = NULL;
	uint64_t i;

	for (i = 0; i < p->mappings.nr; i++) {
		m = profile_data_mapping_at(p, i + 1);
		first = tsearch(m, &placed, compare_ranges);
		if (!first)
			break;
		l->bases[i] = *first == m ? m->start : take_no_code(l, m->limit - m->start);
	}
	tdestroy(placed, keep);
	return i < p->mappings.nr ? -ENOMEM : 0;
}

static void lay_out_locations(struct text_layout *l, const struct profile *p)
{
	for (uint64_t i = 0; i < p->locations.nr; i++) {
		const struct profile_data_location *location = profile_data_location_at(p, i + 1);
		uint64_t id = location->mapping_id;

		l->addresses[i] = location->address;
		if (id)
			l->addresses[i] += l->bases[id - 1] - profile_data_mapping_at(p, id)->start;
		else if (text_layout_is_no_code(location))
			l->addresses[i] = take_no_code(l, TEXT_LAYOUT_PAGE_BYTES);
	}
}

int text_layout_init(struct text_layout *l, const struct profile *p)
{
	int err;

	*l = (struct text_layout){
		.bases = calloc(p->mappings.nr + 1, sizeof(*l->bases)),
		.addresses = calloc(p->locations.nr + 1, sizeof(*l->addresses)),
		.free = NO_CODE,
	};
	if (!l->bases || !l->addresses)
		return -ENOMEM;
	err = lay_out_mappings(l, p);
	if (!err)
		lay_out_locations(l, p);
	return err;
}

void text_layout_fini(struct text_layout *l)
{
	free(l->bases);
	free(l->addresses);
}
