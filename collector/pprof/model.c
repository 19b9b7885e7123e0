// SPDX-License-Identifier: GPL-2.0
#include "pprof/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Appends nr_new items to an array of struct model. Evaluates to 0, -ENOMEM or -EOVERFLOW. */
#define APPEND(array, new, nr_new)						\
	((nr_new) > MODEL_NONE - (array).nr ? -EOVERFLOW : ARRAY_APPEND(array, new, nr_new))

struct model *model_new(void)
{
	struct model *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->strings = strtab_new();
	if (m->strings && !span_set_init(&m->stacks, sizeof(uint32_t)) &&
	    !span_set_init(&m->label_sets, sizeof(struct model_label)))
		return m;
	model_free(m);
	errno = ENOMEM;
	return NULL;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	strtab_free(m->strings);
	free(m->sample_types.items);
	free(m->mappings.items);
	free(m->locations.items);
	free(m->lines.items);
	free(m->functions.items);
	free(m->samples.items);
	free(m->values.items);
	free(m->mapping_ids.items);
	free(m->location_ids.items);
	span_set_fini(&m->stacks);
	span_set_fini(&m->label_sets);
	free(m->comments.items);
	free(m);
}

int64_t model_add_string(struct model *m, const char *s, size_t len)
{
	return strtab_intern(m->strings, s, len);
}

int model_add_sample_type(struct model *m, const struct model_value_type *type)
{
	return APPEND(m->sample_types, type, 1);
}

int64_t model_add_mapping(struct model *m, const struct model_mapping *mapping)
{
	int err = APPEND(m->mappings, mapping, 1);

	return err ? err : (int64_t)m->mappings.nr - 1;
}

int64_t model_add_function(struct model *m, const struct model_function *function)
{
	int err = APPEND(m->functions, function, 1);

	return err ? err : (int64_t)m->functions.nr - 1;
}

int64_t model_add_location(struct model *m, const struct model_location *location,
			   const struct model_line *lines, size_t nr_lines)
{
	struct model_location l = *location;
	int err;

	l.first_line = m->lines.nr;
	l.nr_lines = nr_lines;
	err = APPEND(m->lines, lines, nr_lines);
	if (err)
		return err;
	err = APPEND(m->locations, &l, 1);
	if (!err)
		return m->locations.nr - 1;
	m->lines.nr = l.first_line;
	return err;
}

int64_t model_add_stack(struct model *m, const uint32_t *locations, size_t nr)
{
	return span_set_add(&m->stacks, locations, nr);
}

/* Does a come after b in a label set? */
static bool is_after(const struct model *m, const struct model_label *a,
		     const struct model_label *b)
{
	if (a->is_number != b->is_number)
		return a->is_number;
	return a->key != b->key &&
	       strtab_compare(m->strings, a->key, b->key) > 0;
}

/* A stable insertion sort: sets are short, and mostly sorted already. */
static void insert_label(const struct model *m, struct model_label *set, size_t nr,
			 const struct model_label *label)
{
	for (; nr && is_after(m, &set[nr - 1], label); nr--)
		set[nr] = set[nr - 1];
	set[nr] = *label;
}

int64_t model_add_label_set(struct model *m, const struct model_label *labels, size_t nr)
{
	struct model_label *set = span_set_reserve(&m->label_sets, nr);

	if (!set)
		return -errno;
	for (size_t i = 0; i < nr; i++)
		insert_label(m, set, i, &labels[i]);
	return span_set_take(&m->label_sets, nr);
}

int model_add_sample(struct model *m, const struct model_sample *sample, const int64_t *values)
{
	size_t nr_types = m->sample_types.nr;
	int64_t *grown = array_grow(m->values.items, &m->values.room, m->values.nr + nr_types,
				    sizeof(*grown));
	int err;

	if (!grown)
		return -ENOMEM;
	m->values.items = grown;
	err = APPEND(m->samples, sample, 1);
	if (err)
		return err;
	for (size_t i = 0; i < nr_types; i++)
		grown[m->values.nr++] = values ? values[i] : 0;
	return 0;
}

int model_add_comment(struct model *m, uint32_t string)
{
	return APPEND(m->comments, &string, 1);
}

size_t model_keep_samples(struct model *m, bool (*keep)(const struct model *m, size_t sample,
							void *ctx), void *ctx)
{
	size_t nr_kept = 0, nr_types = m->sample_types.nr, nr_dropped;

	for (size_t i = 0; i < m->samples.nr; i++) {
		if (!keep(m, i, ctx))
			continue;
		m->samples.items[nr_kept] = m->samples.items[i];
		if (nr_types)
			memmove(model_values(m, nr_kept), model_values(m, i),
				nr_types * sizeof(int64_t));
		nr_kept++;
	}
	nr_dropped = m->samples.nr - nr_kept;
	m->samples.nr = nr_kept;
	m->values.nr = nr_kept * nr_types;
	return nr_dropped;
}

void model_trim(struct model *m)
{
	span_set_trim(&m->stacks);
	span_set_trim(&m->label_sets);
}

bool model_has_text(const struct model *m, uint32_t label_set, const char *key, const char *value)
{
	uint32_t nr;
	const struct model_label *labels = model_labels(m, label_set, &nr);

	for (uint32_t i = 0; i < nr; i++)
		if (!labels[i].is_number && !strcmp(model_string(m, labels[i].key), key) &&
		    (!value || !strcmp(model_string(m, labels[i].str), value)))
			return true;
	return false;
}

static int find_type(const struct model *m, const char *name)
{
	for (size_t i = 0; i < m->sample_types.nr; i++)
		if (!strcmp(model_string(m, m->sample_types.items[i].type), name))
			return i;
	return -ENOENT;
}

/* As in Go, "+1" and "01" are numbers, too. */
static bool is_number(const char *name, long *number)
{
	char *end;

	errno = 0;
	*number = strtol(name, &end, 10);
	return *name && !name[strspn(name, "+-0123456789")] && !*end && !errno;
}

int model_find_sample_type(const struct model *m, const char *name)
{
	int found = find_type(m, name);
	long number;

	if (is_number(name, &number))
		return number >= 0 && (size_t)number < m->sample_types.nr ? number : -ENOENT;
	if (found < 0 && !strncmp(name, "inuse_", 6))
		found = find_type(m, name + 6);
	return found;
}

int model_default_sample_type(const struct model *m)
{
	int found = -ENOENT;

	if (m->default_sample_type)
		found = find_type(m, model_string(m, m->default_sample_type));
	if (found < 0 && m->sample_types.nr)
		found = m->sample_types.nr - 1;
	return found;
}
