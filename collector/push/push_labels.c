// SPDX-License-Identifier: GPL-2.0
#include "push/push_labels.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"

static bool is_kept(char c, bool is_first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
		(c >= '0' && c <= '9' && !is_first);
}

static char clean(const char *name, size_t i)
{
	return is_kept(name[i], i == 0) ? name[i] : '_';
}

void push_labels_clean_name(char *name)
{
	for (size_t i = 0; name[i]; i++)
		name[i] = clean(name, i);
}

/* Compares two names as if they were clean. Returns: as strcmp(). */
static int compare(const char *a, const char *b)
{
	size_t i = 0;

	while (a[i] && b[i] && clean(a, i) == clean(b, i))
		i++;
	if (!a[i] || !b[i])
		return !!a[i] - !!b[i];
	return (unsigned char)clean(a, i) - (unsigned char)clean(b, i);
}

static void fini_label(struct push_label *label)
{
	free(label->name);
	free(label->value);
}

void push_labels_fini(struct push_labels *l)
{
	for (size_t i = 0; i < l->nr; i++)
		fini_label(&l->items[i]);
	free(l->items);
	*l = (struct push_labels){ 0 };
}

/* Sets *found. Returns: the index of the label, or the one at which it would be inserted. */
static size_t find(const struct push_labels *l, const char *name, bool *found)
{
	size_t i = 0;
	int order = 1;

	while (i < l->nr && (order = compare(l->items[i].name, name)) < 0)
		i++;
	*found = i < l->nr && !order;
	return i;
}

const char *push_labels_get(const struct push_labels *l, const char *name)
{
	bool found;
	size_t i = find(l, name, &found);

	return found ? l->items[i].value : NULL;
}

/* Returns: a copy in valid UTF-8, which the caller frees, or NULL if memory is short. */
static char *copy_value(const char *value)
{
	size_t len = strlen(value);
	char *copy = malloc(UTF8_MAX_GROWTH * len + 1);

	if (copy)
		copy[utf8_clean(copy, value, len)] = '\0';
	return copy;
}

static int insert(struct push_labels *l, size_t at, const struct push_label *label)
{
	if (ARRAY_APPEND(*l, label, 1))
		return -ENOMEM;
	memmove(&l->items[at + 1], &l->items[at], (l->nr - 1 - at) * sizeof(*label));
	l->items[at] = *label;
	return 0;
}

static int put(struct push_labels *l, const struct push_label *label)
{
	bool found;
	size_t at = find(l, label->name, &found);

	if (strlen(label->value) > PUSH_LABELS_MAX_VALUE_BYTES)
		return -E2BIG;
	if (!found)
		return l->nr == PUSH_LABELS_MAX ? -E2BIG : insert(l, at, label);
	fini_label(&l->items[at]);
	l->items[at] = *label;
	return 0;
}

int push_labels_set(struct push_labels *l, const char *name, const char *value)
{
	struct push_label label = { strdup(name), copy_value(value) };
	int err = label.name && label.value ? put(l, &label) : -ENOMEM;

	if (err)
		fini_label(&label);
	return err;
}

int push_labels_set_all(struct push_labels *l, const struct push_labels *others)
{
	int err = 0;

	for (size_t i = 0; !err && i < others->nr; i++)
		err = push_labels_set(l, others->items[i].name, others->items[i].value);
	return err;
}

/* A dot is allowed: names of OpenTelemetry have dots. */
static bool is_name(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!is_kept(name[i], i == 0) && (name[i] != '.' || i == 0))
			return false;
	return len;
}

const char *push_labels_parse(struct push_labels *l, const char *text)
{
	size_t len = strcspn(text, "=");
	char *name;
	int err;

	if (!text[len] || !is_name(text, len))
		return "must be NAME=VALUE, with letters, digits, '_' and '.' in the name";
	if (!text[len + 1])
		return "has no value: leave it out";
	name = strndup(text, len);
	err = name ? push_labels_set(l, name, text + len + 1) : -ENOMEM;
	free(name);
	if (err == -E2BIG)
		return "is too much: a profile has 30 labels at most, of 2048 bytes each";
	return err ? "cannot be read: out of memory: free memory" : NULL;
}
