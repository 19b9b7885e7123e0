// SPDX-License-Identifier: GPL-2.0
#include "aggregate/label_sets.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pprof/profile.h"
#include "base/hash_index.h"
#include "base/tuple_map.h"
#include "base/string_table.h"
#include "procfs/cgroup.h"

/*
 * The labels of the collector, in the order of LABELS_WANT_*. The tuple of a label set has its
 * numbers in this order, too. The CPU is a string, since pprof does not show the number 0 without a
 * unit.
 */
static const struct {
	const char *key;
	bool is_string;
} fields[LABELS_NR_BITS] = {
	{ "pid", false }, { "tid", false }, { "cpu", true }, { "thread", true }, { "comm", true },
	{ "cgroup", true }, { "container", true }, { "pod", true }, { "unit", true },
	{ "class", true }, { "state", true },
};

/* A sample may have no CPU, although the user requested this label. */
#define LABEL_CPU	2
/* From here on: a sample may lack these, too. */
#define LABEL_CGROUP	5
/* The user cannot request these two: the profile type decides whether a sample has one. */
#define LABEL_CLASS	9
#define LABEL_STATE	10
/*
 * The last numbers of a tuple: the ids of the program's labels, of its resource attributes and of
 * the labels of its trace in label_sets.own, plus 1; 0: none.
 */
#define LABEL_OWN	LABELS_NR_BITS
#define LABEL_RESOURCE	(LABELS_NR_BITS + 1)
#define LABEL_TRACE	(LABELS_NR_BITS + 2)
#define NR_FIELDS	(LABELS_NR_BITS + 3)

/* Limit of the labels in a tuple of label_sets.own. */
#define MAX_OWN		LABELS_MAX_TRACE
_Static_assert(LABELS_MAX_RESOURCE <= MAX_OWN, "LABELS_MAX_RESOURCE is over MAX_OWN");
_Static_assert(PPROF_MAX_LABELS <= MAX_OWN, "PPROF_MAX_LABELS is over MAX_OWN");

#define FIRST_SLOTS	64	/* a power of two */

/* A label set of a program, as a record has brought it. */
struct sent_labels {
	uint64_t set;	/* its number in the records */
	struct labels_owner owner;
	uint32_t own;	/* its id in label_sets.own, plus 1; 0 if it has no label */
};

struct label_sets {
	unsigned int wanted;
	struct strtab *strings;
	/*
	 * A tuple is a label set. It has NR_FIELDS numbers: one for each of fields[], and at the
	 * end LABEL_OWN, LABEL_RESOURCE and LABEL_TRACE. The numbers of pid and tid are their
	 * values, and those of the other fields are indices in strings. The tag is 0. The number
	 * of a label set is the id of its tuple plus 1.
	 */
	struct tuple_map *sets;
	/*
	 * A tuple is labels of a program, or resource attributes: key, value, key, value, ..., as
	 * indices in strings. The tag is 0.
	 */
	struct tuple_map *own;
	/* Labels of traces, of the same form, so that these have a limit of their own. */
	struct tuple_map *traces;
	/* The sets of programs, in the order in which they came. by_set finds them. */
	struct sent_labels *sent;
	size_t nr_sent;
	size_t sent_room;
	struct hash_index by_set;
};

struct label_sets *labels_new(unsigned int wanted)
{
	struct label_sets *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->wanted = wanted;
	l->strings = strtab_new();
	l->sets = tuple_map_new(LABELS_MAX_SETS);
	l->own = tuple_map_new(UINT32_MAX >> 1);
	l->traces = tuple_map_new(LABELS_MAX_TRACES);
	if (!l->strings || !l->sets || !l->own || !l->traces ||
	    hash_index_init(&l->by_set, FIRST_SLOTS)) {
		labels_free(l);
		return NULL;
	}
	return l;
}

bool labels_want(const struct label_sets *l, unsigned int bits)
{
	return l->wanted & bits;
}

void labels_free(struct label_sets *l)
{
	if (!l)
		return;
	strtab_free(l->strings);
	tuple_map_free(l->sets);
	tuple_map_free(l->own);
	tuple_map_free(l->traces);
	hash_index_fini(&l->by_set);
	free(l->sent);
	free(l);
}

/* Label sets of programs */

static uint32_t hash_set(uint64_t set)
{
	return hash_index_hash_tid(set ^ set >> 32);
}

static const struct sent_labels *find_sent(const struct label_sets *l, uint64_t set)
{
	size_t i = hash_index_first(&l->by_set, hash_set(set));

	for (; l->by_set.slot[i].id1; i = hash_index_next(&l->by_set, i))
		if (l->sent[l->by_set.slot[i].id1 - 1].set == set)
			return &l->sent[l->by_set.slot[i].id1 - 1];
	return NULL;
}

