// SPDX-License-Identifier: GPL-2.0
#include "aggregate/aggregator.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/truncation.h"
#include "device/end_reason.h"
#include "aggregate/profile_types.h"
#include "aggregate/thread_lifetimes.h"
#include "device/sideband.h"
#include "aggregate/heap_objects.h"
#include "device/sample_record.h"
#include "aggregate/sample_labels.h"
#include "aggregate/stack_values.h"

/* Raw stacks before they are moved: 16 Ki of 20 frames are 3 MiB. */
#define MAX_RAW		(16U << 10)
#define MAX_DEAD	256
/*
 * What is kept of mappings that others have replaced. One of an ordinary program
 * costs some 5 KiB; of a hostile one, with 65,530 mappings, 3 MiB.
 */
#define MAX_PAST_BYTES	((size_t)32 << 20)
/* The module follows 131,072, but for those of the processes that ended: some 100 MB. */
#define MAX_OBJECTS	(1U << 20)
#define MAX_LOCATIONS	(PPROF_MAX_FRAMES + 1)	/* and why it is truncated */

/*
 * A raw stack's tag: address space, whether its leaf is a return address,
 * labels (see label_sets.c for their number), and why it ends.
 */
#define TAG(epoch, is_return, labels, end) \
	((uint64_t)(epoch) << 32 | (uint64_t)(is_return) << 31 | (uint64_t)(labels) << 4 | (end))
#define TAG_EPOCH(tag)		((uint32_t)((tag) >> 32))
#define TAG_IS_RETURN(tag)	((tag) >> 31 & 1)
#define TAG_LABELS(tag)		((uint32_t)(tag) << 1 >> 5)
#define TAG_END(tag)		((tag) & 15)

/* What has no room has the values of a stack that there is not. */
#define OVER_MAX(c)		((c)->parts.max_stacks)

struct per_source {
	struct tuple_map *raw;
	struct tuple_map *locations;
	struct stack_values raw_values;
	struct stack_values values;	/* of places */
	struct aggregator_counts counts;
	struct truncation truncation;	/* in units of weight */
};

struct aggregator {
	struct aggregator_parts parts;
	struct per_source sources[PPROF_NR_SOURCES];
	struct thread_lifetimes lifetimes;	/* of threads, where parts.live asks for them */
	uint64_t ignored_exec_id;
	uint64_t begin_ns;
	uint64_t end_ns;	/* UINT64_MAX: not known yet */
	int64_t exe_mapping;	/* of the locations; negative: not known */
	bool exe_found;		/* it is the one that was asked for */
	struct heap_objects *heap_objects; /* of heap; their stacks are raw until they are moved */
	uint64_t nr_events;
	uint64_t nr_execs;
	uint64_t nr_dropped;
	struct sideband sideband;	/* of one drain */
	struct ring_reading *readings;	/* by CPU */
};

static int init_source(const struct aggregator *c, struct per_source *s,
		       const struct profile_type *type)
{
	s->raw = tuple_map_new(MAX_RAW);
	s->locations = tuple_map_new(c->parts.max_stacks);
	s->raw_values.nr = type->nr_values;
	s->values.nr = type->nr_values;
	return s->raw && s->locations ? 0 : -ENOMEM;
}

/* Of whose stacks lifetimes are told; NULL: nobody asked. */
static struct per_source *lifetimes_source(struct aggregator *c)
{
	return c->parts.live ? &c->sources[PPROF_SOURCE_THREADCREATE] : NULL;
}

struct aggregator *aggregator_new(const struct aggregator_parts *parts)
{
	struct aggregator *c = calloc(1, sizeof(*c));
	struct per_source *threads;
	int err;

	if (!c)
		return NULL;
	c->parts = *parts;
	c->end_ns = UINT64_MAX;
	c->exe_mapping = -1;
	c->heap_objects = heap_objects_new(MAX_OBJECTS);
	err = c->heap_objects ? 0 : -ENOMEM;
	for (int i = 0; !err && i < PPROF_NR_SOURCES; i++)
		err = init_source(c, &c->sources[i], profile_types_get(i, parts->live));
	threads = lifetimes_source(c);
	if (!err && threads)
		err = lifetimes_init(&c->lifetimes, &threads->raw_values, &threads->values);
	if (!err)
		return c;
	aggregator_free(c);
	return NULL;
}

