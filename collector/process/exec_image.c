// SPDX-License-Identifier: GPL-2.0
#include "process/exec_image.h"

#include <search.h>
#include <stdlib.h>

#include "device/device.h"
#include "process/mapped_files.h"

static int compare(const void *left, const void *right)
{
	const struct exec_image *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->exec_id > b->exec_id) - (a->exec_id < b->exec_id);
}

static void free_exec(struct exec_images *exec_images, struct exec_image *exec)
{
	address_spaces_end(&exec_images->address_spaces, exec->newest);
	free(exec->cgroup);
	published_context_fini(&exec->context);
	free(exec);
}

void exec_images_fini(struct exec_images *exec_images)
{
	struct exec_image *exec;

	while (exec_images->tree) {
		exec = *(struct exec_image **)exec_images->tree;
		tdelete(exec, &exec_images->tree, compare);
		free_exec(exec_images, exec);
	}
	address_spaces_fini(&exec_images->address_spaces);
}

struct exec_image *exec_images_find(struct exec_images *exec_images, pid_t pid, uint64_t exec_id)
{
	struct exec_image key = { .pid = pid, .exec_id = exec_id };
	struct exec_image **found;

	if (exec_images->last && !compare(exec_images->last, &key))
		return exec_images->last;
	found = tfind(&key, &exec_images->tree, compare);
	if (!found)
		return NULL;
	exec_images->last = *found;
	return *found;
}

static struct exec_image *add(struct exec_images *exec_images, pid_t pid, uint64_t exec_id)
{
	struct exec_image *exec = calloc(1, sizeof(*exec));

	if (!exec)
		return NULL;
	exec->pid = pid;
	exec->exec_id = exec_id;
	if (address_spaces_begin(&exec_images->address_spaces, &exec->newest, exec)) {
		free(exec);
		return NULL;
	}
	if (!tsearch(exec, &exec_images->tree, compare)) {
		free_exec(exec_images, exec);
		return NULL;
	}
	return exec;
}

struct exec_image *exec_images_get(struct exec_images *exec_images, pid_t pid, uint64_t exec_id)
{
	struct exec_image *exec = exec_images_find(exec_images, pid, exec_id);

	return exec ? exec : add(exec_images, pid, exec_id);
}

bool exec_image_runs(const struct exec_image *exec, struct device *dev)
{
	uint64_t exec_id;

	return !device_exec_id(dev, exec->pid, &exec_id) && exec_id == exec->exec_id;
}

void exec_images_bury(struct exec_images *exec_images, struct exec_image *exec)
{
	if (exec->dead)
		return;
	exec->dead = true;
	exec->next_dead = exec_images->dead;
	exec_images->dead = exec;
	exec_images->nr_dead++;
}

void exec_images_bury_gone(struct exec_images *exec_images, struct device *dev)
{
	const struct address_spaces *address_spaces = &exec_images->address_spaces;

	for (uint32_t id = 0; id < address_spaces->nr; id++) {
		struct address_space *epoch = address_spaces->by_id[id];
		struct exec_image *exec = epoch ? epoch->exec : NULL;
		bool is_gone;

		if (!exec || exec->newest != epoch || exec->dead)
			continue;
		is_gone = !exec_image_runs(exec, dev);
		if (is_gone && exec->was_gone)
			exec_images_bury(exec_images, exec);
		exec->was_gone = is_gone;
	}
}

void exec_images_revive(struct exec_images *exec_images, struct exec_image *exec)
{
	struct exec_image **link = &exec_images->dead;

	if (!exec->dead)
		return;
	while (*link != exec)
		link = &(*link)->next_dead;
	*link = exec->next_dead;
	exec->dead = false;
	exec_images->nr_dead--;
}

void exec_images_forget_dead(struct exec_images *exec_images)
{
	struct exec_image *exec;

	exec_images->last = NULL;
	while ((exec = exec_images->dead)) {
		exec_images->dead = exec->next_dead;
		tdelete(exec, &exec_images->tree, compare);
		free_exec(exec_images, exec);
	}
	exec_images->nr_dead = 0;
}

