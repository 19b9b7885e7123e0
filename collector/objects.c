// SPDX-License-Identifier: GPL-2.0
#include "objects.h"

#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
	struct object object;
	bool freed;	/* before it came */
};

struct objects {
	void *tree;	/* tsearch()'s, by number */
};

struct visit {
	objects_visit_fn fn;
	void *ctx;
	int result;
};

static int compare(const void *left, const void *right)
{
	const struct node *a = left, *b = right;

	return (a->object.number > b->object.number) - (a->object.number < b->object.number);
}

struct objects *objects_new(void)
{
	return calloc(1, sizeof(struct objects));
}

void objects_free(struct objects *o)
{
	if (!o)
		return;
	tdestroy(o->tree, free);
	free(o);
}

static int insert(struct objects *o, const struct node *from)
{
	struct node *node = malloc(sizeof(*node));

	if (!node)
		return -ENOMEM;
	*node = *from;
	if (tsearch(node, &o->tree, compare))
		return 0;
	free(node);
	return -ENOMEM;
}

/* True: it was there. */
static bool delete(struct objects *o, uint64_t number)
{
	struct node key = { .object.number = number };
	struct node *const *found = tfind(&key, &o->tree, compare);
	struct node *node = found ? *found : NULL;

	if (node)
		tdelete(node, &o->tree, compare);
	free(node);
	return node;
}

int objects_add(struct objects *o, const struct object *object)
{
	struct node node = { .object = *object };

	return delete(o, object->number) ? 0 : insert(o, &node);
}

int objects_del(struct objects *o, uint64_t number)
{
	struct node node = { .object.number = number, .freed = true };

	return delete(o, number) ? 0 : insert(o, &node);
}

static void visit_node(const void *at, VISIT which, void *closure)
{
	struct node *node = *(struct node *const *)at;
	struct visit *visit = closure;

	if ((which == postorder || which == leaf) && !node->freed && !visit->result)
		visit->result = visit->fn(visit->ctx, &node->object);
}

int objects_visit(struct objects *o, objects_visit_fn visit, void *ctx)
{
	struct visit v = { .fn = visit, .ctx = ctx };

	twalk_r(o->tree, visit_node, &v);
	return v.result;
}
