// SPDX-License-Identifier: GPL-2.0
#include "procfs/children.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The limit for a process whose children change so often that no two readings are equal. */
#define MAX_READINGS	8

struct pids {
	pid_t *list;
	size_t nr;
	size_t room;
};

static int add(struct pids *pids, pid_t pid)
{
	pid_t *list = array_grow(pids->list, &pids->room, pids->nr + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	pids->list = list;
	list[pids->nr++] = pid;
	return 0;
}

/* /proc lists a child at the thread that created it: see proc_tid_children(5). */
static int read_thread(struct pids *pids, pid_t pid, const char *tid)
{
	int child, err = 0;
	char path[64];
	FILE *list;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children", pid, tid);
	list = fopen(path, "re");
	if (!list)
		return 0;
	while (!err && fscanf(list, "%d", &child) == 1)
		err = add(pids, child);
	fclose(list);
	return err;
}

static int read_children(struct pids *pids, pid_t pid)
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
			err = read_thread(pids, pid, entry->d_name);
	closedir(tasks);
	return err;
}

static int by_number(const void *left, const void *right)
{
	const pid_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Sorts the pids from index `first` on, and removes duplicates. */
static void sort_unique(struct pids *pids, size_t first)
{
	size_t nr = first;

	if (pids->nr > first)
		qsort(pids->list + first, pids->nr - first, sizeof(*pids->list), by_number);
	for (size_t i = first; i < pids->nr; i++)
		if (i == first || pids->list[i] != pids->list[nr - 1])
			pids->list[nr++] = pids->list[i];
	pids->nr = nr;
}

/*
 * Appends the children of pid. The kernel's list may skip a living child if another one ends
 * during the read: see proc_tid_children(5). So the list is read until two readings are equal,
 * MAX_READINGS times at most. The union of all readings counts. A child that has ended may be in
 * it; children_visit() allows that.
 */
static int find_children(struct pids *pids, pid_t pid)
{
	size_t first = pids->nr, last = first, nr_last = 0, nr;
	bool same = false;
	int err = 0;

	for (int i = 0; !err && !same && i < MAX_READINGS; i++) {
		size_t begin = pids->nr;

		err = read_children(pids, pid);
		nr = pids->nr - begin;
		same = i && nr == nr_last &&
		       (!nr || !memcmp(pids->list + last, pids->list + begin,
				       nr * sizeof(*pids->list)));
		last = begin;
		nr_last = nr;
	}
	sort_unique(pids, first);
	return err;
}

/* A list instead of recursion: a chain of processes may be longer than the stack allows. */
int children_visit(pid_t pid, int (*visit)(void *ctx, pid_t pid), void *ctx)
{
	struct pids pids = { 0 };
	int err = find_children(&pids, pid);

	for (size_t i = 0; !err && i < pids.nr; i++) {
		err = visit(ctx, pids.list[i]);
		if (!err)
			err = find_children(&pids, pids.list[i]);
	}
	free(pids.list);
	return err;
}
