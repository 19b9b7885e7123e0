// SPDX-License-Identifier: GPL-2.0
#include "aggregate/compaction.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "aggregate/label_sets.h"
#include "aggregate/locations.h"
#include "aggregate/source_stacks.h"
#include "base/tuple_map.h"
#include "process/processes.h"

/* Smaller tables are not compacted. Locations with names take some 400 bytes each: 6 MB. */
#define FEW_LOCATIONS	16384
#define FEW_LABELS	4096

/* The new numbers, by the old ones. mark() sets 1 for those in use, then number() numbers them. */
struct numbers {
	uint32_t *locations;	/* LOCATIONS_REMOVED: the location is removed */
	uint32_t *labels;	/* 0: the set is removed */
	size_t nr_locations;
	size_t nr_labels;	/* without number 0, which is the empty set */
};

static void mark(struct numbers *n, const struct tuple_map *stacks)
{
	for (size_t i = 0; i < tuple_map_nr(stacks); i++) {
		const struct tuple *stack = tuple_map_at(stacks, i);

		n->labels[stack->tag] = 1;
		for (uint32_t frame = 0; frame < stack->nr_frames; frame++)
			n->locations[stack->frames[frame]] = 1;
	}
}

/* Replaces the marks by numbers. */
static void number(struct numbers *n, size_t nr_locations, size_t nr_labels)
{
	for (size_t id = 0; id < nr_locations; id++)
		n->locations[id] = n->locations[id] ? n->nr_locations++ : LOCATIONS_REMOVED;
	n->labels[0] = 0;
	for (size_t set = 1; set <= nr_labels; set++)
		n->labels[set] = n->labels[set] ? ++n->nr_labels : 0;
}

/* Copies a stack with the new numbers. Different stacks stay different, so the ids stay, too. */
static int renumber_stack(const struct numbers *n, struct tuple_map *to, const struct tuple *stack)
{
	uint64_t locations[STACK_LOCATOR_MAX];
	int64_t id;

	for (uint32_t frame = 0; frame < stack->nr_frames; frame++)
		locations[frame] = n->locations[stack->frames[frame]];
	id = tuple_map_add(to, n->labels[stack->tag], locations, stack->nr_frames, stack->count);
	return id < 0 ? id : 0;
}

static int renumber(const struct numbers *n, struct source_stacks *s)
{
	struct tuple_map *to = tuple_map_new(s->max_stacks);
	int err = to ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < tuple_map_nr(s->located); i++)
		err = renumber_stack(n, to, tuple_map_at(s->located, i));
	if (err) {
		tuple_map_free(to);
		return err;
	}
	tuple_map_free(s->located);
	s->located = to;
	return 0;
}

static size_t next_run(size_t nr, size_t few)
{
	return 2 * nr > few ? 2 * nr : few;
}

static bool is_running(void *processes, const struct labels_owner *owner)
{
	return processes_has(processes, owner->pid, owner->exec_id);
}

static int run(struct numbers *n, const struct compaction_parts *parts)
{
	size_t nr_locations = locations_nr(parts->locations), nr_labels = labels_nr(parts->labels);
	int err;

	n->locations = calloc(nr_locations + 1, sizeof(*n->locations));
	n->labels = calloc(nr_labels + 1, sizeof(*n->labels));
	if (!n->locations || !n->labels)
		return -ENOMEM;
	for (size_t i = 0; i < parts->nr; i++)
		mark(n, parts->sources[i]->located);
	number(n, nr_locations, nr_labels);
	err = locations_keep(parts->locations, n->locations, parts->main_mapping);
	if (!err)
		err = labels_keep(parts->labels, n->labels, is_running, parts->processes);
	for (size_t i = 0; !err && i < parts->nr; i++)
		err = renumber(n, parts->sources[i]);
	return err;
}

int compaction_run(struct compaction *c, const struct compaction_parts *parts, bool is_due)
{
	struct numbers numbers = { 0 };
	int err;

	if (!is_due && locations_nr(parts->locations) <= next_run(c->nr_locations, FEW_LOCATIONS) &&
	    labels_nr(parts->labels) <= next_run(c->nr_labels, FEW_LABELS))
		return 0;
	err = run(&numbers, parts);
	c->nr_locations = numbers.nr_locations;
	c->nr_labels = numbers.nr_labels;
	free(numbers.locations);
	free(numbers.labels);
	return err;
}
