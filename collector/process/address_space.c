// SPDX-License-Identifier: GPL-2.0
#include "process/address_space.h"

#include <errno.h>
#include <stdlib.h>

/*
 * A program that maps in a loop begins thousands of spaces in a drain, and may have
 * as many mappings, each of which is told when it forks.
 */
#define MAX_LATE_SPACES	64

void spaces_fini(struct spaces *s)
{
	free(s->by_id);
	*s = (struct spaces){ 0 };
}

static int take_id(struct spaces *s, struct space *space)
{
	struct space **by_id;

	while (s->first_free < s->nr && s->by_id[s->first_free])
		s->first_free++;
	if (s->first_free == s->nr) {
		by_id = reallocarray(s->by_id, s->nr + 1, sizeof(struct space *));
		if (!by_id)
			return -ENOMEM;
		s->by_id = by_id;
		s->nr++;
	}
	space->id = s->first_free++;
	s->by_id[space->id] = space;
	return 0;
}

static void free_space(struct spaces *s, struct space *space)
{
	s->by_id[space->id] = NULL;
	if (space->id < s->first_free)
		s->first_free = space->id;
	s->past_bytes -= space->past_bytes;
	maps_free(space->maps);
	free(space);
}

static void make_past(struct spaces *s, struct space *space)
{
	space->past_bytes = sizeof(*space) + maps_bytes(space->maps);
	s->past_bytes += space->past_bytes;
}

/* With a copy of `from` (NULL: nothing is mapped), after the one at *link, if any. */
static int add_space(struct spaces *s, struct space **link, struct image *image,
		     const struct maps *from, uint64_t since_ns)
{
	struct space *space = calloc(1, sizeof(*space));

	if (!space)
		return -ENOMEM;
	space->maps = from ? maps_copy(from) : maps_new();
	if (!space->maps || take_id(s, space)) {
		maps_free(space->maps);
		free(space);
		return -ENOMEM;
	}
	space->image = image;
	space->since_ns = since_ns;
	space->before = *link;
	*link = space;
	return 0;
}

int spaces_begin(struct spaces *s, struct space **newest, struct image *image)
{
	return add_space(s, newest, image, NULL, 0);
}

void spaces_end(struct spaces *s, struct space *newest)
{
	struct space *space, *before;

	for (space = newest; space; space = before) {
		before = space->before;
		free_space(s, space);
	}
}

void spaces_end_past(struct spaces *s, struct space *newest)
{
	spaces_end(s, newest->before);
	newest->before = NULL;
}

/* From a time on the space at *link is another; the older one is past, if it was not. */
static int cut_space(struct spaces *s, struct space **link, const struct maps *from,
		     uint64_t since_ns)
{
	struct space *older = *link;
	int err = add_space(s, link, older->image, from, since_ns);

	if (err)
		return err;
	if (older->past_bytes)
		make_past(s, *link);
	else
		make_past(s, older);
	return 0;
}

int spaces_insert(struct spaces *s, struct space **newest, const struct maps_range *range)
{
	struct space **link = newest;
	int nr_late = 0, err = 0;

	if (range->start >= range->end)
		return 0;
	for (; (*link)->since_ns > range->since_ns && (*link)->before; link = &(*link)->before) {
		if (nr_late++ == MAX_LATE_SPACES)
			return 0;
		err = maps_insert_late((*link)->maps, range);
		if (err < 0)
			return err;
	}
	if (maps_replaces((*link)->maps, range))
		err = cut_space(s, link, (*link)->maps, range->since_ns);
	if (err >= 0)
		err = maps_insert_late((*link)->maps, range);
	return err < 0 ? err : 0;
}

int spaces_renew(struct spaces *s, struct space **newest, const struct maps *maps,
		 uint64_t since_ns)
{
	if (since_ns < (*newest)->since_ns)
		since_ns = (*newest)->since_ns;
	return cut_space(s, newest, maps, since_ns);
}

const struct space *spaces_at(const struct space *newest, uint64_t time_ns)
{
	const struct space *space = newest;

	while (space->since_ns > time_ns && space->before)
		space = space->before;
	return space;
}
