// SPDX-License-Identifier: GPL-2.0
#include "labels.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "stacks.h"
#include "strtab.h"

/*
 * The labels in the order of their bits; a set's words are in this order too.
 * The CPU is a string, since pprof doesn't show a number 0 without a unit.
 */
static const struct {
	const char *key;
	bool is_string;
} kinds[LABELS_MAX] = {
	{ "pid", false }, { "tid", false }, { "cpu", true }, { "thread", true }, { "comm", true },
	{ "class", true }, { "state", true },
};

/* From here on nobody asks for them: a kind has one or has not. */
#define LABEL_CLASS	5
#define LABEL_STATE	6

struct labels {
	unsigned int wanted;
	struct strtab *strings;
	struct stacks *sets;	/* a map of word arrays is what we need */
};

struct labels *labels_new(unsigned int wanted)
{
	struct labels *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->wanted = wanted;
	l->strings = strtab_new();
	l->sets = stacks_new(UINT32_MAX >> 5);
	if (!l->strings || !l->sets) {
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
	free(l);
}

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
	char cpu[16];
	int err;

	words[0] = l->wanted & CONFIG_LABEL_PID ? v->pid : 0;
	words[1] = l->wanted & CONFIG_LABEL_TID ? v->tid : 0;
	snprintf(cpu, sizeof(cpu), "%u", v->cpu);
	err = intern_word(l, CONFIG_LABEL_CPU, cpu, &words[2]);
	if (!err)
		err = intern_word(l, CONFIG_LABEL_THREAD, v->thread, &words[3]);
	if (!err)
		err = intern_word(l, CONFIG_LABEL_COMM, v->comm, &words[4]);
	if (!err)
		err = intern_given(l, v->class, &words[LABEL_CLASS]);
	if (!err)
		err = intern_given(l, v->state, &words[LABEL_STATE]);
	return err;
}

int64_t labels_intern(struct labels *l, const struct labels_values *v)
{
	uint64_t words[LABELS_MAX];
	int64_t id;
	int err;

	if (!l->wanted && !v->class && !v->state)
		return 0;
	err = intern_words(l, v, words);
	if (err)
		return err;
	id = stacks_add(l->sets, 0, words, LABELS_MAX, 1);
	return id < 0 ? id : id + 1;
}

size_t labels_get(const struct labels *l, uint64_t id, struct profile_label *out)
{
	const struct stack *set;
	size_t nr = 0;

	if (!id)
		return 0;
	set = stacks_at(l->sets, id - 1);
	for (unsigned int bit = 0; bit < LABELS_MAX; bit++) {
		if (bit >= LABEL_CLASS ? !set->frames[bit] : !(l->wanted & (1U << bit)))
			continue;
		out[nr] = (struct profile_label){ .key = kinds[bit].key, .num = set->frames[bit] };
		if (kinds[bit].is_string)
			out[nr].str = strtab_at(l->strings, set->frames[bit]);
		nr++;
	}
	return nr;
}
