// SPDX-License-Identifier: GPL-2.0
#include "children.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "array.h"

/*
 * Found, and not all of them visited yet. A list and no recursion: each process
 * of a long row of parents would hold two descriptors and a part of our stack.
 */
struct found {
	pid_t *pids;
	size_t room;
	size_t nr;
};

static int add(struct found *f, pid_t pid)
{
	pid_t *pids = array_grow(f->pids, &f->room, f->nr + 1, sizeof(*pids));

	if (!pids)
		return -ENOMEM;
	f->pids = pids;
	pids[f->nr++] = pid;
	return 0;
}

/* Children belong to the thread that made them: proc_pid_children(5). */
static int add_of_thread(struct found *f, pid_t pid, const char *tid)
{
	int child, err = 0;
	char path[64];
	FILE *list;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children", pid, tid);
	list = fopen(path, "re");
	if (!list)
		return 0;
	while (!err && fscanf(list, "%d", &child) == 1)
		err = add(f, child);
	fclose(list);
	return err;
}

static int add_children(struct found *f, pid_t pid)
{
	const struct dirent *entry;
	char path[32];
	int err = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	if (!tasks)
		return 0;
	while (!err && (entry = readdir(tasks)))
		if (entry->d_name[0] != '.')
			err = add_of_thread(f, pid, entry->d_name);
	closedir(tasks);
	return err;
}

int children_visit(pid_t pid, int (*visit)(void *ctx, pid_t pid), void *ctx)
{
	struct found f = { 0 };
	int err = add_children(&f, pid);

	for (size_t i = 0; !err && i < f.nr; i++) {
		err = visit(ctx, f.pids[i]);
		if (!err)
			err = add_children(&f, f.pids[i]);
	}
	free(f.pids);
	return err;
}
