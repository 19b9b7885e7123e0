// SPDX-License-Identifier: GPL-2.0
#include "children.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static int visit_list(FILE *list, int (*visit)(void *, pid_t), void *ctx)
{
	int child, err = 0;

	while (!err && fscanf(list, "%d", &child) == 1) {
		err = visit(ctx, child);
		if (!err)
			err = children_visit(child, visit, ctx);
	}
	return err;
}

/* Children belong to the thread that made them: proc_pid_children(5). */
static int visit_thread(pid_t pid, const char *tid, int (*visit)(void *, pid_t), void *ctx)
{
	char path[64];
	FILE *list;
	int err;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children", pid, tid);
	list = fopen(path, "re");
	if (!list)
		return 0;
	err = visit_list(list, visit, ctx);
	fclose(list);
	return err;
}

int children_visit(pid_t pid, int (*visit)(void *ctx, pid_t pid), void *ctx)
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
			err = visit_thread(pid, entry->d_name, visit, ctx);
	closedir(tasks);
	return err;
}
