// SPDX-License-Identifier: GPL-2.0
#include "formats/firefox_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/tuple_map.h"
#include "pprof/model.h"

#define NONE	UINT32_MAX

/* Takes a label if it is one of the four. The first of equal keys counts. */
static void take_label(struct firefox_thread *thread, const struct model *m,
		       const struct model_label *label)
{
	const char *key = model_string(m, label->key);

	if (label->is_number && thread->pid < 0 && !strcmp(key, "pid"))
		thread->pid = label->num;
	else if (label->is_number && thread->tid < 0 && !strcmp(key, "tid"))
		thread->tid = label->num;
	else if (!label->is_number && !thread->name && !strcmp(key, "thread"))
		thread->name = label->str;
	else if (!label->is_number && !thread->comm && !strcmp(key, "comm"))
		thread->comm = label->str;
}

/* Threads change their names, and keep their tid. Returns: the index, or -ENOMEM. */
static int64_t add_thread(struct firefox_threads *t, const struct firefox_thread *thread)
{
	bool has_tid = thread->tid >= 0;
	const uint64_t key[] = {
		thread->pid, thread->tid,
		has_tid ? 0 : thread->name, has_tid ? 0 : thread->comm,
	};
	int64_t id = tuple_map_add(t->ids, 0, key, 4, 0);

	if (id < 0 || (size_t)id < t->nr)
		return id;
	return ARRAY_APPEND(*t, thread, 1) ? -ENOMEM : id;
}

static int find_thread(struct firefox_threads *t, const struct model *m, uint32_t set)
{
	struct firefox_thread thread = { .pid = -1, .tid = -1 };
	uint32_t nr;
	const struct model_label *labels = model_labels(m, set, &nr);
	int64_t id;

	if (t->of_set[set] != NONE)
		return 0;
	for (uint32_t i = 0; i < nr; i++)
		take_label(&thread, m, &labels[i]);
	id = add_thread(t, &thread);
	if (id < 0)
		return id;
	t->of_set[set] = id;
	return 0;
}

/* Sorts the samples by thread, in linear time. */
static void sort_samples(struct firefox_threads *t, const struct model *m)
{
	size_t first = 0;

	for (size_t i = 0; i < m->samples.nr; i++)
		t->items[t->of_set[m->samples.items[i].label_set]].nr_samples++;
	for (size_t i = 0; i < t->nr; i++) {
		t->items[i].first_sample = first;
		first += t->items[i].nr_samples;
		t->items[i].nr_samples = 0;
	}
	for (size_t i = 0; i < m->samples.nr; i++) {
		struct firefox_thread *thread = &t->items[t->of_set[m->samples.items[i].label_set]];

		t->samples[thread->first_sample + thread->nr_samples++] = i;
	}
}

int firefox_threads_init(struct firefox_threads *t, const struct model *m)
{
	int err = 0;

	*t = (struct firefox_threads){
		.ids = tuple_map_new(UINT32_MAX),
		.of_set = malloc(m->label_sets.nr * sizeof(*t->of_set)),
		.samples = malloc((m->samples.nr + 1) * sizeof(*t->samples)),
	};
	if (!t->ids || !t->of_set || !t->samples)
		return -ENOMEM;
	memset(t->of_set, 0xFF, m->label_sets.nr * sizeof(*t->of_set));
	for (size_t i = 0; !err && i < m->samples.nr; i++)
		err = find_thread(t, m, m->samples.items[i].label_set);
	if (!err && !t->nr)
		err = find_thread(t, m, 0);
	if (!err)
		sort_samples(t, m);
	return err;
}

void firefox_threads_fini(struct firefox_threads *t)
{
	free(t->items);
	free(t->samples);
	free(t->of_set);
	tuple_map_free(t->ids);
}
