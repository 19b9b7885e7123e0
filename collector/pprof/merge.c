// SPDX-License-Identifier: GPL-2.0
#include "pprof/merge.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "pprof/merge_entries.h"
#include "pprof/merge_types.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/value_unit.h"

#define FIRST_SLOTS		256
#define SAMPLE_BATCH_MAX	16

struct merge {
	struct merge_entries entries;
	struct hash_index samples;		/* of the sum, by stack and label set */
	struct span_set comments;		/* of the sum; a span's id is the index + 1 */
	struct merge_columns columns;		/* of the source that is being added */
	enum merge_sign sign;
	bool has_source;			/* there was a profile */
	bool has_overflow;
};

struct merge *merge_new(void)
{
	struct merge *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	if (!merge_entries_init(&g->entries) && !hash_index_init(&g->samples, FIRST_SLOTS) &&
	    !span_set_init(&g->comments, sizeof(uint32_t)))
		return g;
	merge_free(g);
	errno = ENOMEM;
	return NULL;
}

void merge_free(struct merge *g)
{
	if (!g)
		return;
	merge_entries_fini(&g->entries);
	hash_index_fini(&g->samples);
	span_set_fini(&g->comments);
	free(g->columns.items);
	free(g);
}

/* Both are indices that count up. The upper half of the product depends on all bits. */
static uint32_t hash_sample(const struct model_sample *s)
{
	return (((uint64_t)s->label_set << 32 | s->stack) * 0x9e3779b97f4a7c15) >> 32;
}

/* Finds or adds a sample of the sum, whose values are 0 then. */
static int64_t find_sample(struct merge *g, const struct model_sample *s, uint32_t hash)
{
	struct model *sum = g->entries.sum;
	const struct hash_slot *slot = g->samples.slot;
	size_t i = hash_index_first(&g->samples, hash);

	for (; slot[i].id1; i = hash_index_next(&g->samples, i)) {
		const struct model_sample *known = &sum->samples.items[slot[i].id1 - 1];

		if (slot[i].hash == hash && known->stack == s->stack &&
		    known->label_set == s->label_set)
			return slot[i].id1 - 1;
	}
	if (sum->samples.nr == HASH_INDEX_MAX_IDS)
		return -EOVERFLOW;
	if (hash_index_reserve(&g->samples, sum->samples.nr + 1) || model_add_sample(sum, s, NULL))
		return -ENOMEM;
	hash_index_put(&g->samples, hash, sum->samples.nr);
	return sum->samples.nr - 1;
}

static void add_values(struct merge *g, int64_t *sum, const int64_t *values)
{
	const struct merge_column *columns = g->columns.items;
	int64_t value;

	for (size_t i = 0; i < g->entries.sum->sample_types.nr; i++) {
		value = values[columns[i].column];
		if (!g->columns.is_identity)
			value = value_unit_scale(value, columns[i].ratio);
		if (g->sign == MERGE_ADD)
			g->has_overflow |= __builtin_add_overflow(sum[i], value, &sum[i]);
		else
			g->has_overflow |= __builtin_sub_overflow(sum[i], value, &sum[i]);
	}
}

/* Are all values 0? Of the source, only those of types that are merged count. */
static bool is_zero(const struct merge *g, const int64_t *values)
{
	for (size_t i = 0; i < g->entries.sum->sample_types.nr; i++)
		if (values[g->columns.items[i].column])
			return false;
	return true;
}

/* Samples of the source that are looked up together: their waits for memory overlap. */
struct sample_batch {
	size_t nr;
	size_t source[SAMPLE_BATCH_MAX];	/* indices in the source */
	struct model_sample sample[SAMPLE_BATCH_MAX];
	uint32_t hash[SAMPLE_BATCH_MAX];
};

/* Puts a sample of the source, whose stack was added, into a batch that is not full. */
static int push_sample(struct merge *g, struct sample_batch *batch, size_t source)
{
	const struct model_sample *s = &g->entries.source->samples.items[source];
	int64_t label_set = merge_entries_label_set(&g->entries, s->label_set);
	struct model_sample *sample = &batch->sample[batch->nr];
	uint32_t hash;

	if (label_set < 0)
		return label_set;
	*sample = (struct model_sample){ merge_entries_stack(&g->entries, s->stack), label_set };
	hash = hash_sample(sample);
	__builtin_prefetch(&g->samples.slot[hash_index_first(&g->samples, hash)]);
	batch->hash[batch->nr] = hash;
	batch->source[batch->nr++] = source;
	return 0;
}

static void prefetch_samples(const struct merge *g, const struct sample_batch *batch)
{
	const struct model *sum = g->entries.sum;

	for (size_t i = 0; i < batch->nr; i++) {
		uint32_t id1 = hash_index_find_hash(&g->samples, batch->hash[i]);

		if (!id1)
			continue;
		__builtin_prefetch(&sum->samples.items[id1 - 1]);
		__builtin_prefetch(model_values(sum, id1 - 1), 1);
	}
}

static int add_batch(struct merge *g, struct sample_batch *batch)
{
	int64_t sample;

	prefetch_samples(g, batch);
	for (size_t i = 0; i < batch->nr; i++) {
		sample = find_sample(g, &batch->sample[i], batch->hash[i]);
		if (sample < 0)
			return sample;
		add_values(g, model_values(g->entries.sum, sample),
			   model_values(g->entries.source, batch->source[i]));
	}
	batch->nr = 0;
	return 0;
}

static int add_stacks(struct merge *g)
{
	const struct model *source = g->entries.source;
	int err = 0;

	for (size_t i = 0; !err && i < source->samples.nr; i++)
		if (!is_zero(g, model_values(source, i)))
			err = merge_entries_add_stack(&g->entries, source->samples.items[i].stack);
	return err ? err : merge_entries_finish_stacks(&g->entries);
}

