// SPDX-License-Identifier: GPL-2.0
#include "objects.h"

#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
	struct object object;
	bool freed;	/* before it came, or it has no stack */
	bool moved;
};

struct objects {
	void *tree;	/* tsearch()'s, by number */
	void *ended;	/* the same, of images */
	size_t nr;	/* in the tree */
	size_t max;
};

struct visit {
	struct objects *objects;
	objects_visit_fn fn;
	void *ctx;
	int result;
};

static int compare(const void *left, const void *right)
{
	const struct node *a = left, *b = right;

	return (a->object.number > b->object.number) - (a->object.number < b->object.number);
}

struct objects *objects_new(size_t max)
{
	struct objects *o = calloc(1, sizeof(*o));

	if (o)
		o->max = max;
	return o;
}

void objects_free(struct objects *o)
{
	if (!o)
		return;
	tdestroy(o->tree, free);
	tdestroy(o->ended, free);
	free(o);
}

static int insert(struct objects *o, const struct node *from)
{
	struct node *node;

	if (o->nr == o->max)
		return -ENOSPC;
	node = malloc(sizeof(*node));
	if (!node)
		return -ENOMEM;
	*node = *from;
	if (tsearch(node, &o->tree, compare)) {
		o->nr++;
		return 0;
	}
	free(node);
	return -ENOMEM;
}

/* True: it was there. */
static bool delete(struct objects *o, uint64_t number)
{
	struct node key = { .object.number = number };
	struct node *const *found = tfind(&key, &o->tree, compare);
	struct node *node = found ? *found : NULL;

	if (node) {
		tdelete(node, &o->tree, compare);
		o->nr--;
	}
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
	int err = delete(o, number) ? 0 : insert(o, &node);

	return err == -ENOSPC ? 0 : err;	/* as it was with the object */
}

static int by_image(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

int objects_end_image(struct objects *o, uint64_t image)
{
	uint64_t *ended = malloc(sizeof(*ended)), **found;

	if (!ended)
		return -ENOMEM;
	*ended = image;
	found = tsearch(ended, &o->ended, by_image);
	if (!found || *found != ended)
		free(ended);
	return found ? 0 : -ENOMEM;
}

static bool is_gone(const struct objects *o, const struct object *object)
{
	return tfind(&object->image, &o->ended, by_image);
}

static void move_node(const void *at, VISIT which, void *ids)
{
	struct node *node = *(struct node *const *)at;
	int64_t id;

	if ((which != postorder && which != leaf) || node->freed || node->moved)
		return;
	id = ((const int64_t *)ids)[node->object.stack];
	node->moved = true;
	node->freed = id < 0;
	node->object.stack = id;
}

void objects_move(struct objects *o, const int64_t *ids)
{
	twalk_r(o->tree, move_node, (void *)ids);
}

static void visit_node(const void *at, VISIT which, void *closure)
{
	struct node *node = *(struct node *const *)at;
	struct visit *visit = closure;

	if ((which == postorder || which == leaf) && !node->freed && !visit->result &&
	    !is_gone(visit->objects, &node->object))
		visit->result = visit->fn(visit->ctx, &node->object);
}

int objects_visit(struct objects *o, objects_visit_fn visit, void *ctx)
{
	struct visit v = { .objects = o, .fn = visit, .ctx = ctx };

	twalk_r(o->tree, visit_node, &v);
	return v.result;
}
