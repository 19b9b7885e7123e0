// SPDX-License-Identifier: GPL-2.0
#include "collect.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "blockclass.h"
#include "ends.h"
#include "kinds.h"
#include "lifetimes.h"
#include "threadstate.h"
#include "values.h"

/* Raw stacks before they are moved: 16 Ki of 20 frames are 3 MiB. */
#define MAX_RAW		(16U << 10)
#define MAX_DEAD	256
#define MAX_PLACES	(PPROF_MAX_FRAMES + 1)	/* and why it is truncated */

/*
 * A raw stack's tag: address space, whether its leaf is a return address,
 * labels (see labels.c for their number), and why it ends.
 */
#define TAG(space, is_return, labels, end)					\
	((uint64_t)(space) << 32 | (uint64_t)(is_return) << 31 | (uint64_t)(labels) << 4 | (end))
#define TAG_SPACE(tag)		((uint32_t)((tag) >> 32))
#define TAG_IS_RETURN(tag)	((tag) >> 31 & 1)
#define TAG_LABELS(tag)		((uint32_t)(tag) << 1 >> 5)
#define TAG_END(tag)		((tag) & 15)

struct per_source {
	struct stacks *raw;
	struct stacks *places;
	struct values raw_values;
	struct values values;	/* of places */
	struct collect_counts counts;
	uint64_t *truncated_in;	/* by file, in units of weight */
	size_t truncated_room;
};

struct collect {
	struct collect_parts parts;
	struct per_source sources[PPROF_NR_SOURCES];
	struct lifetimes lifetimes;	/* of threads, where parts.live asks for them */
	uint64_t ignored_image;
	int64_t exe_mapping;	/* of the locations; negative: not known */
	uint64_t nr_life;
	uint64_t nr_dropped;
	const struct pprof_event **life;	/* of one drain */
	size_t life_room;
	uint64_t *heads;
	uint32_t nr_heads;
};

static int init_source(const struct collect *c, struct per_source *s, const struct kind *kind)
{
	s->raw = stacks_new(MAX_RAW);
	s->places = stacks_new(c->parts.max_stacks);
	s->raw_values.nr = kind->nr_values;
	s->values.nr = kind->nr_values;
	return s->raw && s->places ? 0 : -ENOMEM;
}

/* Of whose stacks lifetimes are told; NULL: nobody asked. */
static struct per_source *lifetimes_source(struct collect *c)
{
	return c->parts.live ? &c->sources[PPROF_SOURCE_THREADCREATE] : NULL;
}

struct collect *collect_new(const struct collect_parts *parts)
{
	struct collect *c = calloc(1, sizeof(*c));
	struct per_source *threads;
	int err = 0;

	if (!c)
		return NULL;
	c->parts = *parts;
	c->exe_mapping = -1;
	for (int i = 0; !err && i < PPROF_NR_SOURCES; i++)
		err = init_source(c, &c->sources[i], kinds_get(i, parts->live));
	threads = lifetimes_source(c);
	if (!err && threads)
		err = lifetimes_init(&c->lifetimes, &threads->raw_values, &threads->values);
	if (!err)
		return c;
	collect_free(c);
	return NULL;
}

void collect_free(struct collect *c)
{
	if (!c)
		return;
	for (int i = 0; i < PPROF_NR_SOURCES; i++) {
		stacks_free(c->sources[i].raw);
		stacks_free(c->sources[i].places);
		values_fini(&c->sources[i].raw_values);
		values_fini(&c->sources[i].values);
		free(c->sources[i].truncated_in);
	}
	lifetimes_fini(&c->lifetimes);
	free(c->life);
	free(c->heads);
	free(c);
}

void collect_ignore_image(struct collect *c, uint64_t image)
{
	c->ignored_image = image;
}

/*
 * Is the first frame a return address? It is where something happens in a system
 * call, and is not for a tick, which counts the time at the address, or a fault.
 */
static bool leaf_is_return(const struct pprof_sample *sample)
{
	if (sample->source == PPROF_SOURCE_BLOCK || sample->source == PPROF_SOURCE_GROWTH)
		return sample->arg != PPROF_NO_SYSCALL;
	if (sample->source == PPROF_SOURCE_THREAD || sample->source == PPROF_SOURCE_WALL)
		return threadstate_in_syscall(sample->arg);
	return sample->source == PPROF_SOURCE_THREADCREATE ||
	       sample->source == PPROF_SOURCE_MUTEX || sample->source == PPROF_SOURCE_CUSTOM;
}