static int add_sent(struct label_sets *l, const struct sent_labels *new)
{
	struct sent_labels *sent =
		array_grow(l->sent, &l->sent_room, l->nr_sent + 1, sizeof(*sent));

	if (!sent)
		return -ENOMEM;
	l->sent = sent;
	if (hash_index_reserve(&l->by_set, l->nr_sent + 1))
		return -ENOMEM;
	sent[l->nr_sent++] = *new;
	hash_index_put(&l->by_set, hash_set(new->set), l->nr_sent);
	return 0;
}

/*
 * Interns the strings in text: key, value, key, value, ... The length of text is `bytes`. A NUL
 * ends each string, but the last one may lack it. A last key without a value is dropped, and so are
 * labels over max.
 * Returns: the number of strings in tuple, or -ENOMEM.
 */
static int intern_strings(struct label_sets *l, const char *text, size_t bytes, int max,
			  uint64_t *tuple)
{
	size_t len;
	int nr = 0;

	for (; bytes && nr < 2 * max; text += len, bytes -= len) {
		int64_t index;

		len = strnlen(text, bytes);
		index = strtab_intern(l->strings, text, len);
		if (index < 0)
			return index;
		tuple[nr++] = index;
		len += len < bytes;
	}
	return nr & ~1;
}

/*
 * Interns the labels in text: see intern_strings().
 * Returns: their id in map, plus 1; 0 if there are none, or too many sets; or -ENOMEM.
 */
static int64_t intern_text(struct label_sets *l, struct tuple_map *map, const char *text,
			   size_t bytes, int max)
{
	uint64_t tuple[2 * MAX_OWN];
	int nr = intern_strings(l, text, bytes, max, tuple);
	int64_t id;

	if (nr <= 0)
		return nr;
	id = tuple_map_add(map, 0, tuple, nr, 1);
	return id == -ENOSPC ? 0 : id < 0 ? id : id + 1;
}

int labels_add_set(struct label_sets *l, const struct labels_owner *owner, uint64_t set,
		   const char *text, size_t bytes)
{
	struct sent_labels sent = { .set = set, .owner = *owner };
	int64_t own;

	if (find_sent(l, set))
		return 0;
	own = intern_text(l, l->own, text, bytes, PPROF_MAX_LABELS);
	sent.own = own;
	return own < 0 ? own : add_sent(l, &sent);
}

/* Label sets of samples */

/* Interns s if its label is wanted. If not, the index is 0, which is that of "". */
static int intern_field(struct label_sets *l, unsigned int bit, const char *s, uint64_t *field)
{
	int64_t index = 0;

	if (l->wanted & bit)
		index = strtab_intern(l->strings, s, strlen(s));
	*field = index;
	return index < 0 ? index : 0;
}

/* Interns s, which may be NULL: the index is 0 then. */
static int intern_given(struct label_sets *l, const char *s, uint64_t *field)
{
	int64_t index = s ? strtab_intern(l->strings, s, strlen(s)) : 0;

	*field = index;
	return index < 0 ? index : 0;
}

/* If the process has no cgroup, all four are "". */
static int intern_cgroup(struct label_sets *l, const struct cgroup *cgroup, uint64_t *fields_out)
{
	static const struct cgroup_names none;
	const struct cgroup_names *names = cgroup ? &cgroup->names : &none;
	int err = intern_field(l, LABELS_WANT_CGROUP, cgroup ? cgroup->path : "", &fields_out[0]);

	if (!err)
		err = intern_field(l, LABELS_WANT_CONTAINER, names->container, &fields_out[1]);
	if (!err)
		err = intern_field(l, LABELS_WANT_POD, names->pod, &fields_out[2]);
	if (!err)
		err = intern_field(l, LABELS_WANT_UNIT, names->unit, &fields_out[3]);
	return err;
}

static int intern_tuple(struct label_sets *l, const struct labels_values *v, uint64_t *tuple)
{
	char cpu[16] = "";
	int err;

	tuple[0] = l->wanted & LABELS_WANT_PID ? v->pid : 0;
	tuple[1] = l->wanted & LABELS_WANT_TID ? v->tid : 0;
	if (v->cpu != LABELS_NO_CPU)
		snprintf(cpu, sizeof(cpu), "%u", v->cpu);
	err = intern_field(l, LABELS_WANT_CPU, cpu, &tuple[LABEL_CPU]);
	if (!err)
		err = intern_field(l, LABELS_WANT_THREAD, v->thread, &tuple[3]);
	if (!err)
		err = intern_field(l, LABELS_WANT_COMM, v->comm, &tuple[4]);
	if (!err)
		err = intern_cgroup(l, v->cgroup, &tuple[LABEL_CGROUP]);
	if (!err)
		err = intern_given(l, v->class, &tuple[LABEL_CLASS]);
	if (!err)
		err = intern_given(l, v->state, &tuple[LABEL_STATE]);
	return err;
}