static int add_samples(struct merge *g)
{
	const struct model *source = g->entries.source;
	struct sample_batch batch = { 0 };
	int err = add_stacks(g);

	for (size_t i = 0; !err && i < source->samples.nr; i++) {
		if (is_zero(g, model_values(source, i)))
			continue;
		err = push_sample(g, &batch, i);
		if (!err && batch.nr == SAMPLE_BATCH_MAX)
			err = add_batch(g, &batch);
	}
	return err ? err : add_batch(g, &batch);
}

static struct model_value_type map_value_type(const struct merge *g,
					      const struct model_value_type *type)
{
	return (struct model_value_type){ merge_entries_string(&g->entries, type->type),
					  merge_entries_string(&g->entries, type->unit) };
}

/* Takes the parts of the header that are those of the first profile. */
static int start_sum(struct merge *g)
{
	const struct model *source = g->entries.source;
	struct model *sum = g->entries.sum;
	int err = 0;

	g->has_source = true;
	for (size_t i = 0; !err && i < source->sample_types.nr; i++) {
		struct model_value_type type = map_value_type(g, &source->sample_types.items[i]);

		err = model_add_sample_type(sum, &type);
	}
	sum->period_type = map_value_type(g, &source->period_type);
	sum->drop_frames = merge_entries_string(&g->entries, source->drop_frames);
	sum->keep_frames = merge_entries_string(&g->entries, source->keep_frames);
	return err;
}

static int add_comments(struct merge *g)
{
	const struct model *source = g->entries.source;
	struct model *sum = g->entries.sum;
	uint32_t string;
	int64_t id;

	for (size_t i = 0; i < source->comments.nr; i++) {
		string = merge_entries_string(&g->entries, source->comments.items[i]);
		id = span_set_add(&g->comments, (uint32_t[]){ string }, 1);
		if (id < 0)
			return id;
		if ((uint64_t)id > sum->comments.nr && model_add_comment(sum, string))
			return -ENOMEM;
	}
	return 0;
}

static bool has_type(const struct model *m, uint32_t name)
{
	for (size_t i = 0; i < m->sample_types.nr; i++)
		if (m->sample_types.items[i].type == name)
			return true;
	return false;
}

/* A default that was dropped becomes the first type. */
static void add_default_type(struct merge *g)
{
	struct model *sum = g->entries.sum;

	if (!sum->default_sample_type)
		sum->default_sample_type =
			merge_entries_string(&g->entries, g->entries.source->default_sample_type);
	if (sum->sample_types.nr && sum->default_sample_type && !g->columns.is_identity &&
	    !has_type(sum, sum->default_sample_type))
		sum->default_sample_type = sum->sample_types.items[0].type;
}

static int add_header(struct merge *g)
{
	const struct model *source = g->entries.source;
	struct model *sum = g->entries.sum;

	add_default_type(g);
	if (!sum->doc_url)
		sum->doc_url = merge_entries_string(&g->entries, source->doc_url);
	if (source->time_ns && (!sum->time_ns || source->time_ns < sum->time_ns))
		sum->time_ns = source->time_ns;
	sum->duration_ns = (uint64_t)sum->duration_ns + (uint64_t)source->duration_ns;
	if (!sum->period || sum->period < g->columns.period)
		sum->period = g->columns.period;
	return add_comments(g);
}

static int add_source(struct merge *g)
{
	int64_t err = add_header(g);

	if (!err && !g->entries.sum->mappings.nr && g->entries.source->mappings.nr)
		err = merge_entries_mapping(&g->entries, 0);
	return err < 0 ? err : add_samples(g);
}

int merge_add(struct merge *g, const struct model *source, enum merge_sign sign,
	      struct profile_fault *fault)
{
	int err;

	g->sign = sign;
	err = merge_entries_start(&g->entries, source, sign == MERGE_DIFF_BASE);
	if (!err && !g->has_source)
		err = start_sum(g);
	if (err)
		return profile_fault_errno(fault, err);
	err = merge_types_align(g->entries.sum, source, &g->columns, fault);
	if (err)
		return err;
	err = add_source(g);
	if (err)
		return profile_fault_errno(fault, err);
	if (g->has_overflow)
		return profile_fault_set(fault, PROFILE_FAULT_NO_OFFSET,
					 "expected sums of 63 bits, found larger ones: merge fewer profiles");
	return 0;
}

/* Drops samples whose sum is 0, and what only they used. */
static int compact(struct merge *g, struct model **out, struct profile_fault *fault)
{
	struct model *m = g->entries.sum;
	bool has_zero = false;

	for (size_t i = 0; !has_zero && i < m->samples.nr; i++) {
		const int64_t *values = model_values(m, i);
		size_t type = 0;

		while (type < m->sample_types.nr && !values[type])
			type++;
		has_zero = type == m->sample_types.nr;
	}
	if (has_zero)
		return merge_one(m, out, fault);
	model_trim(m);
	*out = m;
	g->entries.sum = NULL;
	return 0;
}

int merge_finish(struct merge *g, struct model **out, struct profile_fault *fault)
{
	if (!g->has_source)
		return profile_fault_set(fault, PROFILE_FAULT_NO_OFFSET,
					 "expected profiles, found none: name at least one");
	return compact(g, out, fault);
}

int merge_one(const struct model *source, struct model **out, struct profile_fault *fault)
{
	struct merge *g = merge_new();
	int err = g ? merge_add(g, source, MERGE_ADD, fault) : profile_fault_errno(fault, -ENOMEM);

	if (!err)
		err = merge_finish(g, out, fault);
	merge_free(g);
	return err;
}