/* The first program that is known: of --all, there may be some that ended too soon. */
static int find_exe(struct collect *c, uint32_t space)
{
	const struct maps *maps = procs_maps(c->parts.procs, space);
	uint32_t exe = procs_exe(c->parts.procs, space);

	if (exe == FILES_NONE || c->exe_mapping >= 0)
		return 0;
	for (size_t i = 0; i < maps_nr(maps); i++) {
		if (maps_at(maps, i)->file != exe)
			continue;
		c->exe_mapping = locations_mapping(c->parts.locations, maps_at(maps, i));
		return c->exe_mapping < 0 ? c->exe_mapping : 0;
	}
	return 0;
}

/*
 * The places of a raw stack, leaf first. A return address names the
 * instruction after the call, which may be another line's or function's; the
 * byte before it is the call's.
 */
static int find_places(struct collect *c, const struct stack *raw, uint64_t *places)
{
	const struct maps *maps = procs_maps(c->parts.procs, TAG_SPACE(raw->tag));
	uint32_t end = TAG_END(raw->tag), nr = raw->nr_frames;
	int64_t id;

	for (uint32_t i = 0; i < nr; i++) {
		bool is_return = i || TAG_IS_RETURN(raw->tag);

		id = locations_intern(c->parts.locations, maps, raw->frames[i] - is_return);
		if (id < 0)
			return id;
		places[i] = id;
	}
	if (end == PPROF_END_COMPLETE && nr)
		return nr;
	id = locations_synthetic(c->parts.locations, ends_root(end));
	if (id < 0)
		return id;
	places[nr] = id;
	return nr + 1;
}

/* Where the last frame is that was found: its caller was not. */
static int count_truncated(struct collect *c, struct per_source *s, uint64_t place, uint64_t count)
{
	uint32_t file = locations_file(c->parts.locations, place);
	size_t room = s->truncated_in ? s->truncated_room : 0;
	uint64_t *truncated_in = array_grow(s->truncated_in, &s->truncated_room, (size_t)file + 1,
					    sizeof(*truncated_in));

	if (!truncated_in)
		return -ENOMEM;
	memset(truncated_in + room, 0, (s->truncated_room - room) * sizeof(*truncated_in));
	s->truncated_in = truncated_in;
	truncated_in[file] += count;
	return 0;
}

/* Tells the id of the stack that it is now: negative, there was no room. */
static int flush_stack(struct collect *c, struct per_source *s, size_t raw_id, int64_t *id)
{
	const struct stack *raw = stacks_at(s->raw, raw_id);
	uint64_t places[MAX_PLACES];
	int nr, err = find_exe(c, TAG_SPACE(raw->tag));

	if (err)
		return err;
	nr = find_places(c, raw, places);
	if (nr < 0)
		return nr;
	if (TAG_END(raw->tag) != PPROF_END_COMPLETE && raw->nr_frames)
		err = count_truncated(c, s, places[raw->nr_frames - 1], raw->count);
	*id = stacks_add(s->places, TAG_LABELS(raw->tag), places, nr, raw->count);
	if (*id == -ENOSPC)
		s->counts.over_max += raw->count;
	else if (*id < 0)
		err = *id;
	else if (!err)
		err = values_add(&s->values, *id, values_at(&s->raw_values, raw_id));
	return err;
}

static int flush_source(struct collect *c, struct per_source *s)
{
	size_t nr = stacks_nr(s->raw);
	int64_t *ids = nr ? malloc(nr * sizeof(*ids)) : NULL;
	int err = nr && !ids ? -ENOMEM : 0;

	for (size_t i = 0; !err && i < nr; i++)
		err = flush_stack(c, s, i, &ids[i]);
	if (!err && s == lifetimes_source(c))
		lifetimes_move(&c->lifetimes, ids);
	free(ids);
	if (!err) {
		stacks_clear(s->raw);
		values_clear(&s->raw_values);
	}
	return err;
}

/* While samples are being taken, even the dead are still needed. */
static int flush_sources(struct collect *c)
{
	int err = 0;

	procs_find_perfmaps(c->parts.procs);
	for (uint32_t source = 0; !err && source < PPROF_NR_SOURCES; source++)
		err = flush_source(c, &c->sources[source]);
	return err;
}

int collect_flush(struct collect *c)
{
	int err = flush_sources(c);

	if (!err)
		procs_forget_dead(c->parts.procs);
	return err;
}

int collect_finish(struct collect *c)
{
	int err = collect_flush(c);

	for (uint32_t source = 0; !err && source < PPROF_NR_SOURCES; source++) {
		stacks_free(c->sources[source].raw);
		c->sources[source].raw = NULL;
		values_fini(&c->sources[source].raw_values);
	}
	return err;
}