void aggregator_free(struct aggregator *c)
{
	if (!c)
		return;
	for (int i = 0; i < PPROF_NR_SOURCES; i++) {
		tuple_map_free(c->sources[i].raw);
		tuple_map_free(c->sources[i].locations);
		stack_values_fini(&c->sources[i].raw_values);
		stack_values_fini(&c->sources[i].values);
		truncation_fini(&c->sources[i].truncation);
	}
	heap_objects_free(c->heap_objects);
	lifetimes_fini(&c->lifetimes);
	sideband_fini(&c->sideband);
	free(c->readings);
	free(c);
}

void aggregator_ignore_exec_id(struct aggregator *c, uint64_t exec_id)
{
	c->ignored_exec_id = exec_id;
}

void aggregator_begin(struct aggregator *c, uint64_t begin_ns)
{
	c->begin_ns = begin_ns;
}

void aggregator_end(struct aggregator *c, uint64_t end_ns)
{
	c->end_ns = end_ns;
}

/*
 * Of --all, the first program that is known: there may be some that ended too soon. Of
 * others, the first until there is that of the first pid: its children are sampled, too.
 */
static int find_exe(struct aggregator *c, uint32_t epoch)
{
	const struct maps *maps = processes_maps(c->parts.processes, epoch);
	uint32_t exe = processes_exe(c->parts.processes, epoch);
	bool asked = !c->parts.pid || processes_pid(c->parts.processes, epoch) == c->parts.pid;

	if (exe == MAPPED_FILES_NONE || c->exe_found || (c->exe_mapping >= 0 && !asked))
		return 0;
	for (size_t i = 0; i < maps_nr(maps); i++) {
		if (maps_at(maps, i)->file != exe)
			continue;
		c->exe_mapping = locations_mapping(c->parts.locations, maps_at(maps, i));
		c->exe_found = asked;
		return c->exe_mapping == -ENOMEM ? -ENOMEM : 0;
	}
	return 0;
}

/*
 * The places of a raw stack, leaf first. A return address names the
 * instruction after the call, which may be another line's or function's; the
 * byte before it is the call's.
 */
static int find_locations(struct aggregator *c, uint32_t source, const struct tuple *raw,
			  uint64_t *locations)
{
	const struct maps *maps = processes_maps(c->parts.processes, TAG_EPOCH(raw->tag));
	uint32_t end = TAG_END(raw->tag), nr = raw->nr_frames;
	int64_t id;

	for (uint32_t i = 0; i < nr; i++) {
		bool is_return = i || TAG_IS_RETURN(raw->tag);

		id = locations_intern(c->parts.locations, maps, raw->frames[i] - is_return);
		if (id < 0)
			return id;
		locations[i] = id;
	}
	if (end == PPROF_END_COMPLETE && nr)
		return nr;
	id = locations_synthetic(c->parts.locations,
				 nr ? end_reason_root(end) : end_reason_explain(source, end));
	if (id < 0)
		return id;
	locations[nr] = id;
	return nr + 1;
}

/* Where the last frame is that was found: its caller was not. */
static int count_truncated(struct aggregator *c, struct per_source *s, uint64_t id, uint64_t count)
{
	return truncation_add(&s->truncation, locations_file(c->parts.locations, id), count);
}

/* Tells the id of the stack that it is now. */
static int flush_stack(struct aggregator *c, struct per_source *s, size_t raw_id, int64_t *id)
{
	const struct tuple *raw = tuple_map_at(s->raw, raw_id);
	uint64_t locations[MAX_LOCATIONS];
	int nr, err = find_exe(c, TAG_EPOCH(raw->tag));

	if (err)
		return err;
	nr = find_locations(c, s - c->sources, raw, locations);
	if (nr < 0)
		return nr;
	if (TAG_END(raw->tag) != PPROF_END_COMPLETE && raw->nr_frames)
		err = count_truncated(c, s, locations[raw->nr_frames - 1], raw->count);
	*id = tuple_map_add(s->locations, TAG_LABELS(raw->tag), locations, nr, raw->count);
	if (*id == -ENOSPC) {
		s->counts.over_max += raw->count;
		*id = OVER_MAX(c);
	}
	if (*id < 0 || err)
		return *id < 0 ? *id : err;
	return stack_values_add(&s->values, *id, stack_values_at(&s->raw_values, raw_id));
}

