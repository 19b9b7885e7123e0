// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the records of the rings: process events and samples.
 *
 * aggregator_drain() makes two passes over the part of each ring between its tail and its head.
 *
 *   1. sideband_find() collects the process events (fork, exec, mmap, exit) of all rings, and sorts
 *      them by time. It reads no sample and releases nothing.
 *   2. take_slice() applies the events. Then take_samples() counts the samples of each ring.
 *
 * One pass would give wrong symbols. A sample needs the mappings of its process at its time.
 * Their records may be in the ring of another CPU, which is read later. Samples need no order
 * among themselves: to sort the few events is enough, and the many samples stay in place.
 *
 * A drain is usually one slice. But the events of a program that maps in a loop make many old
 * address-space epochs. A slice ends at the event after which these have over MAX_PAST_BYTES. The
 * samples that are older than the next event are then counted, and a flush frees the old epochs.
 * The event list points into the rings, so they are released only with the last slice.
 *
 * Samples are counted as raw stacks: see source_stacks.c. A free or a thread's end may be read
 * before its allocation or creation, which is in another ring. heap_objects.h and
 * thread_lifetimes.h match them later.
 *
 * With a cut (aggregator_cut()) a drain reads each ring up to its first record from that time on.
 * So a process event and the samples after it wait together for the next drain, and no event is
 * applied twice. An older record that was written after such a record waits with it.
 *
 * A flush runs when a raw map is full (add_stack()). The rest of the slice still needs the old
 * epochs, so this flush keeps them. A flush also runs after a slice with many ended processes or
 * old epochs (aggregator_flush()), which frees them, and at the end (aggregator_finish()).
 */
#include "aggregate/aggregator.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/compaction.h"
#include "aggregate/heap_objects.h"
#include "aggregate/profile_types.h"
#include "aggregate/raw_stack.h"
#include "aggregate/sample_labels.h"
#include "aggregate/source_stacks.h"
#include "aggregate/stack_locator.h"
#include "aggregate/stack_values.h"
#include "aggregate/thread_lifetimes.h"
#include "device/sample_record.h"
#include "device/shared_frames.h"
#include "device/sideband.h"

/* A slice with more ended processes ends with a flush, which frees them. */
#define MAX_DEAD	256
/*
 * Limit of the memory of epochs that a later one has followed. An epoch of an ordinary program
 * takes some 5 KiB. One of a hostile program, with 65,530 mappings, takes 3 MiB.
 */
#define MAX_PAST_BYTES	((size_t)32 << 20)
/*
 * Limit of heap objects that are not freed: some 100 MB. The module follows 131,072 at most. The
 * objects of processes that exited stay in the table, too.
 */
#define MAX_OBJECTS	(1U << 20)

struct per_source {
	struct source_stacks stacks;
	struct aggregator_counts counts;	/* since the last reset */
	struct aggregator_counts earlier;	/* before the last reset */
};

struct aggregator {
	struct aggregator_parts parts;
	struct per_source sources[PPROF_NR_SOURCES];
	struct stack_locator locator;
	struct compaction compaction;
	struct thread_lifetimes lifetimes;	/* used if parts.live */
	uint64_t ignored_exec_id;
	uint64_t begin_ns;	/* 0 before aggregator_begin() */
	uint64_t end_ns;	/* UINT64_MAX before aggregator_end() */
	uint64_t cut_ns;	/* UINT64_MAX: none */
	struct heap_objects *heap_objects;	/* of the source heap, by raw stack until a flush */
	uint64_t nr_events;
	uint64_t nr_execs;
	uint64_t nr_dropped;
	struct sideband sideband;	/* the process events of one drain */
	struct ring_reading *readings;	/* by CPU */
	struct shared_frames shared;
};

/* The source whose stacks have thread lifetimes, or NULL if they are not needed. */
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
	c->cut_ns = UINT64_MAX;
	c->locator = (struct stack_locator){
		.processes = parts->processes, .locations = parts->locations, .pid = parts->pid,
		.exe_mapping = -1,
	};
	c->heap_objects = heap_objects_new(MAX_OBJECTS);
	err = c->heap_objects ? 0 : -ENOMEM;
	for (int i = 0; !err && i < PPROF_NR_SOURCES; i++)
		err = source_stacks_init(&c->sources[i].stacks, i, parts->max_stacks,
					 profile_types_of(i, parts->live)->nr_values);
	threads = lifetimes_source(c);
	if (!err && threads)
		err = lifetimes_init(&c->lifetimes, &threads->stacks.raw_values,
				     &threads->stacks.values);
	if (!err)
		return c;
	aggregator_free(c);
	return NULL;
}