static int intern_texts(struct label_sets *l, const struct labels_values *v, uint64_t *tuple)
{
	int64_t resource = intern_text(l, l->own, v->resource, v->resource_bytes,
				       LABELS_MAX_RESOURCE);
	int64_t trace = intern_text(l, l->traces, v->trace, v->trace_bytes, LABELS_MAX_TRACE);

	tuple[LABEL_RESOURCE] = resource;
	tuple[LABEL_TRACE] = trace;
	return resource < 0 ? resource : trace < 0 ? trace : 0;
}

int64_t labels_intern(struct label_sets *l, const struct labels_values *v)
{
	const struct sent_labels *sent = v->set ? find_sent(l, v->set) : NULL;
	uint64_t tuple[NR_FIELDS];
	int64_t id;
	int err;

	tuple[LABEL_OWN] = sent ? sent->own : 0;
	err = intern_texts(l, v, tuple);
	if (err)
		return err;
	if (!l->wanted && !v->class && !v->state && !tuple[LABEL_OWN] && !tuple[LABEL_RESOURCE] &&
	    !tuple[LABEL_TRACE])
		return 0;
	err = intern_tuple(l, v, tuple);
	if (err)
		return err;
	id = tuple_map_add(l->sets, 0, tuple, NR_FIELDS, 1);
	return id < 0 ? id : id + 1;
}

size_t labels_nr(const struct label_sets *l)
{
	return tuple_map_nr(l->sets);
}

/* field is LABEL_OWN, LABEL_RESOURCE or LABEL_TRACE. out has room for MAX_OWN labels. */
static size_t get_own(const struct label_sets *l, const struct tuple *set, int field,
		      struct profile_label *out)
{
	const struct tuple *own;

	if (!set->frames[field])
		return 0;
	own = tuple_map_at(field == LABEL_TRACE ? l->traces : l->own, set->frames[field] - 1);
	for (size_t i = 0; i < own->nr_frames / 2; i++)
		out[i] = (struct profile_label){
			.key = strtab_at(l->strings, own->frames[2 * i]),
			.str = strtab_at(l->strings, own->frames[2 * i + 1]),
		};
	return own->nr_frames / 2;
}

size_t labels_get_own(const struct label_sets *l, uint64_t id, struct profile_label *out)
{
	return id ? get_own(l, tuple_map_at(l->sets, id - 1), LABEL_OWN, out) : 0;
}

static bool has_key(const struct profile_label *labels, size_t nr, const char *key)
{
	while (nr--)
		if (!strcmp(labels[nr].key, key))
			return true;
	return false;
}

/* Adds the labels of a field as get_own() does, except for those whose key is there already. */
static size_t append_own(const struct label_sets *l, const struct tuple *set, int field,
			 struct profile_label *out, size_t nr)
{
	struct profile_label own[MAX_OWN];
	size_t nr_own = get_own(l, set, field, own);

	for (size_t i = 0; i < nr_own; i++)
		if (!has_key(out, nr, own[i].key))
			out[nr++] = own[i];
	return nr;
}

static bool has_label(const struct label_sets *l, const struct tuple *set, unsigned int bit)
{
	if (bit == LABEL_CPU || bit >= LABEL_CGROUP)
		return set->frames[bit];
	return l->wanted & (1U << bit);
}

size_t labels_get(const struct label_sets *l, uint64_t id, struct profile_label *out)
{
	const struct tuple *set;
	size_t nr = 0;

	if (!id)
		return 0;
	set = tuple_map_at(l->sets, id - 1);
	for (unsigned int bit = 0; bit < LABELS_NR_BITS; bit++) {
		if (!has_label(l, set, bit))
			continue;
		out[nr] = (struct profile_label){ .key = fields[bit].key, .num = set->frames[bit] };
		if (fields[bit].is_string)
			out[nr].str = strtab_at(l->strings, set->frames[bit]);
		nr++;
	}
	nr = append_own(l, set, LABEL_OWN, out, nr);
	nr = append_own(l, set, LABEL_TRACE, out, nr);
	return append_own(l, set, LABEL_RESOURCE, out, nr);
}