static int flush_source(struct aggregator *c, struct per_source *s)
{
	size_t nr = tuple_map_nr(s->raw);
	int64_t *ids = nr ? malloc(nr * sizeof(*ids)) : NULL;
	int err = nr && !ids ? -ENOMEM : 0;

	for (size_t i = 0; !err && i < nr; i++)
		err = flush_stack(c, s, i, &ids[i]);
	if (!err && s == lifetimes_source(c))
		lifetimes_move(&c->lifetimes, ids);
	if (!err && s == &c->sources[PPROF_SOURCE_HEAP])
		heap_objects_move(c->heap_objects, ids);
	free(ids);
	if (!err) {
		tuple_map_clear(s->raw);
		stack_values_clear(&s->raw_values);
	}
	return err;
}

/* While samples are being taken, even what is past is still needed. */
static int flush_sources(struct aggregator *c)
{
	int err = 0;

	processes_find_perfmaps(c->parts.processes);
	for (uint32_t source = 0; !err && source < PPROF_NR_SOURCES; source++)
		err = flush_source(c, &c->sources[source]);
	return err;
}

int aggregator_flush(struct aggregator *c)
{
	int err = flush_sources(c);

	if (!err)
		processes_forget_past(c->parts.processes);
	return err;
}

/* What is alive at the end is what is in use. */
static int count_object(void *ctx, const struct heap_object *object)
{
	struct aggregator *c = ctx;
	const struct pprof_sample sample = { .value = object->bytes, .weight = object->weight };
	double values[VALUES_MAX];

	profile_types_get(PPROF_SOURCE_HEAP, false)
		->values(&sample, c->parts.periods[PPROF_SOURCE_HEAP], values);
	memcpy(&values[2], &values[0], 2 * sizeof(*values));
	values[0] = 0;
	values[1] = 0;
	return stack_values_add(&c->sources[PPROF_SOURCE_HEAP].values, object->stack, values);
}

int aggregator_finish(struct aggregator *c)
{
	int err = aggregator_flush(c);

	if (!err)
		err = heap_objects_visit(c->heap_objects, count_object, c);
	for (uint32_t source = 0; !err && source < PPROF_NR_SOURCES; source++) {
		tuple_map_free(c->sources[source].raw);
		c->sources[source].raw = NULL;
		stack_values_fini(&c->sources[source].raw_values);
	}
	return err;
}

static int64_t add_stack(struct aggregator *c, struct per_source *s, uint64_t tag,
			 const struct pprof_sample *sample)
{
	const uint64_t *frames = (const uint64_t *)sample->frames;
	int64_t id = tuple_map_add(s->raw, tag, frames, sample->nr_frames, sample->weight);
	int err;

	if (id != -ENOSPC)
		return id;
	err = flush_sources(c);
	return err ? err : tuple_map_add(s->raw, tag, frames, sample->nr_frames, sample->weight);
}

static int add_values(struct aggregator *c, struct per_source *s, size_t id,
		      const struct pprof_sample *sample)
{
	double values[VALUES_MAX];

	if (!s->raw_values.nr)
		return 0;
	profile_types_get(sample->source, c->parts.live)
		->values(sample, c->parts.periods[sample->source], values);
	return stack_values_add(&s->raw_values, id, values);
}

static void count_flags(struct aggregator_counts *counts, const struct pprof_sample *sample)
{
	if (sample->end_reason != PPROF_END_COMPLETE && sample->end_reason < PPROF_NR_END_REASONS)
		counts->truncated[sample->end_reason] += sample->weight;
	if (sample->flags & PPROF_SAMPLE_GUESS)
		counts->guessed += sample->weight;
	if (sample->flags & PPROF_SAMPLE_STALE)
		counts->stale += sample->weight;
}

/* A thread on its own, before it is counted with those that are alike. */
static int show_thread(struct aggregator *c, uint64_t tag, const struct pprof_sample *sample)
{
	uint64_t room[(sizeof(struct tuple) / sizeof(uint64_t)) + PPROF_MAX_FRAMES];
	struct tuple *raw = (struct tuple *)room;
	uint64_t ids[MAX_LOCATIONS];
	int nr;

	if (!c->parts.show || (sample->source != PPROF_SOURCE_THREAD &&
			       sample->source != PPROF_SOURCE_THREADCREATE))
		return 0;
	*raw = (struct tuple){ .tag = tag, .nr_frames = sample->nr_frames };
	memcpy(raw->frames, sample->frames, sample->nr_frames * sizeof(*raw->frames));
	nr = find_locations(c, sample->source, raw, ids);
	return nr < 0 ? nr : c->parts.show(c->parts.show_ctx, sample, TAG_LABELS(tag), ids, nr);
}

