// SPDX-License-Identifier: GPL-2.0
#include "analysis/tags.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/columns.h"
#include "analysis/label_units.h"
#include "analysis/report.h"
#include "analysis/wrap.h"
#include "base/array.h"
#include "base/string_table.h"
#include "base/tuple_map.h"
#include "pprof/model.h"

/* The sum of the samples of a label set. */
struct set_sum {
	int64_t value;
	bool is_used;
};

/* A value of a key. Strings are those of tags.strings. */
struct tag {
	uint32_t key;
	uint32_t text;
	int64_t value;
};

struct tags {
	const struct report *report;
	const struct label_units *units;
	struct strtab *strings;
	struct tuple_map *ids;		/* tags by key and text */
	struct tag *items;
	size_t nr;
	size_t room;
};

static int64_t intern(struct tags *t, uint32_t string)
{
	const struct model *m = t->report->model;

	return strtab_intern(t->strings, model_string(m, string), strtab_len(m->strings, string));
}

/* Returns: the text of a label's value, or a negative errno. */
static int64_t value_text(struct tags *t, const struct model_label *l)
{
	const struct model *m = t->report->model;
	struct unit_label label;
	int64_t string;
	char *text;
	int len;

	if (!l->is_number)
		return intern(t, l->str);
	label = unit_label(l->num, label_units_get(t->units, m, l->key), t->report->unit);
	len = asprintf(&text, "%s%s", label.number, label.unit);
	if (len < 0)
		return -ENOMEM;
	string = strtab_intern(t->strings, text, len);
	free(text);
	return string;
}

static int add_label(struct tags *t, const struct model_label *l, int64_t value)
{
	int64_t key = intern(t, l->key), text = value_text(t, l), id;
	struct tag tag = { .key = key, .text = text };
	uint64_t parts[] = { key, text };

	if (key < 0 || text < 0)
		return -ENOMEM;
	id = tuple_map_add(t->ids, 0, parts, 2, 0);
	if (id < 0)
		return id;
	if ((size_t)id == t->nr && ARRAY_APPEND(*t, &tag, 1))
		return -ENOMEM;
	t->items[id].value = wrap_add(t->items[id].value, value);
	return 0;
}

static int add_label_set(struct tags *t, uint32_t set, int64_t value)
{
	uint32_t nr;
	const struct model_label *labels = model_labels(t->report->model, set, &nr);
	int err = 0;

	for (uint32_t i = 0; !err && i < nr; i++)
		err = add_label(t, &labels[i], value);
	return err;
}

static int add_samples(struct tags *t)
{
	const struct model *m = t->report->model;
	struct set_sum *sums = calloc(m->label_sets.nr, sizeof(*sums));
	int err = 0;

	if (!sums)
		return -ENOMEM;
	for (size_t i = 0; i < m->samples.nr; i++) {
		struct set_sum *sum = &sums[m->samples.items[i].label_set];

		sum->value = wrap_add(sum->value, model_values(m, i)[t->report->type]);
		sum->is_used = true;
	}
	for (size_t i = 0; !err && i < m->label_sets.nr; i++)
		if (sums[i].is_used)
			err = add_label_set(t, i, sums[i].value);
	free(sums);
	return err;
}

/* By key; of a key, the largest value first; then by text. */
static int compare_tags(const void *left, const void *right, void *ctx)
{
	const struct strtab *strings = ctx;
	const struct tag *a = left, *b = right;
	int64_t a_size = wrap_abs(a->value), b_size = wrap_abs(b->value);

	if (a->key != b->key)
		return strtab_compare(strings, a->key, b->key);
	if (a_size != b_size)
		return a_size > b_size ? -1 : 1;
	return strtab_compare(strings, a->text, b->text);
}

static void put_string(FILE *text, const struct tags *t, uint32_t string)
{
	fwrite(strtab_at(t->strings, string), 1, strtab_len(t->strings, string), text);
}

static void put_percentage(FILE *text, const struct report *r, int64_t value)
{
	if (r->total > 0)
		fprintf(text, " (%s)", unit_percentage(value, r->total).text);
}

/* Writes the tags of the key that the first one has. Returns: the number of these tags. */
static size_t put_key(FILE *text, const struct tags *t, const struct tag *tags, size_t max)
{
	const struct report *r = t->report;
	int64_t total = 0;
	size_t nr = 0;

	for (; nr < max && tags[nr].key == tags->key; nr++)
		total = wrap_add(total, tags[nr].value);
	put_string(text, t, tags->key);
	fputs(":\t Total ", text);
	report_print_value(text, r, total, 0);
	fputs(" of ", text);
	report_print_value(text, r, r->total, 0);
	put_percentage(text, r, total);
	putc('\n', text);
	for (size_t i = 0; i < nr; i++) {
		fputs(" \t", text);
		report_print_value(text, r, tags[i].value, 0);
		put_percentage(text, r, tags[i].value);
		fputs(":\t ", text);
		put_string(text, t, tags[i].text);
		putc('\n', text);
	}
	putc('\n', text);
	return nr;
}

static int print_tags(FILE *out, const struct tags *t)
{
	char *bytes = NULL;
	size_t len = 0;
	FILE *text = open_memstream(&bytes, &len);
	int err;

	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < t->nr;)
		i += put_key(text, t, t->items + i, t->nr - i);
	err = fclose(text) ? -ENOMEM : columns_print(out, bytes, len);
	free(bytes);
	return err;
}

int tags_print(FILE *out, const struct report *r, const struct label_units *units)
{
	struct tags t = {
		.report = r, .units = units, .strings = strtab_new(),
		.ids = tuple_map_new(UINT32_MAX),
	};
	int err = t.strings && t.ids ? add_samples(&t) : -ENOMEM;

	if (!err && t.nr)
		qsort_r(t.items, t.nr, sizeof(*t.items), compare_tags, t.strings);
	if (!err)
		err = print_tags(out, &t);
	strtab_free(t.strings);
	tuple_map_free(t.ids);
	free(t.items);
	return err;
}
