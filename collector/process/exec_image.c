// SPDX-License-Identifier: GPL-2.0
#include "process/exec_image.h"

#include <search.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
	const struct image *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static void free_image(struct images *images, struct image *image)
{
	spaces_end(&images->spaces, image->newest);
	free(image);
}

void images_fini(struct images *images)
{
	struct image *image;

	while (images->tree) {
		image = *(struct image **)images->tree;
		tdelete(image, &images->tree, compare);
		free_image(images, image);
	}
	spaces_fini(&images->spaces);
}

struct image *images_find(struct images *images, pid_t pid, uint64_t number)
{
	struct image key = { .pid = pid, .number = number };
	struct image **found;

	if (images->last && !compare(images->last, &key))
		return images->last;
	found = tfind(&key, &images->tree, compare);
	if (!found)
		return NULL;
	images->last = *found;
	return *found;
}

static struct image *add(struct images *images, pid_t pid, uint64_t number)
{
	struct image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	image->pid = pid;
	image->number = number;
	if (spaces_begin(&images->spaces, &image->newest, image)) {
		free(image);
		return NULL;
	}
	if (!tsearch(image, &images->tree, compare)) {
		free_image(images, image);
		return NULL;
	}
	return image;
}

struct image *images_get(struct images *images, pid_t pid, uint64_t number)
{
	struct image *image = images_find(images, pid, number);

	return image ? image : add(images, pid, number);
}

void images_bury(struct images *images, struct image *image)
{
	if (image->dead)
		return;
	image->dead = true;
	image->next_dead = images->dead;
	images->dead = image;
	images->nr_dead++;
}

void images_forget_dead(struct images *images)
{
	struct image *image;

	images->last = NULL;
	while ((image = images->dead)) {
		images->dead = image->next_dead;
		tdelete(image, &images->tree, compare);
		free_image(images, image);
	}
	images->nr_dead = 0;
}

void images_fork(struct image *parent, struct image *child, uint64_t time_ns)
{
	child->parent_pid = parent->pid;
	child->parent_number = parent->number;
	child->born_ns = time_ns;
	if (parent->forked_ns < time_ns)
		parent->forked_ns = time_ns;
}

struct search {
	const struct image *parent;
	uint64_t since_ns;
	images_visit_fn visit;
	void *ctx;
	int err;
};

static bool is_child(const struct image *image, const struct search *search)
{
	return image->parent_pid == search->parent->pid &&
	       image->parent_number == search->parent->number &&
	       image->born_ns > search->since_ns;
}

static void visit_child(const void *node, VISIT visit, void *closure)
{
	struct image *image = *(struct image *const *)node;
	struct search *search = closure;

	if ((visit == postorder || visit == leaf) && !search->err && is_child(image, search))
		search->err = search->visit(search->ctx, image);
}

int images_visit_children(const struct images *images, const struct image *parent,
			  uint64_t since_ns, images_visit_fn visit, void *ctx)
{
	struct search search = { parent, since_ns, visit, ctx, 0 };

	if (parent->forked_ns > since_ns)
		twalk_r(images->tree, visit_child, &search);
	return search.err;
}
