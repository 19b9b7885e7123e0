/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The units of numbers in labels. A report has one unit for a key: the first one that a sample has.
 * If no sample has one, it is "bytes" for the keys "alignment" and "request", else the key itself.
 *
 * Go's pprof finds the units before all filters, and uses them in filters and reports.
 */
#ifndef COLLECTOR_ANALYSIS_LABEL_UNITS_H
#define COLLECTOR_ANALYSIS_LABEL_UNITS_H

#include <stddef.h>
#include <stdint.h>

struct model;

/* All members are private. */
struct label_units {
	uint32_t *of_key;	/* by string of the model: a string, or 0 */
	size_t nr;
};

/*
 * Finds the units of all keys. label_units_fini() frees them, also after an error.
 * Returns: 0, or -ENOMEM.
 */
int label_units_init(struct label_units *u, const struct model *m);

/* Frees the memory. u may be all zeroes. */
void label_units_fini(struct label_units *u);

/*
 * The unit of a key, which is a string of the model that u was made from. The strings of the model
 * own the unit.
 */
const char *label_units_get(const struct label_units *u, const struct model *m, uint32_t key);

#endif /* COLLECTOR_ANALYSIS_LABEL_UNITS_H */