static int64_t find_labels(struct collect *c, const struct pprof_sample *sample, uint32_t cpu,
			   uint32_t space)
{
	char thread[PPROF_COMM_LEN + 1] = "";
	struct labels_values values = {
		.pid = sample->ev.pid,
		.tid = sample->ev.tid,
		.cpu = cpu,
		.thread = thread,
		.comm = procs_comm(c->parts.procs, space),
	};

	if (sample->source == PPROF_SOURCE_BLOCK)
		values.class = blockclass_name(sample->arg);
	if (sample->source == PPROF_SOURCE_THREAD)
		values.state = threadstate_label(sample->arg);

	memcpy(thread, sample->comm, PPROF_COMM_LEN);
	return labels_intern(c->parts.labels, &values);
}

static int64_t add_stack(struct collect *c, struct per_source *s, uint64_t tag,
			 const struct pprof_sample *sample)
{
	const uint64_t *frames = (const uint64_t *)sample->frames;
	int64_t id = stacks_add(s->raw, tag, frames, sample->nr_frames, sample->weight);
	int err;

	if (id != -ENOSPC)
		return id;
	err = flush_sources(c);
	return err ? err : stacks_add(s->raw, tag, frames, sample->nr_frames, sample->weight);
}

static int add_values(struct collect *c, struct per_source *s, size_t id,
		      const struct pprof_sample *sample)
{
	double values[VALUES_MAX];

	if (!s->raw_values.nr)
		return 0;
	kinds_get(sample->source, c->parts.live)->values(sample, c->parts.periods[sample->source],
							 values);
	return values_add(&s->raw_values, id, values);
}

static void count_flags(struct collect_counts *counts, const struct pprof_sample *sample)
{
	if (sample->end != PPROF_END_COMPLETE && sample->end < PPROF_NR_ENDS)
		counts->truncated[sample->end] += sample->weight;
	if (sample->flags & PPROF_SAMPLE_GUESS)
		counts->guessed += sample->weight;
	if (sample->flags & PPROF_SAMPLE_STALE)
		counts->stale += sample->weight;
}

/* A thread on its own, before it is counted with those that are alike. */
static int show_thread(struct collect *c, uint64_t tag, const struct pprof_sample *sample)
{
	uint64_t room[(sizeof(struct stack) / sizeof(uint64_t)) + PPROF_MAX_FRAMES];
	struct stack *raw = (struct stack *)room;
	uint64_t places[MAX_PLACES];
	int nr;

	if (!c->parts.show || (sample->source != PPROF_SOURCE_THREAD &&
			       sample->source != PPROF_SOURCE_THREADCREATE))
		return 0;
	*raw = (struct stack){ .tag = tag, .nr_frames = sample->nr_frames };
	memcpy(raw->frames, sample->frames, sample->nr_frames * sizeof(*raw->frames));
	nr = find_places(c, raw, places);
	return nr < 0 ? nr : c->parts.show(c->parts.show_ctx, sample, places, nr);
}

static int count_sample(struct collect *c, struct per_source *s, uint32_t cpu,
			const struct pprof_sample *sample)
{
	int64_t space = procs_space(c->parts.procs, sample->ev.pid, sample->ev.image,
				    sample->ev.time_ns);
	int64_t labels, id;
	uint64_t tag;
	int err;

	if (space < 0)
		return space;
	labels = find_labels(c, sample, cpu, space);
	if (labels < 0)
		return labels;
	tag = TAG(space, leaf_is_return(sample), labels, sample->end & 15);
	id = add_stack(c, s, tag, sample);
	if (id < 0)
		return id;
	err = add_values(c, s, id, sample);
	if (!err && s == lifetimes_source(c))
		err = lifetimes_begin(&c->lifetimes, sample, id);
	if (!err)
		err = show_thread(c, tag, sample);
	if (!err)
		count_flags(&s->counts, sample);
	return err;
}

static bool sample_is_sane(const struct pprof_sample *sample)
{
	uint32_t size = sample->ev.rec.size;

	return size >= sizeof(*sample) && sample->source < PPROF_NR_SOURCES &&
	       sample->nr_frames <= PPROF_MAX_FRAMES &&
	       size >= sizeof(*sample) + sample->nr_frames * sizeof(uint64_t);
}

static int take_sample(struct collect *c, uint32_t cpu, const struct pprof_sample *sample)
{
	struct per_source *s;
	int err = 0;

	if (!sample_is_sane(sample))
		return 0;
	s = &c->sources[sample->source];
	if (sample->ev.image == c->ignored_image)
		s->counts.ignored += sample->weight;
	else
		err = count_sample(c, s, cpu, sample);
	if (!err)
		s->counts.consumed += sample->weight;
	return err;
}