static int add_object(struct aggregator *c, size_t stack, const struct pprof_sample *sample)
{
	const struct heap_object object = {
		.number = sample->arg, .bytes = sample->value, .weight = sample->weight,
		.exec_id = sample->ev.exec_id, .stack = stack,
	};

	int err;

	if (sample->source != PPROF_SOURCE_HEAP)
		return 0;
	err = sample_is_followed(sample) ? heap_objects_add(c->heap_objects, &object) : -ENOSPC;
	if (err == -ENOSPC) {
		c->sources[PPROF_SOURCE_HEAP].counts.unfollowed += sample->weight;
		err = 0;
	}
	return err;
}

static int count_sample(struct aggregator *c, struct per_source *s, uint32_t cpu,
			const struct pprof_sample *sample)
{
	int64_t epoch = processes_epoch(c->parts.processes, sample->ev.pid, sample->ev.exec_id,
					sample->ev.time_ns);
	int64_t labels, id;
	uint64_t tag;
	int err;

	if (epoch < 0)
		return epoch;
	labels = sample_labels_intern(c->parts.labels, c->parts.processes, sample, cpu, epoch);
	if (labels < 0)
		return labels;
	tag = TAG(epoch, sample_leaf_is_return(sample), labels, sample->end_reason & 15);
	id = add_stack(c, s, tag, sample);
	if (id < 0)
		return id;
	err = add_values(c, s, id, sample);
	if (!err && s == lifetimes_source(c))
		err = lifetimes_begin(&c->lifetimes, sample, id);
	if (!err)
		err = show_thread(c, tag, sample);
	if (!err)
		err = add_object(c, id, sample);
	if (!err)
		count_flags(&s->counts, sample);
	return err;
}

static bool is_outside(const struct aggregator *c, const struct pprof_sample *sample)
{
	return sample_is_of_its_time(sample) &&
	       (sample->ev.time_ns < c->begin_ns || sample->ev.time_ns > c->end_ns);
}

static int ignore_sample(struct aggregator *c, struct per_source *s,
			 const struct pprof_sample *sample)
{
	s->counts.ignored += sample->weight;
	return sample_labels_add(c->parts.labels, sample);
}

static int take_sample(struct aggregator *c, uint32_t cpu, const struct pprof_sample *sample)
{
	struct per_source *s;
	int err;

	if (!sample_is_sane(sample))
		return 0;
	s = &c->sources[sample->source];
	if (sample->ev.exec_id == c->ignored_exec_id || is_outside(c, sample))
		err = ignore_sample(c, s, sample);
	else
		err = count_sample(c, s, cpu, sample);
	if (!err)
		s->counts.consumed += sample->weight;
	return err;
}

int aggregator_take(struct aggregator *c, const struct pprof_sample *sample)
{
	return take_sample(c, 0, sample);
}

/* What an image's process has is gone with its memory. */
static int end_objects(struct aggregator *c, const struct pprof_event *ev)
{
	const struct pprof_exec *exec = (const struct pprof_exec *)ev;

	if (ev->rec.type != PPROF_REC_EXEC || ev->rec.size < sizeof(*exec))
		return 0;
	return heap_objects_end_exec(c->heap_objects, exec->old_exec_id);
}

/* Processes and mappings are told on: samples of wall are still to come. */
static int take_event(struct aggregator *c, const struct pprof_event *ev)
{
	int err = processes_take(c->parts.processes, ev);

	if (err || ev->time_ns > c->end_ns)
		return err;
	c->nr_execs += ev->rec.type == PPROF_REC_EXEC;
	c->nr_dropped += ev->rec.type == PPROF_REC_DROP;
	if (c->parts.live)
		err = lifetimes_note(&c->lifetimes, ev);
	if (!err && c->parts.heap)
		err = end_objects(c, ev);
	return err;
}

static bool has_much_past(const struct aggregator *c)
{
	return processes_nr_dead(c->parts.processes) > MAX_DEAD ||
	       processes_past_bytes(c->parts.processes) > MAX_PAST_BYTES;
}

static int take_free(struct aggregator *c, const struct pprof_free *record)
{
	if (record->ev.rec.size < sizeof(*record) || record->ev.exec_id == c->ignored_exec_id ||
	    record->ev.time_ns > c->end_ns)
		return 0;
	return heap_objects_del(c->heap_objects, record->ev.exec_id, record->object);
}

