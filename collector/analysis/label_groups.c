// SPDX-License-Identifier: GPL-2.0
#include "analysis/label_groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/model.h"

/* The text of a group, in the buffer of all groups. */
struct group {
	size_t start;
	size_t len;
};

uint32_t label_groups_nr_texts(const struct model_label *labels, uint32_t nr)
{
	uint32_t i = 0;

	while (i < nr && !labels[i].is_number)
		i++;
	return i;
}

/* Returns the number of labels that have the key of the first one. */
static uint32_t group_len(const struct model_label *labels, uint32_t nr)
{
	uint32_t i = 1;

	while (i < nr && labels[i].key == labels->key)
		i++;
	return i;
}

static int compare_groups(const void *left, const void *right, void *ctx)
{
	const struct group *a = left, *b = right;
	const char *bytes = ctx;
	int order = memcmp(bytes + a->start, bytes + b->start, a->len < b->len ? a->len : b->len);

	return order ?: (a->len > b->len) - (a->len < b->len);
}

/* Prints the groups one after the other. Returns: their number. */
static size_t print_groups(FILE *text, struct group *groups, const struct model *m,
			   const struct model_label *labels, uint32_t nr,
			   const struct label_printer *printer)
{
	size_t nr_groups = 0;

	for (uint32_t i = 0, len; i < nr; i += len) {
		struct group *g = &groups[nr_groups++];

		len = group_len(labels + i, nr - i);
		g->start = ftell(text);
		printer->print(text, m, labels + i, len, printer->ctx);
		g->len = ftell(text) - g->start;
	}
	return nr_groups;
}

static void put_sorted(FILE *out, char *bytes, struct group *groups, size_t nr,
		       const char *separator)
{
	qsort_r(groups, nr, sizeof(*groups), compare_groups, bytes);
	for (size_t i = 0; i < nr; i++) {
		if (i)
			fputs(separator, out);
		fwrite(bytes + groups[i].start, 1, groups[i].len, out);
	}
}

static int print_sorted(FILE *out, const struct model *m, const struct model_label *labels,
			uint32_t nr, const struct label_printer *printer)
{
	struct group *groups = malloc(nr * sizeof(*groups));
	char *bytes = NULL;
	size_t len = 0, nr_groups = 0;
	FILE *text = groups ? open_memstream(&bytes, &len) : NULL;
	int err = -ENOMEM;

	if (text) {
		nr_groups = print_groups(text, groups, m, labels, nr, printer);
		err = fclose(text) ? -ENOMEM : 0;
	}
	if (!err)
		put_sorted(out, bytes, groups, nr_groups, printer->separator);
	free(bytes);
	free(groups);
	return err;
}

int label_groups_print(FILE *out, const struct model *m, const struct model_label *labels,
		       uint32_t nr, const struct label_printer *printer)
{
	if (nr && group_len(labels, nr) < nr)
		return print_sorted(out, m, labels, nr, printer);
	if (nr)
		printer->print(out, m, labels, nr, printer->ctx);
	return 0;
}