void aggregator_free(struct aggregator *c)
{
	if (!c)
		return;
	for (int i = 0; i < PPROF_NR_SOURCES; i++)
		source_stacks_fini(&c->sources[i].stacks);
	heap_objects_free(c->heap_objects);
	lifetimes_fini(&c->lifetimes);
	sideband_fini(&c->sideband);
	shared_frames_fini(&c->shared);
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

void aggregator_cut(struct aggregator *c, uint64_t cut_ns)
{
	c->cut_ns = cut_ns;
}

static int flush_source(struct aggregator *c, struct per_source *s)
{
	size_t nr = tuple_map_nr(s->stacks.raw);
	int64_t *ids = nr ? malloc(nr * sizeof(*ids)) : NULL;
	int err = nr && !ids ? -ENOMEM : source_stacks_flush(&s->stacks, &c->locator, ids);

	if (!err && s == lifetimes_source(c))
		lifetimes_move(&c->lifetimes, ids);
	if (!err && s == &c->sources[PPROF_SOURCE_HEAP])
		heap_objects_move(c->heap_objects, ids);
	free(ids);
	s->counts.over_max = s->stacks.over_max;
	return err;
}

/* Keeps old epochs: the samples that are still to be counted may need them. */
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

/* Adds an object that is not freed to the values "in use" of its stack. */
static int count_object(void *ctx, const struct heap_object *object)
{
	struct aggregator *c = ctx;
	const struct pprof_sample sample = { .value = object->bytes, .weight = object->weight };
	double values[VALUES_MAX];

	profile_types_of(PPROF_SOURCE_HEAP, false)
		->values(&sample, c->parts.periods[PPROF_SOURCE_HEAP], values);
	memcpy(&values[2], &values[0], 2 * sizeof(*values));
	values[0] = 0;
	values[1] = 0;
	return stack_values_add(&c->sources[PPROF_SOURCE_HEAP].stacks.values, object->stack,
				values);
}

int aggregator_finish(struct aggregator *c)
{
	int err = flush_sources(c);

	if (!err)
		err = heap_objects_visit(c->heap_objects, count_object, c);
	for (uint32_t source = 0; !err && source < PPROF_NR_SOURCES; source++)
		source_stacks_finish(&c->sources[source].stacks);
	return err;
}

static int64_t add_stack(struct aggregator *c, struct source_stacks *stacks, uint64_t tag,
			 const struct pprof_sample *sample)
{
	int64_t id = source_stacks_add(stacks, tag, sample);
	int err;

	if (id != -ENOSPC)
		return id;
	err = flush_sources(c);
	return err ? err : source_stacks_add(stacks, tag, sample);
}

static int add_values(struct aggregator *c, struct source_stacks *stacks, size_t id,
		      const struct pprof_sample *sample)
{
	double values[VALUES_MAX];

	if (!stacks->raw_values.nr)
		return 0;
	profile_types_of(sample->source, c->parts.live)
		->values(sample, c->parts.periods[sample->source], values);
	return stack_values_add(&stacks->raw_values, id, values);
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

/*
 * Passes a thread to parts.show, with its user stack. The counted stacks do not have it: threads
 * with equal stacks are one stack there.
 */
static int show_thread(struct aggregator *c, uint64_t tag, const struct pprof_sample *sample)
{
	uint64_t room[(sizeof(struct tuple) / sizeof(uint64_t)) + PPROF_MAX_FRAMES];
	uint32_t nr_user = sample->nr_frames - sample->nr_kernel;
	struct tuple *raw = (struct tuple *)room;
	uint64_t ids[STACK_LOCATOR_MAX];
	int nr;

	if (!c->parts.show || (sample->source != PPROF_SOURCE_THREAD &&
			       sample->source != PPROF_SOURCE_THREADCREATE))
		return 0;
	*raw = (struct tuple){ .tag = tag, .nr_frames = nr_user };
	memcpy(raw->frames, sample->frames + sample->nr_kernel, nr_user * sizeof(*raw->frames));
	nr = stack_locator_find(&c->locator, sample->source, raw, ids);
	if (nr < 0)
		return nr;
	return c->parts.show(c->parts.show_ctx, sample, raw_stack_labels(tag), ids, nr);
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
	err = sample_is_tracked(sample) ? heap_objects_add(c->heap_objects, &object) : -ENOSPC;
	if (err == -ENOSPC) {
		c->sources[PPROF_SOURCE_HEAP].counts.untracked += sample->weight;
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
	tag = raw_stack_tag(epoch, sample_leaf_is_return(sample), labels, sample->end_reason);
	id = add_stack(c, &s->stacks, tag, sample);
	if (id < 0)
		return id;
	err = add_values(c, &s->stacks, id, sample);
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
	return sample_is_filtered_by_time(sample) &&
	       (sample->ev.time_ns < c->begin_ns || sample->ev.time_ns > c->end_ns);
}

static int ignore_sample(struct aggregator *c, struct per_source *s,
			 const struct pprof_sample *sample)
{
	s->counts.ignored += sample->weight;
	return sample_labels_add(c->parts.labels, c->parts.processes, sample);
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

/* An exec frees the memory of the old program, and all heap objects in it. */
static int end_objects(struct aggregator *c, const struct pprof_event *ev)
{
	const struct pprof_exec *exec = (const struct pprof_exec *)ev;

	if (ev->rec.type != PPROF_REC_EXEC || ev->rec.size < sizeof(*exec))
		return 0;
	return heap_objects_end_exec(c->heap_objects, exec->old_exec_id);
}

/* Events after the end of the run still change processes: late samples of wall need them. */
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

/*
 * Takes the samples and frees of a ring in its order. Stops at the first sample that is younger
 * than to_ns.
 */
static int take_samples(struct aggregator *c, const struct ring *ring, uint32_t cpu, uint64_t to_ns)
{
	struct ring_reading *reading = &c->readings[cpu];
	const struct pprof_record *record;
	uint64_t pos = reading->pos;
	int err = 0;

	while (!err && (record = ring_next(ring, &pos, reading->head))) {
		const struct pprof_sample *sample = (const struct pprof_sample *)record;

		if (record->type == PPROF_REC_SAMPLE) {
			if (sample_is_sane(sample) && sample->ev.time_ns > to_ns)
				return 0;
			err = shared_frames_add(&c->shared, cpu, &sample);
			if (!err)
				err = take_sample(c, cpu, sample);
		} else if (record->type == PPROF_REC_FREE) {
			err = take_free(c, (const struct pprof_free *)record);
		}
		reading->pos = pos;
	}
	if (reading->pos != pos)	/* everything after an impossible record is skipped */
		shared_frames_forget(&c->shared, cpu);
	reading->pos = pos;
	return err;
}

/*
 * Takes the events from *next on, until the old epochs are over MAX_PAST_BYTES. Then takes the
 * samples up to the next event: see the top of this file.
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

/* Returns the position of the first record from cut_ns on, or the head if there is none. */
static uint64_t find_cut(const struct ring *ring, struct ring_reading reading, uint64_t cut_ns)
{
	const struct pprof_record *record;
	uint64_t before = reading.pos;

	while ((record = ring_next(ring, &reading.pos, reading.head))) {
		const struct pprof_event *ev = (const struct pprof_event *)record;

		if (record->size >= sizeof(*ev) && ev->time_ns >= cut_ns)
			return before;
		before = reading.pos;
	}
	return reading.head;
}

static int begin_reading(struct aggregator *c, struct ring *const *rings, uint32_t nr_rings)
{
	if (!c->readings)
		c->readings = calloc(nr_rings, sizeof(*c->readings));
	if (!c->readings)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < nr_rings; cpu++) {
		struct ring_reading *reading = &c->readings[cpu];

		if (!rings[cpu])
			continue;
		*reading = (struct ring_reading){ ring_tail(rings[cpu]), ring_head(rings[cpu]) };
		if (c->cut_ns != UINT64_MAX)
			reading->head = find_cut(rings[cpu], *reading, c->cut_ns);
	}
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
	return c->sources[source].stacks.located;
}

const struct stack_values *aggregator_values(const struct aggregator *c, uint32_t source)
{
	return &c->sources[source].stacks.values;
}

const double *aggregator_over_values(const struct aggregator *c, uint32_t source)
{
	return source_stacks_over_values(&c->sources[source].stacks);
}

uint32_t aggregator_worst_file(const struct aggregator *c, uint32_t source, uint64_t *count)
{
	return truncation_worst(&c->sources[source].stacks.truncation, count);
}

const struct aggregator_counts *aggregator_counts(const struct aggregator *c, uint32_t source)
{
	return &c->sources[source].counts;
}

/* Adds all counters. Each field of the struct is one or more of 64 bits. */
static void add_counts(struct aggregator_counts *to, const struct aggregator_counts *counts)
{
	const uint64_t *from = (const uint64_t *)counts;
	uint64_t *sum = (uint64_t *)to;

	for (size_t i = 0; i < sizeof(*to) / sizeof(*sum); i++)
		sum[i] += from[i];
}

struct aggregator_counts aggregator_total(const struct aggregator *c, uint32_t source)
{
	struct aggregator_counts total = c->sources[source].earlier;

	add_counts(&total, &c->sources[source].counts);
	return total;
}

int aggregator_compact(struct aggregator *c, bool is_due)
{
	struct source_stacks *stacks[PPROF_NR_SOURCES];
	const struct compaction_parts parts = {
		c->parts.locations, &c->locator.exe_mapping, c->parts.labels, c->parts.processes,
		stacks, PPROF_NR_SOURCES,
	};

	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++)
		stacks[source] = &c->sources[source].stacks;
	return compaction_run(&c->compaction, &parts, is_due);
}

void aggregator_reset(struct aggregator *c)
{
	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++) {
		struct per_source *s = &c->sources[source];

		if (source == PPROF_SOURCE_HEAP)
			source_stacks_reset_values(&s->stacks);
		else
			source_stacks_reset(&s->stacks);
		add_counts(&s->earlier, &s->counts);
		s->counts = (struct aggregator_counts){ 0 };
	}
}

int64_t aggregator_exe_mapping(const struct aggregator *c)
{
	return c->locator.exe_mapping;
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
