// SPDX-License-Identifier: GPL-2.0
#include "push/push_item.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct push_item *push_item_new(void)
{
	struct push_item *item = calloc(1, sizeof(*item));

	if (item)
		item->nr_users = 1;
	return item;
}

struct push_item *push_item_get(struct push_item *item)
{
	item->nr_users++;
	return item;
}

void push_item_put(struct push_item *item)
{
	if (!item || --item->nr_users)
		return;
	free(item->type);
	push_labels_fini(&item->labels);
	free(item->bytes.items);
	free(item);
}

/* Other types are their own names: wall, block, mutex, threadcreate, thread, growth. */
static const char *known_name(const char *type)
{
	static const struct {
		const char *type;
		const char *name;
	} known[] = {
		{ "cpu", "process_cpu" }, { "heap", "memory" }, { "allocs", "memory" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].type, type))
			return known[i].name;
	return type;
}

char *push_item_metric_name(const struct push_item *item)
{
	const char *given = push_labels_get(&item->labels, "__name__");
	char *name = strdup(given ? given : known_name(item->type));

	if (name)
		push_labels_clean_name(name);
	return name;
}

bool push_item_is_for(const struct push_item *item, enum push_kind kind)
{
	return !item->is_in_heap || kind == PUSH_HTTP || kind == PUSH_S3;
}

static int visit_label(const struct push_label *label, push_item_visit *visit, void *ctx)
{
	char *name = strdup(label->name);

	if (!name)
		return -ENOMEM;
	push_labels_clean_name(name);
	if (strcmp(name, "__name__"))
		visit(ctx, name, label->value);
	free(name);
	return 0;
}

int push_item_visit_labels(const struct push_item *item, push_item_visit *visit, void *ctx)
{
	char *name = push_item_metric_name(item);
	int err = name ? 0 : -ENOMEM;

	if (!err)
		visit(ctx, "__name__", name);
	free(name);
	for (size_t i = 0; !err && i < item->labels.nr; i++)
		err = visit_label(&item->labels.items[i], visit, ctx);
	return err;
}
