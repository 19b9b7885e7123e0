/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints the labels of a sample. All labels with the same key are a group and have one text. Groups
 * are sorted by their text, as in Go's pprof, and not by their key.
 */
#ifndef COLLECTOR_ANALYSIS_LABEL_GROUPS_H
#define COLLECTOR_ANALYSIS_LABEL_GROUPS_H

#include <stdint.h>
#include <stdio.h>

struct model;
struct model_label;

struct label_printer {
	/* Prints a group of nr labels. ctx is that of the printer. */
	void (*print)(FILE *out, const struct model *m, const struct model_label *labels,
		      uint32_t nr, const void *ctx);
	const void *ctx;
	const char *separator;	/* between two groups */
};

/* Returns how many labels of a label set are texts: they are before the numbers. */
uint32_t label_groups_nr_texts(const struct model_label *labels, uint32_t nr);

/*
 * Prints labels of a label set, either its texts or its numbers.
 * Returns: 0; or -ENOMEM, and nothing was printed.
 */
int label_groups_print(FILE *out, const struct model *m, const struct model_label *labels,
		       uint32_t nr, const struct label_printer *printer);

#endif /* COLLECTOR_ANALYSIS_LABEL_GROUPS_H */
