// SPDX-License-Identifier: GPL-2.0
#include "aggregate/heap_objects.h"

#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
	struct object object;
	bool moved;
	bool forgotten;	/* it has no stack */
};

struct image {
	uint64_t number;
	void *nodes;		/* tsearch()'s, by number */
	size_t nr;
	uint64_t end_drain;	/* in which its end came; 0: none */
	struct image *next;	/* of those that ended */
};

struct objects {
	void *images;		/* the same */
	struct image *ended;
	void *freed[2];		/* numbers that came before their objects, by drain */
	uint64_t drain;		/* from 1 */
	size_t nr;
	size_t max;
};

struct visit {
	objects_visit_fn fn;
	void *ctx;
	const int64_t *ids;	/* of a move */
	int result;
};

/* Of nodes, images and numbers, which begin with a number. */
static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void free_image(void *at)
{
	struct image *image = at;

	tdestroy(image->nodes, free);
	free(image);
}

struct objects *objects_new(size_t max)
{
	struct objects *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->max = max;
	o->drain = 1;
	return o;
}

void objects_free(struct objects *o)
{
	if (!o)
		return;
	tdestroy(o->images, free_image);
	for (int i = 0; i < 2; i++)
		tdestroy(o->freed[i], free);
	free(o);
}

/* Takes over what is new; NULL: out of memory. What is there under its number stays. */
static void *insert(void **tree, void *new)
{
	void **found = new ? tsearch(new, tree, compare) : NULL;

	if (!found || *found != new)
		free(new);
	return found ? *found : NULL;
}

/* True: it was there. */
static bool delete(void **tree, uint64_t number)
{
	void *const *found = tfind(&number, tree, compare);
	void *it = found ? *found : NULL;

	if (it)
		tdelete(it, tree, compare);
	free(it);
	return it;
}

static struct image *find_image(const struct objects *o, uint64_t number)
{
	void *const *found = tfind(&number, &o->images, compare);

	return found ? *found : NULL;
}

static struct image *get_image(struct objects *o, uint64_t number)
{
	struct image *image = find_image(o, number);

	if (image)
		return image;
	image = calloc(1, sizeof(*image));
	if (image)
		image->number = number;
	return insert(&o->images, image);
}

static int add_node(struct objects *o, struct image *image, const struct object *object)
{
	struct node *node = malloc(sizeof(*node)), *there;

	if (!node)
		return -ENOMEM;
	*node = (struct node){ .object = *object };
	there = insert(&image->nodes, node);
	if (!there)
		return -ENOMEM;
	image->nr += there == node;
	o->nr += there == node;
	return 0;
}

int objects_add(struct objects *o, const struct object *object)
{
	struct image *image;

	if (delete(&o->freed[0], object->number) || delete(&o->freed[1], object->number))
		return 0;
	if (o->nr == o->max)
		return -ENOSPC;
	image = get_image(o, object->image);
	return image ? add_node(o, image, object) : -ENOMEM;
}

static int note_freed(struct objects *o, uint64_t number)
{
	uint64_t *freed = malloc(sizeof(*freed));

	if (freed)
		*freed = number;
	return insert(&o->freed[o->drain % 2], freed) ? 0 : -ENOMEM;
}

int objects_del(struct objects *o, uint64_t number_of_image, uint64_t number)
{
	struct image *image = find_image(o, number_of_image);

	if (!image || !delete(&image->nodes, number))
		return note_freed(o, number);
	o->nr--;
	if (!--image->nr && !image->end_drain)
		delete(&o->images, number_of_image);
	return 0;
}

int objects_end_image(struct objects *o, uint64_t number)
{
	struct image *image = get_image(o, number);

	if (!image)
		return -ENOMEM;
	if (image->end_drain)
		return 0;
	image->end_drain = o->drain;
	image->next = o->ended;
	o->ended = image;
	return 0;
}

/* What came of it until the drain after that in which its end did. */
static void forget_ended(struct objects *o)
{
	struct image **link = &o->ended, *image;

	while ((image = *link)) {
		if (image->end_drain == o->drain) {
			link = &image->next;
			continue;
		}
		*link = image->next;
		o->nr -= image->nr;
		tdelete(image, &o->images, compare);
		free_image(image);
	}
}

void objects_end_drain(struct objects *o)
{
	void **oldest = &o->freed[(o->drain + 1) % 2];

	tdestroy(*oldest, free);
	*oldest = NULL;
	forget_ended(o);
	o->drain++;
}

static void move_node(const void *at, VISIT which, void *closure)
{
	struct node *node = *(struct node *const *)at;
	const struct visit *visit = closure;
	int64_t id;

	if ((which != postorder && which != leaf) || node->moved)
		return;
	id = visit->ids[node->object.stack];
	node->moved = true;
	node->forgotten = id < 0;
	node->object.stack = id;
}

static void move_image(const void *at, VISIT which, void *closure)
{
	if (which == postorder || which == leaf)
		twalk_r((*(struct image *const *)at)->nodes, move_node, closure);
}

void objects_move(struct objects *o, const int64_t *ids)
{
	struct visit v = { .ids = ids };

	twalk_r(o->images, move_image, &v);
}

static void visit_node(const void *at, VISIT which, void *closure)
{
	struct node *node = *(struct node *const *)at;
	struct visit *visit = closure;

	if ((which == postorder || which == leaf) && !node->forgotten && !visit->result)
		visit->result = visit->fn(visit->ctx, &node->object);
}

static void visit_image(const void *at, VISIT which, void *closure)
{
	const struct image *image = *(struct image *const *)at;

	if ((which == postorder || which == leaf) && !image->end_drain)
		twalk_r(image->nodes, visit_node, closure);
}

int objects_visit(struct objects *o, objects_visit_fn visit, void *ctx)
{
	struct visit v = { .fn = visit, .ctx = ctx };

	twalk_r(o->images, visit_image, &v);
	return v.result;
}
