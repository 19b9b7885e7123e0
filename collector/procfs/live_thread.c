// SPDX-License-Identifier: GPL-2.0
#include "procfs/live_thread.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A link that exists but may not be read (EACCES) counts as there. */
static bool has_exe(pid_t tid)
{
	char path[32], target[1];

	snprintf(path, sizeof(path), "/proc/%d/exe", tid);
	return readlink(path, target, sizeof(target)) >= 0 || errno != ENOENT;
}

/* Returns the id of the first thread that has an exe, or 0. */
static pid_t find_in(DIR *tasks)
{
	const struct dirent *entry;

	while ((entry = readdir(tasks)))
		if (atoi(entry->d_name) > 0 && has_exe(atoi(entry->d_name)))
			return atoi(entry->d_name);
	return 0;
}

pid_t live_thread(pid_t pid)
{
	char path[32];
	pid_t found;
	DIR *tasks;

	if (has_exe(pid))
		return pid;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	if (!tasks)
		return pid;
	found = find_in(tasks);
	closedir(tasks);
	return found ? found : pid;
}
