/* SPDX-License-Identifier: GPL-2.0 */
/* The data of a flame graph page. */
#ifndef COLLECTOR_FLAME_PAGE_DATA_H
#define COLLECTOR_FLAME_PAGE_DATA_H

#include <stdint.h>
#include <stdio.h>

struct flame_tree;

/*
 * Writes the data as JSON. data.js reads it. Its members are columns: arrays of equal length.
 *
 *	types		[name, unit, nanoseconds, bytes] of each sample type: how many
 *			nanoseconds or bytes the unit is, 0 if it is none
 *	type		the index of the one to show first
 *	strings		the texts to which the other members refer
 *	categories	names, largest first
 *	frames		name, module, file, category, synthetic (0 or 1)
 *	nodes		in preorder: up, the levels from the node before to the parent;
 *			frame, twice the frame plus 1 if it is inlined
 *	samples		node, the difference to the one before; labels, a label set;
 *			values, an array for each sample type
 *	labels		the label sets: key, value, key, value, ...
 *	base		by label set: 1 if it is of the base of a comparison
 *
 * Returns: 0, or -ENOMEM. Write errors are left in out.
 */
int flame_page_data_json(FILE *out, struct flame_tree *t, uint32_t type);

/* Writes the same data, compressed by zlib (RFC 1950), as base64. Returns: 0, or -ENOMEM. */
int flame_page_data_write(FILE *out, struct flame_tree *t, uint32_t type);

#endif /* COLLECTOR_FLAME_PAGE_DATA_H */
