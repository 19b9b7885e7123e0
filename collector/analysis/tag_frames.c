// SPDX-License-Identifier: GPL-2.0
#include "analysis/tag_frames.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/unit.h"
#include "base/array.h"
#include "base/span_set.h"
#include "pprof/model.h"

struct ids {
	uint32_t *items;
	size_t nr;
	size_t room;
};

struct tag_frames {
	struct model *model;
	const char *unit;
	struct ids root_keys;		/* strings, in the order of the option */
	struct ids leaf_keys;
	struct span_set names;		/* {name, key} of each location */
	uint32_t first_location;	/* of those that are added */
	struct ids roots;		/* locations that the current sample gets */
	struct ids stack;
	/* A stream into memory, for the text of one name. It is written again from its start. */
	FILE *out;
	char *text;
	size_t text_len;
};

static int add_keys(struct model *m, struct ids *keys, const char *s)
{
	size_t len;
	int64_t key;
	uint32_t string;

	for (; s && *s; s += len + (s[len] == ',')) {
		len = strcspn(s, ",");
		if (!len)
			continue;
		key = model_add_string(m, s, len);
		string = key;
		if (key < 0 || ARRAY_APPEND(*keys, &string, 1))
			return -ENOMEM;
	}
	return 0;
}

static bool has_unit(const struct model_label *labels, uint32_t nr, uint32_t key)
{
	for (uint32_t i = 0; i < nr; i++)
		if (labels[i].key == key && labels[i].unit)
			return true;
	return false;
}

static void print_value(FILE *out, const struct tag_frames *t, const struct model_label *label,
			bool has_unit_somewhere)
{
	const struct model *m = t->model;
	struct unit_label text;

	if (!label->is_number) {
		fwrite(model_string(m, label->str), 1, strtab_len(m->strings, label->str), out);
		return;
	}
	/* As in pprof: if no number of the key has a unit, the numbers stay as they are. */
	text = unit_label(label->num, model_string(m, label->unit),
			  has_unit_somewhere ? t->unit : "");
	unit_label_print(out, &text, 0);
}

/* Adds the values of a key as a string. Returns: the string, or a negative errno. */
static int64_t add_name(struct tag_frames *t, uint32_t label_set, uint32_t key, bool *found)
{
	uint32_t nr;
	const struct model_label *labels = model_labels(t->model, label_set, &nr);
	bool with_unit = has_unit(labels, nr, key);
	const char *comma = "";

	rewind(t->out);
	for (uint32_t i = 0; i < nr; i++) {
		if (labels[i].key != key)
			continue;
		fputs(comma, t->out);
		print_value(t->out, t, &labels[i], with_unit);
		comma = ",";
		*found = true;
	}
	return fflush(t->out) ? -ENOMEM : model_add_string(t->model, t->text, t->text_len);
}

static int64_t add_location(struct tag_frames *t, const uint32_t *name_and_key)
{
	struct model_function function = { .name = name_and_key[0], .file = name_and_key[1] };
	struct model_location location = { .mapping = MODEL_NONE, .is_label = true };
	struct model_line line = {};
	int64_t index = model_add_function(t->model, &function);

	if (index < 0)
		return index;
	line.function = index;
	return model_add_location(t->model, &location, &line, 1);
}

/* Finds or adds the location of a name and a key. Returns: its index, or a negative errno. */
static int64_t find_location(struct tag_frames *t, uint32_t name, uint32_t key)
{
	uint32_t pair[] = { name, key };
	size_t nr = t->names.nr;
	int64_t id = span_set_add(&t->names, pair, 1);

	if (id < 0)
		return id;
	if (t->names.nr > nr)
		return add_location(t, pair);
	return t->first_location + id - 1;	/* 0 is the empty span */
}

/* Appends the frames of the keys to a stack, the last key first. */
static int append_frames(struct tag_frames *t, struct ids *stack, const struct ids *keys,
			 uint32_t label_set, bool *found)
{
	for (size_t i = keys->nr; i--;) {
		int64_t id = add_name(t, label_set, keys->items[i], found);
		uint32_t location;

		if (id >= 0)
			id = find_location(t, id, keys->items[i]);
		if (id < 0)
			return id;
		location = id;
		if (ARRAY_APPEND(*stack, &location, 1))
			return -ENOMEM;
	}
	return 0;
}

/* As in Go's pprof, locations are made for the roots first. */
static int add_to_sample(struct tag_frames *t, struct model_sample *sample,
			 struct tag_frames_found *found)
{
	uint32_t nr;
	const uint32_t *locations = model_stack(t->model, sample->stack, &nr);
	int64_t stack;
	int err;

	t->roots.nr = 0;
	t->stack.nr = 0;
	err = append_frames(t, &t->roots, &t->root_keys, sample->label_set, &found->root);
	if (!err)
		err = append_frames(t, &t->stack, &t->leaf_keys, sample->label_set, &found->leaf);
	if (!err)
		err = ARRAY_APPEND(t->stack, locations, nr);
	if (!err)
		err = ARRAY_APPEND(t->stack, t->roots.items, t->roots.nr);
	if (err)
		return err;
	stack = model_add_stack(t->model, t->stack.items, t->stack.nr);
	if (stack < 0)
		return stack;
	sample->stack = stack;
	return 0;
}

static int add_to_samples(struct tag_frames *t, const struct tag_frames_keys *keys,
			  struct tag_frames_found *found)
{
	struct model *m = t->model;
	int err = span_set_init(&t->names, 2 * sizeof(uint32_t));

	if (!err)
		err = add_keys(m, &t->root_keys, keys->root);
	if (!err)
		err = add_keys(m, &t->leaf_keys, keys->leaf);
	if (err || (!t->root_keys.nr && !t->leaf_keys.nr))
		return err;
	t->out = open_memstream(&t->text, &t->text_len);
	if (!t->out)
		return -ENOMEM;
	for (size_t i = 0; i < m->samples.nr && !err; i++)
		err = add_to_sample(t, &m->samples.items[i], found);
	return err;
}

int tag_frames_add(struct model *m, const struct tag_frames_keys *keys, const char *unit,
		   struct tag_frames_found *found)
{
	struct tag_frames t = { .model = m, .unit = unit, .first_location = m->locations.nr };
	int err;

	*found = (struct tag_frames_found){};
	err = add_to_samples(&t, keys, found);
	if (t.out)
		fclose(t.out);
	free(t.text);
	span_set_fini(&t.names);
	free(t.root_keys.items);
	free(t.leaf_keys.items);
	free(t.roots.items);
	free(t.stack.items);
	return err;
}
