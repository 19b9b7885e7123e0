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

/*
 * The labels in the order of their bits; a set's words are in this order too.
 * The CPU is a string, since pprof doesn't show a number 0 without a unit.
 */
static const struct {
	const char *key;
	bool is_string;
} kinds[LABELS_NR_KINDS] = {
	{ "pid", false }, { "tid", false }, { "cpu", true }, { "thread", true }, { "comm", true },
	{ "class", true }, { "state", true },
};

/* Not all samples have one, though it was asked for. */
#define LABEL_CPU	2
/* From here on nobody asks for them: a kind has one or has not. */
#define LABEL_CLASS	5
#define LABEL_STATE	6
/* Of the program's own, the number of their words in own, plus 1. */
#define LABEL_OWN	LABELS_NR_KINDS
#define NR_WORDS	(LABELS_NR_KINDS + 1)

#define FIRST_SLOTS	64	/* a power of two */

struct told {
	uint64_t set;
	uint32_t own;	/* as the word LABEL_OWN */
};

struct labels {
	unsigned int wanted;
	struct strtab *strings;
	struct stacks *sets;	/* a map of word arrays is what we need */
	struct stacks *own;	/* likewise: keys and values by turns */
	struct told *told;
	size_t nr_told;
	size_t told_room;
	struct slots by_set;
};

struct labels *labels_new(unsigned int wanted)
{
	struct labels *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->wanted = wanted;
	l->strings = strtab_new();
	l->sets = stacks_new(UINT32_MAX >> 5);
	l->own = stacks_new(UINT32_MAX >> 1);
	if (!l->strings || !l->sets || !l->own || slots_init(&l->by_set, FIRST_SLOTS)) {
		labels_free(l);
		return NULL;
	}
	return l;
}

void labels_free(struct labels *l)
{
	if (!l)
		return;
	strtab_free(l->strings);
	stacks_free(l->sets);
	stacks_free(l->own);
	slots_fini(&l->by_set);
	free(l->told);
	free(l);
}

/* What programs tell */

static uint32_t hash_set(uint64_t set)
{
	return slots_hash_tid(set ^ set >> 32);
}

static const struct told *find_told(const struct labels *l, uint64_t set)
{
	size_t i = slots_first(&l->by_set, hash_set(set));

	for (; l->by_set.slot[i].id1; i = slots_next(&l->by_set, i))
		if (l->told[l->by_set.slot[i].id1 - 1].set == set)
			return &l->told[l->by_set.slot[i].id1 - 1];
	return NULL;
}

static int note_told(struct labels *l, uint64_t set, uint32_t own)
{
	struct told *told = array_grow(l->told, &l->told_room, l->nr_told + 1, sizeof(*told));

	if (!told)
		return -ENOMEM;
	l->told = told;
	if (slots_reserve(&l->by_set, l->nr_told + 1))
		return -ENOMEM;
	told[l->nr_told++] = (struct told){ .set = set, .own = own };
	slots_put(&l->by_set, hash_set(set), l->nr_told);
	return 0;
}

/* The strings of text, of which none goes beyond its end: how many, or -ENOMEM. */
static int intern_text(struct labels *l, const char *text, size_t bytes, uint64_t *words)
{
	size_t len;
	int nr = 0;

	for (; bytes && nr < 2 * PPROF_MAX_LABELS; text += len, bytes -= len) {
		int64_t index;

		len = strnlen(text, bytes);
		index = strtab_intern(l->strings, text, len);
		if (index < 0)
			return index;
		words[nr++] = index;
		len += len < bytes;
	}
	return nr & ~1;
}

int labels_tell(struct labels *l, uint64_t set, const char *text, size_t bytes)
{
	uint64_t words[2 * PPROF_MAX_LABELS];
	int64_t id;
	int nr;

	if (find_told(l, set))
		return 0;
	nr = intern_text(l, text, bytes, words);
	if (nr < 0)
		return nr;
	id = nr ? stacks_add(l->own, 0, words, nr, 1) : -1;
	return id == -ENOMEM ? id : note_told(l, set, id + 1);
}

/* The labels of a sample */

