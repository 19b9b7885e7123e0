// SPDX-License-Identifier: GPL-2.0
#include "flame/categories.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/string_table.h"
#include "flame/tree.h"
#include "pprof/model.h"

/* A module with more than this share is divided by package. */
#define MAX_SHARE	0.9

const char *flame_categories_package(const char *function, size_t *len)
{
	/* Arguments of functions and templates may contain anything: look before them. */
	size_t end = strcspn(function, "(<[");
	const char *start = function, *at;

	*len = 0;
	for (at = function; at < function + end; at++) {
		if (*at == ' ')
			start = at + 1;		/* after the return type */
		if (at[0] == ':' && at[1] == ':') {
			*len = at - start;
			return start;
		}
	}
	while (at > start && at[-1] != '/')
		at--;
	at += strcspn(at, ".(<[");
	if (*at == '.' && (size_t)(at - function) <= end)
		*len = at - start;
	return start;
}

static int by_package(struct flame_tree *t, struct flame_frame *f)
{
	size_t len;
	const char *package = flame_categories_package(strtab_at(t->frames.strings, f->name), &len);
	int64_t id;

	if (!len)
		return 0;
	id = strtab_intern(t->frames.strings, package, len);
	if (id < 0)
		return id;
	f->category = id;
	return 0;
}

/* Sizes by string. Returns: the array, which the caller frees, or NULL. */
static double *category_sizes(const struct flame_tree *t, uint32_t type, double *all)
{
	double *sizes = calloc(strtab_nr(t->frames.strings), sizeof(*sizes));

	*all = 0;
	for (size_t i = 0; sizes && i < t->nr_samples; i++) {
		uint32_t frame = t->nodes[t->samples[i].node].frame;
		double value = flame_tree_width(t, i, type);

		sizes[t->frames.items[frame].category] += value;
		*all += value;
	}
	return sizes;
}

/* Divides a module by package if it has nearly all samples. */
static int divide(struct flame_tree *t, uint32_t type)
{
	double all, *sizes = category_sizes(t, type, &all);
	int err = sizes ? 0 : -ENOMEM;

	for (size_t i = 1; !err && i < t->frames.nr; i++) {
		struct flame_frame *f = &t->frames.items[i];

		if (!f->is_synthetic && sizes[f->module] > MAX_SHARE * all)
			err = by_package(t, f);
	}
	free(sizes);
	return err;
}

struct ranked {
	double size;
	const char *name;
	uint32_t category;
};

static int by_size(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Lists the categories of all frames, each once. sizes of listed ones becomes -1. */
static size_t list(const struct flame_tree *t, double *sizes, struct ranked *ranked)
{
	size_t nr = 0;

	for (size_t i = 1; i < t->frames.nr; i++) {
		uint32_t category = t->frames.items[i].category;

		if (sizes[category] < 0 || t->frames.items[i].is_synthetic)
			continue;
		ranked[nr].size = sizes[category];
		ranked[nr].name = strtab_at(t->frames.strings, category);
		ranked[nr++].category = category;
		sizes[category] = -1;
	}
	return nr;
}

static int rank(struct flame_tree *t, uint32_t type)
{
	double all, *sizes = category_sizes(t, type, &all);
	struct ranked *ranked = calloc(t->frames.nr, sizeof(*ranked));

	free(t->categories);
	t->categories = calloc(t->frames.nr, sizeof(*t->categories));
	if (sizes && ranked && t->categories) {
		t->nr_categories = list(t, sizes, ranked);
		qsort(ranked, t->nr_categories, sizeof(*ranked), by_size);
		for (size_t i = 0; i < t->nr_categories; i++)
			t->categories[i] = ranked[i].category;
	}
	free(ranked);
	free(sizes);
	return sizes && ranked && t->categories ? 0 : -ENOMEM;
}

int flame_categories_assign(struct flame_tree *t, uint32_t type)
{
	int err;

	for (size_t i = 0; i < t->frames.nr; i++)
		t->frames.items[i].category = t->frames.items[i].module;
	err = divide(t, type);
	return err ? err : rank(t, type);
}
