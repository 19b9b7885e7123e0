// SPDX-License-Identifier: GPL-2.0
#include "report/window_series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pprof/profile.h"

/* In by_labels: the label set was not looked at yet. */
#define UNKNOWN		(WINDOW_SERIES_REST - 1)

/* The series of a window while they are found. */
struct search {
	struct window_series *s;
	const struct label_sets *labels;
	/* A tuple is a series: the index of its name, its pid. Its id is the index in s->list. */
	struct tuple_map *keys;
	const char *key;	/* of the label that splits */
	bool has_pid;
};

/* Returns the index of a series, and adds it if it is new; or -ENOMEM. */
static int64_t get_series(struct search *search, const char *name, pid_t pid)
{
	int64_t index = strtab_intern(search->s->names, name, strlen(name));
	uint64_t key[2] = { index, pid };
	struct window_series_item new = { .pid = pid };
	int64_t id;

	if (index < 0)
		return index;
	id = tuple_map_add(search->keys, 0, key, 2, 1);
	if (id < 0 || (size_t)id < search->s->list.nr)
		return id;
	new.name = strtab_at(search->s->names, index);
	return ARRAY_APPEND(search->s->list, &new, 1) ? -ENOMEM : id;
}

/*
 * Returns the series of a label set, WINDOW_SERIES_REST if it lacks a label, or -ENOMEM. The name
 * of a process is empty if it ended before it was known.
 */
static int64_t find_series(struct search *search, uint64_t set)
{
	struct profile_label labels[LABELS_MAX];
	size_t nr = labels_get(search->labels, set, labels);
	const char *name = NULL;
	pid_t pid = 0;

	for (size_t i = 0; i < nr; i++) {
		const char *str = labels[i].str;

		if (!name && !strcmp(labels[i].key, search->key) && str && str[0])
			name = str;
		if (search->has_pid && !strcmp(labels[i].key, "pid") && !pid)
			pid = labels[i].num;
	}
	return name && !pid == !search->has_pid ? get_series(search, name, pid)
						: WINDOW_SERIES_REST;
}

static int count_stack(struct search *search, const struct tuple *stack)
{
	uint32_t *series = &search->s->by_labels[stack->tag];
	int64_t id;

	if (*series == UNKNOWN) {
		id = find_series(search, stack->tag);
		if (id < 0)
			return id;
		*series = id;
	}
	if (*series == WINDOW_SERIES_REST)
		search->s->rest_count += stack->count;
	else
		search->s->list.items[*series].count += stack->count;
	return 0;
}

static int by_count(const void *left, const void *right, void *items)
{
	const struct window_series_item *list = items;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (list[a].count != list[b].count)
		return list[a].count > list[b].count ? -1 : 1;
	return a < b ? -1 : 1;
}

/* Moves the smallest series over the limit to the rest. */
static int drop_smallest(struct window_series *s, size_t nr_sets)
{
	uint32_t *order = malloc((s->list.nr + 1) * sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < s->list.nr; i++)
		order[i] = i;
	qsort_r(order, s->list.nr, sizeof(*order), by_count, s->list.items);
	for (size_t i = WINDOW_SERIES_MAX; i < s->list.nr; i++) {
		s->list.items[order[i]].is_rest = true;
		s->rest_count += s->list.items[order[i]].count;
		s->nr_rest++;
	}
	for (size_t set = 0; set < nr_sets; set++)
		if (s->by_labels[set] < UNKNOWN && s->list.items[s->by_labels[set]].is_rest)
			s->by_labels[set] = WINDOW_SERIES_REST;
	free(order);
	return 0;
}

static int split(struct search *search, const struct tuple_map *stacks)
{
	size_t nr_sets = labels_nr(search->labels) + 1;
	struct window_series *s = search->s;
	int err = 0;

	s->by_labels = malloc(nr_sets * sizeof(*s->by_labels));
	s->names = strtab_new();
	search->keys = tuple_map_new(UINT32_MAX >> 1);
	if (!s->by_labels || !s->names || !search->keys)
		return -ENOMEM;
	for (size_t set = 0; set < nr_sets; set++)
		s->by_labels[set] = UNKNOWN;
	for (size_t i = 0; !err && i < tuple_map_nr(stacks); i++)
		err = count_stack(search, tuple_map_at(stacks, i));
	return err ? err : drop_smallest(s, nr_sets);
}

int window_series_split(struct window_series *s, const struct tuple_map *stacks,
			const struct label_sets *labels, const char *key, bool has_pid)
{
	struct search search = {
		.s = s, .labels = labels, .key = key, .has_pid = has_pid,
	};
	int err = split(&search, stacks);

	tuple_map_free(search.keys);
	return err;
}

void window_series_fini(struct window_series *s)
{
	free(s->list.items);
	free(s->by_labels);
	strtab_free(s->names);
	*s = (struct window_series){ 0 };
}