/* The copies of the tables of labels. They lack what only removed sets refer to. */
struct copy {
	struct strtab *strings;
	struct tuple_map *sets;
	struct tuple_map *own;
	struct tuple_map *traces;
};

/* Copies a string, and sets *field to its new index. */
static int copy_string(const struct label_sets *l, struct strtab *to, uint64_t *field)
{
	int64_t index = strtab_intern(to, strtab_at(l->strings, *field),
				      strtab_len(l->strings, *field));

	*field = index;
	return index < 0 ? index : 0;
}

/* Copies labels to the map to, which is own or traces of copy. Returns: their id, or -ENOMEM. */
static int64_t copy_labels(const struct label_sets *l, const struct copy *copy,
			   struct tuple_map *to, const struct tuple *labels)
{
	uint64_t tuple[2 * MAX_OWN];
	int err = 0;

	memcpy(tuple, labels->frames, labels->nr_frames * sizeof(*tuple));
	for (uint32_t i = 0; !err && i < labels->nr_frames; i++)
		err = copy_string(l, copy->strings, &tuple[i]);
	return err ? err : tuple_map_add(to, 0, tuple, labels->nr_frames, 1);
}

static int copy_set(const struct label_sets *l, const struct copy *to, const struct tuple *set)
{
	uint64_t tuple[NR_FIELDS];
	int64_t id = 0;

	memcpy(tuple, set->frames, sizeof(tuple));
	for (unsigned int i = 0; !id && i < LABELS_NR_BITS; i++)
		if (fields[i].is_string)
			id = copy_string(l, to->strings, &tuple[i]);
	for (int field = LABEL_OWN; id >= 0 && field < NR_FIELDS; field++) {
		struct tuple_map *from = field == LABEL_TRACE ? l->traces : l->own;

		if (!tuple[field])
			continue;
		id = copy_labels(l, to, field == LABEL_TRACE ? to->traces : to->own,
				 tuple_map_at(from, tuple[field] - 1));
		tuple[field] = id + 1;
	}
	if (id >= 0)
		id = tuple_map_add(to->sets, 0, tuple, NR_FIELDS, 1);
	return id < 0 ? id : 0;
}

static int copy_all(const struct label_sets *l, const struct copy *to, const uint32_t *new_numbers)
{
	int64_t err = to->strings && to->sets && to->own && to->traces ? 0 : -ENOMEM;

	for (size_t i = 0; err >= 0 && i < tuple_map_nr(l->sets); i++)
		if (new_numbers[i + 1])
			err = copy_set(l, to, tuple_map_at(l->sets, i));
	return err < 0 ? err : 0;
}

/* Copies the sets of programs that run, and those of the labels that they have. */
static int copy_sent(const struct label_sets *l, const struct copy *to, struct label_sets *sent,
		     labels_is_running_fn is_running, void *ctx)
{
	int err = hash_index_init(&sent->by_set, FIRST_SLOTS) ? -ENOMEM : 0;

	for (size_t i = 0; !err && i < l->nr_sent; i++) {
		struct sent_labels set = l->sent[i];
		int64_t id = -1;

		if (!is_running(ctx, &set.owner))
			continue;
		if (set.own)
			id = copy_labels(l, to, to->own, tuple_map_at(l->own, set.own - 1));
		set.own = id + 1;
		err = id == -ENOMEM ? -ENOMEM : add_sent(sent, &set);
	}
	return err;
}

int labels_keep(struct label_sets *l, const uint32_t *new_numbers, labels_is_running_fn is_running,
		void *ctx)
{
	struct copy copy = {
		strtab_new(), tuple_map_new(LABELS_MAX_SETS), tuple_map_new(UINT32_MAX >> 1),
		tuple_map_new(LABELS_MAX_TRACES),
	};
	struct label_sets old = *l, sent = { 0 };
	int err = copy_all(l, &copy, new_numbers);

	if (!err)
		err = copy_sent(l, &copy, &sent, is_running, ctx);
	if (!err) {
		*l = (struct label_sets){
			l->wanted, copy.strings, copy.sets, copy.own, copy.traces, sent.sent,
			sent.nr_sent, sent.sent_room, sent.by_set,
		};
		copy = (struct copy){ old.strings, old.sets, old.own, old.traces };
		sent = old;
	}
	strtab_free(copy.strings);
	tuple_map_free(copy.sets);
	tuple_map_free(copy.own);
	tuple_map_free(copy.traces);
	hash_index_fini(&sent.by_set);
	free(sent.sent);
	return err;
}