/* 0, the index of "", for a label that is not wanted. */
static int intern_word(struct labels *l, unsigned int bit, const char *s, uint64_t *word)
{
	int64_t index = 0;

	if (l->wanted & bit)
		index = strtab_intern(l->strings, s, strlen(s));
	*word = index;
	return index < 0 ? index : 0;
}

static int intern_given(struct labels *l, const char *s, uint64_t *word)
{
	int64_t index = s ? strtab_intern(l->strings, s, strlen(s)) : 0;

	*word = index;
	return index < 0 ? index : 0;
}

static int intern_words(struct labels *l, const struct labels_values *v, uint64_t *words)
{
	char cpu[16] = "";
	int err;

	words[0] = l->wanted & LABELS_WANT_PID ? v->pid : 0;
	words[1] = l->wanted & LABELS_WANT_TID ? v->tid : 0;
	if (v->cpu != LABELS_NO_CPU)
		snprintf(cpu, sizeof(cpu), "%u", v->cpu);
	err = intern_word(l, LABELS_WANT_CPU, cpu, &words[LABEL_CPU]);
	if (!err)
		err = intern_word(l, LABELS_WANT_THREAD, v->thread, &words[3]);
	if (!err)
		err = intern_word(l, LABELS_WANT_COMM, v->comm, &words[4]);
	if (!err)
		err = intern_given(l, v->class, &words[LABEL_CLASS]);
	if (!err)
		err = intern_given(l, v->state, &words[LABEL_STATE]);
	return err;
}

int64_t labels_intern(struct labels *l, const struct labels_values *v)
{
	const struct told *told = v->set ? find_told(l, v->set) : NULL;
	uint64_t words[NR_WORDS];
	int64_t id;
	int err;

	words[LABEL_OWN] = told ? told->own : 0;
	if (!l->wanted && !v->class && !v->state && !words[LABEL_OWN])
		return 0;
	err = intern_words(l, v, words);
	if (err)
		return err;
	id = stacks_add(l->sets, 0, words, NR_WORDS, 1);
	return id < 0 ? id : id + 1;
}

static size_t get_own(const struct labels *l, const struct stack *set, struct profile_label *out)
{
	const struct stack *own;

	if (!set->frames[LABEL_OWN])
		return 0;
	own = stacks_at(l->own, set->frames[LABEL_OWN] - 1);
	for (size_t i = 0; i < own->nr_frames / 2; i++)
		out[i] = (struct profile_label){
			.key = strtab_at(l->strings, own->frames[2 * i]),
			.str = strtab_at(l->strings, own->frames[2 * i + 1]),
		};
	return own->nr_frames / 2;
}

size_t labels_get_own(const struct labels *l, uint64_t id, struct profile_label *out)
{
	return id ? get_own(l, stacks_at(l->sets, id - 1), out) : 0;
}

static bool has_key(const struct profile_label *labels, size_t nr, const char *key)
{
	while (nr--)
		if (!strcmp(labels[nr].key, key))
			return true;
	return false;
}

/* A program's label does not stand beside one of ours with the same key. */
static size_t append_own(const struct labels *l, const struct stack *set,
			 struct profile_label *out, size_t nr)
{
	struct profile_label own[PPROF_MAX_LABELS];
	size_t nr_own = get_own(l, set, own), nr_ours = nr;

	for (size_t i = 0; i < nr_own; i++)
		if (!has_key(out, nr_ours, own[i].key))
			out[nr++] = own[i];
	return nr;
}

static bool has_label(const struct labels *l, const struct stack *set, unsigned int bit)
{
	if (bit == LABEL_CPU || bit >= LABEL_CLASS)
		return set->frames[bit];
	return l->wanted & (1U << bit);
}

size_t labels_get(const struct labels *l, uint64_t id, struct profile_label *out)
{
	const struct stack *set;
	size_t nr = 0;

	if (!id)
		return 0;
	set = stacks_at(l->sets, id - 1);
	for (unsigned int bit = 0; bit < LABELS_NR_KINDS; bit++) {
		if (!has_label(l, set, bit))
			continue;
		out[nr] = (struct profile_label){ .key = kinds[bit].key, .num = set->frames[bit] };
		if (kinds[bit].is_string)
			out[nr].str = strtab_at(l->strings, set->frames[bit]);
		nr++;
	}
	return append_own(l, set, out, nr);
}