/* Of a ring, to the first that is younger. */
static int take_samples(struct aggregator *c, const struct ring *ring, uint32_t cpu, uint64_t to_ns)
{
	struct ring_reading *reading = &c->readings[cpu];
	const struct pprof_record *record;
	uint64_t pos = reading->pos;
	int err = 0;

	while (!err && (record = ring_next(ring, &pos, reading->head))) {
		const struct pprof_sample *sample = (const struct pprof_sample *)record;

		if (record->type == PPROF_REC_SAMPLE && sample_is_sane(sample)) {
			if (sample->ev.time_ns > to_ns)
				return 0;
			err = take_sample(c, cpu, sample);
		} else if (record->type == PPROF_REC_FREE) {
			err = take_free(c, (const struct pprof_free *)record);
		}
		reading->pos = pos;
	}
	reading->pos = pos;	/* what follows is no record */
	return err;
}

/*
 * Lives first, since samples need them; but no more of them than may be kept, and
 * then the samples of that time, so that what is past can go before the rest. The
 * rings have their lives until all are taken.
 */
static int take_slice(struct aggregator *c, struct ring *const *rings, uint32_t nr_rings,
		      size_t *next)
{
	const struct sideband *sideband = &c->sideband;
	uint64_t last_ns = UINT64_MAX;
	int err = 0;

	while (!err && *next < sideband->nr &&
	       processes_past_bytes(c->parts.processes) <= MAX_PAST_BYTES)
		err = take_event(c, sideband->list[(*next)++]);
	if (*next < sideband->nr)
		last_ns = sideband->list[*next]->time_ns - 1;
	for (uint32_t cpu = 0; !err && cpu < nr_rings; cpu++) {
		if (!rings[cpu])
			continue;
		err = take_samples(c, rings[cpu], cpu, last_ns);
		if (*next == sideband->nr)
			ring_release(rings[cpu], c->readings[cpu].pos);
	}
	return !err && has_much_past(c) ? aggregator_flush(c) : err;
}

static int begin_reading(struct aggregator *c, struct ring *const *rings, uint32_t nr_rings)
{
	if (!c->readings)
		c->readings = calloc(nr_rings, sizeof(*c->readings));
	if (!c->readings)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < nr_rings; cpu++)
		if (rings[cpu])
			c->readings[cpu] = (struct ring_reading){
				ring_tail(rings[cpu]), ring_head(rings[cpu]),
			};
	return 0;
}

int aggregator_drain(struct aggregator *c, struct ring *const *rings, uint32_t nr_rings)
{
	int err = begin_reading(c, rings, nr_rings);
	size_t next = 0;

	if (!err)
		err = sideband_find(&c->sideband, rings, c->readings, nr_rings);
	if (err)
		return err;
	do {
		err = take_slice(c, rings, nr_rings, &next);
	} while (!err && next < c->sideband.nr);
	c->nr_events += c->sideband.nr;
	heap_objects_end_drain(c->heap_objects);
	if (!err && c->parts.live)
		err = lifetimes_settle(&c->lifetimes);
	return err;
}

const struct tuple_map *aggregator_stacks(const struct aggregator *c, uint32_t source)
{
	return c->sources[source].locations;
}

const struct stack_values *aggregator_values(const struct aggregator *c, uint32_t source)
{
	return &c->sources[source].values;
}

const double *aggregator_over_values(const struct aggregator *c, uint32_t source)
{
	const struct per_source *s = &c->sources[source];

	return s->counts.over_max ? stack_values_at(&s->values, OVER_MAX(c)) : NULL;
}

uint32_t aggregator_worst_file(const struct aggregator *c, uint32_t source, uint64_t *count)
{
	return truncation_worst(&c->sources[source].truncation, count);
}

const struct aggregator_counts *aggregator_counts(const struct aggregator *c, uint32_t source)
{
	return &c->sources[source].counts;
}

int64_t aggregator_exe_mapping(const struct aggregator *c)
{
	return c->exe_mapping;
}

uint64_t aggregator_nr_events(const struct aggregator *c)
{
	return c->nr_events;
}

uint64_t aggregator_nr_execs(const struct aggregator *c)
{
	return c->nr_execs;
}

uint64_t aggregator_nr_dropped(const struct aggregator *c)
{
	return c->nr_dropped;
}
