// SPDX-License-Identifier: GPL-2.0
/*
 * Objects are stored by exec id, so that an exec ends all of them at once. The ring of one CPU is
 * read before that of another, so a record may be read before an older one:
 *
 *   - A free may be read before its sample. Its number is kept until the end of the next drain.
 *     A sample with this number is then dropped.
 *   - An exec may be read before samples of the old program. The exec id is kept until the end of
 *     the next drain. Its objects are not visited any more.
 */
#include "aggregate/heap_objects.h"

#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
	struct heap_object object;
	bool moved;	/* object.stack is an id of heap_objects_move() */
	bool forgotten;	/* heap_objects_move() gave it a negative id */
};

struct exec_objects {
	uint64_t number;	/* the exec id */
	void *nodes;		/* tree of struct node, for tsearch() */
	size_t nr;		/* of nodes */
	uint64_t end_drain;	/* the drain that read its end, or 0 */
	struct exec_objects *next;	/* in the list heap_objects.ended */
};

struct heap_objects {
	void *execs;		/* tree of struct exec_objects */
	struct exec_objects *ended;
	void *freed[2];		/* trees of numbers that were freed before their sample, by drain */
	uint64_t drain;		/* number of the current drain, from 1 */
	size_t nr;		/* objects in the table */
	size_t max;
};

struct visit {
	heap_objects_visit_fn fn;
	void *ctx;
	const int64_t *ids;	/* for move_node() */
	int result;
};

/* Compares struct node, struct exec_objects or numbers: each begins with its number. */
static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void free_exec(void *at)
{
	struct exec_objects *exec = at;

	tdestroy(exec->nodes, free);
	free(exec);
}

struct heap_objects *heap_objects_new(size_t max)
{
	struct heap_objects *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->max = max;
	o->drain = 1;
	return o;
}

void heap_objects_free(struct heap_objects *o)
{
	if (!o)
		return;
	tdestroy(o->execs, free_exec);
	for (int i = 0; i < 2; i++)
		tdestroy(o->freed[i], free);
	free(o);
}

/*
 * Inserts new, or frees it if its number is in the tree already. new may be NULL.
 * Returns: the item with this number, or NULL if new is NULL or memory runs out.
 */
static void *insert(void **tree, void *new)
{
	void **found = new ? tsearch(new, tree, compare) : NULL;

	if (!found || *found != new)
		free(new);
	return found ? *found : NULL;
}

/* Removes and frees an item. Returns false if the number is not in the tree. */
static bool delete(void **tree, uint64_t number)
{
	void *const *found = tfind(&number, tree, compare);
	void *it = found ? *found : NULL;

	if (it)
		tdelete(it, tree, compare);
	free(it);
	return it;
}

static struct exec_objects *find_exec(const struct heap_objects *o, uint64_t exec_id)
{
	void *const *found = tfind(&exec_id, &o->execs, compare);

	return found ? *found : NULL;
}

static struct exec_objects *get_exec(struct heap_objects *o, uint64_t exec_id)
{
	struct exec_objects *exec = find_exec(o, exec_id);

	if (exec)
		return exec;
	exec = calloc(1, sizeof(*exec));
	if (exec)
		exec->number = exec_id;
	return insert(&o->execs, exec);
}

static int add_node(struct heap_objects *o, struct exec_objects *exec,
		    const struct heap_object *object)
{
	struct node *node = malloc(sizeof(*node)), *there;

	if (!node)
		return -ENOMEM;
	*node = (struct node){ .object = *object };
	there = insert(&exec->nodes, node);
	if (!there)
		return -ENOMEM;
	exec->nr += there == node;
	o->nr += there == node;
	return 0;
}

int heap_objects_add(struct heap_objects *o, const struct heap_object *object)
{
	struct exec_objects *exec;

	if (delete(&o->freed[0], object->number) || delete(&o->freed[1], object->number))
		return 0;
	if (o->nr == o->max)
		return -ENOSPC;
	exec = get_exec(o, object->exec_id);
	return exec ? add_node(o, exec, object) : -ENOMEM;
}

static int note_freed(struct heap_objects *o, uint64_t number)
{
	uint64_t *freed = malloc(sizeof(*freed));

	if (freed)
		*freed = number;
	return insert(&o->freed[o->drain % 2], freed) ? 0 : -ENOMEM;
}

int heap_objects_del(struct heap_objects *o, uint64_t exec_id, uint64_t number)
{
	struct exec_objects *exec = find_exec(o, exec_id);

	if (!exec || !delete(&exec->nodes, number))
		return note_freed(o, number);
	o->nr--;
	if (!--exec->nr && !exec->end_drain)
		delete(&o->execs, exec_id);
	return 0;
}

int heap_objects_end_exec(struct heap_objects *o, uint64_t exec_id)
{
	struct exec_objects *exec = get_exec(o, exec_id);

	if (!exec)
		return -ENOMEM;
	if (exec->end_drain)
		return 0;
	exec->end_drain = o->drain;
	exec->next = o->ended;
	o->ended = exec;
	return 0;
}

/* Frees the exec ids whose end was read in an earlier drain. */
static void forget_ended(struct heap_objects *o)
{
	struct exec_objects **link = &o->ended, *exec;

	while ((exec = *link)) {
		if (exec->end_drain == o->drain) {
			link = &exec->next;
			continue;
		}
		*link = exec->next;
		o->nr -= exec->nr;
		tdelete(exec, &o->execs, compare);
		free_exec(exec);
	}
}

void heap_objects_end_drain(struct heap_objects *o)
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

static void move_exec(const void *at, VISIT which, void *closure)
{
	if (which == postorder || which == leaf)
		twalk_r((*(struct exec_objects *const *)at)->nodes, move_node, closure);
}

void heap_objects_move(struct heap_objects *o, const int64_t *ids)
{
	struct visit v = { .ids = ids };

	twalk_r(o->execs, move_exec, &v);
}

static void visit_node(const void *at, VISIT which, void *closure)
{
	struct node *node = *(struct node *const *)at;
	struct visit *visit = closure;

	if ((which == postorder || which == leaf) && !node->forgotten && !visit->result)
		visit->result = visit->fn(visit->ctx, &node->object);
}

static void visit_exec(const void *at, VISIT which, void *closure)
{
	const struct exec_objects *exec = *(struct exec_objects *const *)at;

	if ((which == postorder || which == leaf) && !exec->end_drain)
		twalk_r(exec->nodes, visit_node, closure);
}

int heap_objects_visit(struct heap_objects *o, heap_objects_visit_fn visit, void *ctx)
{
	struct visit v = { .fn = visit, .ctx = ctx };

	twalk_r(o->execs, visit_exec, &v);
	return v.result;
}
