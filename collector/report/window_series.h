/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Splits the stacks of a window by the labels of their samples: each series gets a file of its own.
 */
#ifndef COLLECTOR_WINDOW_SERIES_H
#define COLLECTOR_WINDOW_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "aggregate/label_sets.h"
#include "base/string_table.h"
#include "base/tuple_map.h"

/* Limit of series. The smallest ones beyond it, and samples without the labels, are the rest. */
#define WINDOW_SERIES_MAX	256
#define WINDOW_SERIES_REST	UINT32_MAX

struct window_series_item {
	const char *name;	/* value of the label that splits */
	pid_t pid;		/* 0: the series has all processes with that label */
	uint64_t count;		/* weight of its samples */
	bool is_rest;		/* its samples are in the rest */
};

/* All zeroes is empty. */
struct window_series {
	struct {
		struct window_series_item *items;
		size_t nr;
		size_t room;
	} list;
	size_t nr_rest;		/* items that are in the rest */
	uint64_t rest_count;	/* weight of the samples in the rest */
	uint32_t *by_labels;	/* index in list, or WINDOW_SERIES_REST, by number of a label set */
	struct strtab *names;
};

/*
 * Splits stacks, whose tags are label sets of labels, by their label key, and also by pid if
 * has_pid. s is empty. The caller frees it with window_series_fini(), also after a failure.
 * Returns: 0, or -ENOMEM.
 */
int window_series_split(struct window_series *s, const struct tuple_map *stacks,
			const struct label_sets *labels, const char *key, bool has_pid);

/* Frees the memory of s. */
void window_series_fini(struct window_series *s);

#endif /* COLLECTOR_WINDOW_SERIES_H */
