// SPDX-License-Identifier: GPL-2.0
#include "pprof/merge_types.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/value_unit.h"

#define LIST_BYTES	48	/* two lists fit in a fault's text */

/* "samples/count, cpu/nanoseconds" */
static void print_types(char text[LIST_BYTES], const struct model *m)
{
	size_t len = 0;

	strcpy(text, "none");
	for (size_t i = 0; i < m->sample_types.nr && len < LIST_BYTES; i++)
		len += snprintf(text + len, LIST_BYTES - len, "%s%s/%s", i ? ", " : "",
				model_string(m, m->sample_types.items[i].type),
				model_string(m, m->sample_types.items[i].unit));
	if (len >= LIST_BYTES)
		strcpy(text + LIST_BYTES - 4, "...");
}

static int fault_types(const struct model *a, const struct model *b, struct profile_fault *fault)
{
	char types[LIST_BYTES], others[LIST_BYTES];

	print_types(types, a);
	print_types(others, b);
	return profile_fault_set(fault, PROFILE_FAULT_NO_OFFSET,
				 "expected sample types %s, found %s: name profiles of one type",
				 types, others);
}

static int fault_period(const struct model *a, const struct model *b, struct profile_fault *fault)
{
	return profile_fault_set(fault, PROFILE_FAULT_NO_OFFSET,
				 "expected period type %.20s/%.20s, found %.20s/%.20s: name profiles of one type",
				 model_string(a, a->period_type.type),
				 model_string(a, a->period_type.unit),
				 model_string(b, b->period_type.type),
				 model_string(b, b->period_type.unit));
}

static bool is_same(const struct model *a, uint32_t left, const struct model *b, uint32_t right)
{
	return !strcmp(model_string(a, left), model_string(b, right));
}

static bool is_equal(const struct model *a, const struct model_value_type *left,
		     const struct model *b, const struct model_value_type *right)
{
	return is_same(a, left->type, b, right->type) && is_same(a, left->unit, b, right->unit);
}

int merge_types_check_equal(const struct model *a, const struct model *b,
			    struct profile_fault *fault)
{
	bool equal = a->sample_types.nr == b->sample_types.nr;

	if (!is_equal(a, &a->period_type, b, &b->period_type))
		return fault_period(a, b, fault);
	for (size_t i = 0; equal && i < a->sample_types.nr; i++)
		equal = is_equal(a, &a->sample_types.items[i], b, &b->sample_types.items[i]);
	return equal ? 0 : fault_types(a, b, fault);
}

/* Returns the first column of source with the name of a type of merged, or -ENOENT. */
static int find_column(const struct model *merged, size_t type, const struct model *source)
{
	for (size_t i = 0; i < source->sample_types.nr; i++)
		if (is_same(merged, merged->sample_types.items[type].type, source,
			    source->sample_types.items[i].type))
			return i;
	return -ENOENT;
}

/* Drops a column of values. */
static void drop_type(struct model *m, size_t type)
{
	size_t nr = m->sample_types.nr, to = 0;

	for (size_t from = 0; from < m->values.nr; from++)
		if (from % nr != type)
			m->values.items[to++] = m->values.items[from];
	m->values.nr = to;
	memmove(&m->sample_types.items[type], &m->sample_types.items[type + 1],
		(nr - type - 1) * sizeof(*m->sample_types.items));
	m->sample_types.nr--;
}

/* Changes the unit of a type of merged to a finer one. Returns: 0, or -ENOMEM. */
static int refine_type(struct model *merged, size_t type, const char *unit, double ratio)
{
	int64_t string = model_add_string(merged, unit, strlen(unit));

	if (string < 0)
		return -ENOMEM;
	merged->sample_types.items[type].unit = string;
	for (size_t i = 0; i < merged->samples.nr; i++) {
		int64_t *value = &model_values(merged, i)[type];

		*value = value_unit_scale(*value, ratio);
	}
	return 0;
}

static int align_type(struct model *merged, size_t type, const struct model *source,
		      struct merge_column *c, struct profile_fault *fault)
{
	const char *own = model_string(merged, merged->sample_types.items[type].unit);
	const char *unit = model_string(source, source->sample_types.items[c->column].unit);

	c->ratio = value_unit_ratio(unit, own);
	if (!c->ratio)
		return fault_types(merged, source, fault);
	if (c->ratio >= 1)
		return 0;
	if (refine_type(merged, type, unit, 1 / c->ratio))
		return profile_fault_errno(fault, -ENOMEM);
	c->ratio = 1;
	return 0;
}

static int align_period(struct model *merged, const struct model *source,
			struct merge_columns *c, struct profile_fault *fault)
{
	const char *unit = model_string(source, source->period_type.unit);
	double ratio = value_unit_ratio(unit, model_string(merged, merged->period_type.unit));
	int64_t string;

	c->period = source->period;
	if (!ratio || !is_same(merged, merged->period_type.type, source, source->period_type.type))
		return fault_period(merged, source, fault);
	if (ratio >= 1) {
		c->period = value_unit_scale(source->period, ratio);
		return 0;
	}
	string = model_add_string(merged, unit, strlen(unit));
	if (string < 0)
		return profile_fault_errno(fault, -ENOMEM);
	merged->period_type.unit = string;
	merged->period = value_unit_scale(merged->period, 1 / ratio);
	return 0;
}

/* Finds the columns of the common types, and drops the other ones from merged. */
static int find_columns(struct model *merged, const struct model *source, struct merge_columns *c,
			struct profile_fault *fault)
{
	size_t nr = merged->sample_types.nr, nr_common = 0;
	int column;

	for (size_t i = 0; i < nr; i++)
		nr_common += find_column(merged, i, source) >= 0;
	if (!nr_common && (nr || source->sample_types.nr))
		return fault_types(merged, source, fault);
	c->has_dropped = nr_common < nr;
	for (size_t i = 0; i < merged->sample_types.nr;) {
		column = find_column(merged, i, source);
		if (column < 0)
			drop_type(merged, i);
		else
			c->items[i++] = (struct merge_column){ .column = column, .ratio = 1 };
	}
	return 0;
}

int merge_types_align(struct model *merged, const struct model *source, struct merge_columns *c,
		      struct profile_fault *fault)
{
	struct merge_column *items = array_grow(c->items, &c->room, merged->sample_types.nr,
						sizeof(*items));
	int err;

	if (!items)
		return profile_fault_errno(fault, -ENOMEM);
	c->items = items;
	err = align_period(merged, source, c, fault);
	if (!err)
		err = find_columns(merged, source, c, fault);
	c->is_identity = source->sample_types.nr == merged->sample_types.nr;
	for (size_t i = 0; !err && i < merged->sample_types.nr; i++) {
		err = align_type(merged, i, source, &items[i], fault);
		c->is_identity &= items[i].column == i && items[i].ratio == 1;
	}
	return err;
}
