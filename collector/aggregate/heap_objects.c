// SPDX-License-Identifier: GPL-2.0
#include "aggregate/heap_objects.h"

#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
	struct heap_object object;
	bool moved;
	bool forgotten;	/* it has no stack */
};

struct exec_objects {
	uint64_t number;
	void *nodes;		/* tsearch()'s, by number */
	size_t nr;
	uint64_t end_drain;	/* in which its end came; 0: none */
	struct exec_objects *next;	/* of those that ended */
};

struct heap_objects {
	void *execs;		/* the same */
	struct exec_objects *ended;
	void *freed[2];		/* numbers that came before their objects, by drain */
	uint64_t drain;		/* from 1 */
	size_t nr;
	size_t max;
};

struct visit {
	heap_objects_visit_fn fn;
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

static struct exec_objects *find_exec(const struct heap_objects *o, uint64_t number)
{
	void *const *found = tfind(&number, &o->execs, compare);

	return found ? *found : NULL;
}

static struct exec_objects *get_exec(struct heap_objects *o, uint64_t number)
{
	struct exec_objects *exec = find_exec(o, number);

	if (exec)
		return exec;
	exec = calloc(1, sizeof(*exec));
	if (exec)
		exec->number = number;
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

int heap_objects_end_exec(struct heap_objects *o, uint64_t number)
{
	struct exec_objects *exec = get_exec(o, number);

	if (!exec)
		return -ENOMEM;
	if (exec->end_drain)
		return 0;
	exec->end_drain = o->drain;
	exec->next = o->ended;
	o->ended = exec;
	return 0;
}

/* What came of it until the drain after that in which its end did. */
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
