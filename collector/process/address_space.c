// SPDX-License-Identifier: GPL-2.0
#include "process/address_space.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Limit of epochs that a late mapping corrects. A program that maps in a loop begins thousands of
 * epochs in a drain. If it forks, each of its mappings may be late, and would correct all of them.
 */
#define MAX_LATE_EPOCHS	64

void address_spaces_fini(struct address_spaces *s)
{
	free(s->by_id);
	*s = (struct address_spaces){ 0 };
}

static int take_id(struct address_spaces *s, struct address_space *epoch)
{
	struct address_space **by_id;

	while (s->first_free < s->nr && s->by_id[s->first_free])
		s->first_free++;
	if (s->first_free == s->nr) {
		by_id = reallocarray(s->by_id, s->nr + 1, sizeof(struct address_space *));
		if (!by_id)
			return -ENOMEM;
		s->by_id = by_id;
		s->nr++;
	}
	epoch->id = s->first_free++;
	s->by_id[epoch->id] = epoch;
	return 0;
}

static void free_epoch(struct address_spaces *s, struct address_space *epoch)
{
	s->by_id[epoch->id] = NULL;
	if (epoch->id < s->first_free)
		s->first_free = epoch->id;
	s->past_bytes -= epoch->past_bytes;
	maps_free(epoch->maps);
	free(epoch);
}

/* Counts the memory of an epoch that a later one follows. */
static void make_past(struct address_spaces *s, struct address_space *epoch)
{
	epoch->past_bytes = sizeof(*epoch) + maps_bytes(epoch->maps);
	s->past_bytes += epoch->past_bytes;
}

/* Adds an epoch that follows *link. Its mappings are a copy of from; none if from is NULL. */
static int add_epoch(struct address_spaces *s, struct address_space **link, struct exec_image *exec,
		     const struct maps *from, uint64_t since_ns)
{
	struct address_space *epoch = calloc(1, sizeof(*epoch));

	if (!epoch)
		return -ENOMEM;
	epoch->maps = from ? maps_copy(from) : maps_new();
	if (!epoch->maps || take_id(s, epoch)) {
		maps_free(epoch->maps);
		free(epoch);
		return -ENOMEM;
	}
	epoch->exec = exec;
	epoch->since_ns = since_ns;
	epoch->before = *link;
	*link = epoch;
	return 0;
}

int address_spaces_begin(struct address_spaces *s, struct address_space **newest,
			 struct exec_image *exec)
{
	return add_epoch(s, newest, exec, NULL, 0);
}

void address_spaces_end(struct address_spaces *s, struct address_space *newest)
{
	struct address_space *epoch, *before;

	for (epoch = newest; epoch; epoch = before) {
		before = epoch->before;
		free_epoch(s, epoch);
	}
}

void address_spaces_end_past(struct address_spaces *s, struct address_space *newest)
{
	/* Most have no past. A write would copy a page that a child process shares. */
	if (!newest->before)
		return;
	address_spaces_end(s, newest->before);
	newest->before = NULL;
}

/*
 * Begins an epoch at since_ns, within the time of the one at *link. All epochs of an exec id except
 * the newest are past. If *link is the newest, it becomes past. Otherwise the new epoch is past
 * from the start.
 */
static int cut_epoch(struct address_spaces *s, struct address_space **link, const struct maps *from,
		     uint64_t since_ns)
{
	struct address_space *older = *link;
	int err = add_epoch(s, link, older->exec, from, since_ns);

	if (err)
		return err;
	if (older->past_bytes)
		make_past(s, *link);
	else
		make_past(s, older);
	return 0;
}

int address_spaces_insert(struct address_spaces *s, struct address_space **newest,
			  const struct maps_range *range)
{
	struct address_space **link = newest;
	int nr_late = 0, err = 0;

	if (range->start >= range->end)
		return 0;
	for (; (*link)->since_ns > range->since_ns && (*link)->before; link = &(*link)->before) {
		if (nr_late++ == MAX_LATE_EPOCHS)
			return 0;
		err = maps_insert_late((*link)->maps, range);
		if (err < 0)
			return err;
	}
	if (maps_replaces((*link)->maps, range))
		err = cut_epoch(s, link, (*link)->maps, range->since_ns);
	if (err >= 0)
		err = maps_insert_late((*link)->maps, range);
	return err < 0 ? err : 0;
}

int address_spaces_renew(struct address_spaces *s, struct address_space **newest,
			 const struct maps *maps, uint64_t since_ns)
{
	if (since_ns < (*newest)->since_ns)
		since_ns = (*newest)->since_ns;
	return cut_epoch(s, newest, maps, since_ns);
}

const struct address_space *address_spaces_at(const struct address_space *newest, uint64_t time_ns)
{
	const struct address_space *epoch = newest;

	while (epoch->since_ns > time_ns && epoch->before)
		epoch = epoch->before;
	return epoch;
}