void exec_images_fork(struct exec_image *parent, struct exec_image *child, uint64_t time_ns)
{
	child->parent_pid = parent->pid;
	child->parent_exec_id = parent->exec_id;
	child->born_ns = time_ns;
	if (parent->forked_ns < time_ns)
		parent->forked_ns = time_ns;
}

struct search {
	const struct exec_image *parent;
	uint64_t since_ns;
	exec_images_visit_fn visit;
	void *ctx;
	int err;
};

static bool is_child(const struct exec_image *exec, const struct search *search)
{
	return exec->parent_pid == search->parent->pid &&
	       exec->parent_exec_id == search->parent->exec_id &&
	       exec->born_ns > search->since_ns;
}

static void visit_child(const void *node, VISIT visit, void *closure)
{
	struct exec_image *exec = *(struct exec_image *const *)node;
	struct search *search = closure;

	if ((visit == postorder || visit == leaf) && !search->err && is_child(exec, search))
		search->err = search->visit(search->ctx, exec);
}

int exec_images_visit_children(const struct exec_images *exec_images,
			       const struct exec_image *parent, uint64_t since_ns,
			       exec_images_visit_fn visit, void *ctx)
{
	struct search search = { parent, since_ns, visit, ctx, 0 };

	if (parent->forked_ns > since_ns)
		twalk_r(exec_images->tree, visit_child, &search);
	return search.err;
}

static bool is_renewed(const struct maps *maps, const struct mapped_files *files)
{
	for (size_t i = 0; i < maps_nr(maps); i++)
		if (mapped_files_newest(files, maps_at(maps, i)->file) != maps_at(maps, i)->file)
			return true;
	return false;
}

static void renew_numbers(struct exec_image *exec, const struct mapped_files *files)
{
	struct maps *maps = exec->newest->maps;

	for (size_t i = 0; i < maps_nr(maps); i++) {
		uint32_t file = maps_at(maps, i)->file, newest = mapped_files_newest(files, file);

		if (newest != file)
			maps_replace_file(maps, file, newest);
	}
	exec->exe = mapped_files_newest(files, exec->exe);
	exec->first_file = mapped_files_newest(files, exec->first_file);
}

/* The new epochs come last in the list, and have no file to renew. */
int exec_images_renew_files(struct exec_images *exec_images, const struct mapped_files *files,
			    uint64_t since_ns, exec_images_visit_fn visit, void *ctx)
{
	struct address_spaces *address_spaces = &exec_images->address_spaces;
	int err = 0;

	for (uint32_t id = 0; !err && id < address_spaces->nr; id++) {
		struct address_space *epoch = address_spaces->by_id[id];
		struct exec_image *exec = epoch ? epoch->exec : NULL;

		if (!exec || exec->newest != epoch || exec->dead ||
		    !is_renewed(epoch->maps, files))
			continue;
		err = address_spaces_renew(address_spaces, &exec->newest, epoch->maps, since_ns);
		if (err)
			continue;
		renew_numbers(exec, files);
		err = visit(ctx, exec);
	}
	return err;
}

void exec_images_mark_files(const struct exec_images *exec_images, bool *marks)
{
	const struct address_spaces *address_spaces = &exec_images->address_spaces;

	for (uint32_t id = 0; id < address_spaces->nr; id++) {
		const struct address_space *epoch = address_spaces->by_id[id];

		if (!epoch)
			continue;
		for (size_t i = 0; i < maps_nr(epoch->maps); i++)
			marks[maps_at(epoch->maps, i)->file] = true;
		marks[epoch->exec->exe] = true;
		marks[epoch->exec->first_file] = true;
		marks[epoch->exec->perfmap] = true;
		marks[epoch->exec->inherited] = true;
	}
}