int collect_take(struct collect *c, const struct pprof_sample *sample)
{
	return take_sample(c, 0, sample);
}

static int by_time(const void *left, const void *right)
{
	const struct pprof_event *a = *(const struct pprof_event *const *)left;
	const struct pprof_event *b = *(const struct pprof_event *const *)right;

	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static bool is_life(const struct pprof_record *record)
{
	return record->type != PPROF_REC_SAMPLE && record->size >= sizeof(struct pprof_event);
}

static int note_life(struct collect *c, size_t nr, const struct pprof_record *record)
{
	const struct pprof_event **life = array_grow(c->life, &c->life_room, nr + 1,
						     sizeof(*life));

	if (!life)
		return -ENOMEM;
	c->life = life;
	life[nr] = (const struct pprof_event *)record;
	return 0;
}

/* Lives first, in order of time over all CPUs: samples need them. */
static int take_lives(struct collect *c, struct ring *const *rings, uint32_t nr_rings)
{
	const struct pprof_record *record;
	size_t nr = 0;
	uint64_t pos;
	int err = 0;

	for (uint32_t cpu = 0; cpu < nr_rings; cpu++) {
		if (!rings[cpu])
			continue;
		pos = ring_tail(rings[cpu]);
		while ((record = ring_next(rings[cpu], &pos, c->heads[cpu])))
			if (is_life(record) && note_life(c, nr++, record))
				return -ENOMEM;
	}
	if (nr)
		qsort(c->life, nr, sizeof(*c->life), by_time);
	for (size_t i = 0; !err && i < nr; i++) {
		c->nr_dropped += c->life[i]->rec.type == PPROF_REC_DROP;
		err = procs_take(c->parts.procs, c->life[i]);
		if (!err && c->parts.live)
			err = lifetimes_note(&c->lifetimes, c->life[i]);
	}
	c->nr_life += nr;
	return err;
}

static int take_samples(struct collect *c, struct ring *ring, uint32_t cpu)
{
	const struct pprof_record *record;
	uint64_t pos = ring_tail(ring);
	int err = 0;

	while (!err && (record = ring_next(ring, &pos, c->heads[cpu])))
		if (record->type == PPROF_REC_SAMPLE)
			err = take_sample(c, cpu, (const struct pprof_sample *)record);
	ring_release(ring, pos);
	return err;
}

static int note_heads(struct collect *c, struct ring *const *rings, uint32_t nr_rings)
{
	if (!c->heads)
		c->heads = calloc(nr_rings, sizeof(*c->heads));
	if (!c->heads)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < nr_rings; cpu++)
		c->heads[cpu] = rings[cpu] ? ring_head(rings[cpu]) : 0;
	return 0;
}

int collect_drain(struct collect *c, struct ring *const *rings, uint32_t nr_rings)
{
	int err = note_heads(c, rings, nr_rings);

	if (!err)
		err = take_lives(c, rings, nr_rings);
	for (uint32_t cpu = 0; !err && cpu < nr_rings; cpu++)
		if (rings[cpu])
			err = take_samples(c, rings[cpu], cpu);
	if (!err && c->parts.live)
		err = lifetimes_settle(&c->lifetimes);
	if (!err && procs_nr_dead(c->parts.procs) > MAX_DEAD)
		err = collect_flush(c);
	return err;
}

const struct stacks *collect_stacks(const struct collect *c, uint32_t source)
{
	return c->sources[source].places;
}

const struct values *collect_values(const struct collect *c, uint32_t source)
{
	return &c->sources[source].values;
}

uint32_t collect_worst_file(const struct collect *c, uint32_t source, uint64_t *count)
{
	const struct per_source *s = &c->sources[source];
	uint32_t worst = FILES_NONE;

	*count = 0;
	for (uint32_t file = FILES_NONE + 1; s->truncated_in && file < s->truncated_room; file++) {
		if (s->truncated_in[file] <= *count)
			continue;
		worst = file;
		*count = s->truncated_in[file];
	}
	return worst;
}

const struct collect_counts *collect_counts(const struct collect *c, uint32_t source)
{
	return &c->sources[source].counts;
}

int64_t collect_exe_mapping(const struct collect *c)
{
	return c->exe_mapping;
}

uint64_t collect_nr_life(const struct collect *c)
{
	return c->nr_life;
}

uint64_t collect_nr_dropped(const struct collect *c)
{
	return c->nr_dropped;
}
