// SPDX-License-Identifier: GPL-2.0
#include "procfs/procfs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procfs/live_thread.h"

static FILE *open_file(pid_t pid, const char *name)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return fopen(path, "re");
}

static int take_line(const char *line, size_t len, procfs_maps_fn fn, void *ctx)
{
	char name[PATH_MAX];
	struct maps_entry e;

	if (maps_parse_line(line, len, &e))
		return 0;
	if (maps_entry_name(&e, name, sizeof(name)) < 0)
		name[0] = 0;
	return fn(ctx, &e, name);
}

int procfs_maps(pid_t pid, procfs_maps_fn fn, void *ctx)
{
	FILE *f = open_file(live_thread(pid), "maps");
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int err = 0;

	if (!f)
		return -ESRCH;
	while (!err && (len = getline(&line, &size, f)) > 0)
		err = take_line(line, len, fn, ctx);
	free(line);
	fclose(f);
	return err;
}

void procfs_comm(pid_t pid, char *comm, size_t size)
{
	FILE *f = open_file(pid, "comm");

	if (!f)
		return;
	if (fgets(comm, size, f))
		comm[strcspn(comm, "\n")] = 0;
	fclose(f);
}

int procfs_exe(pid_t pid, char *path, size_t size)
{
	char link[32];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%d/exe", live_thread(pid));
	len = readlink(link, path, size - 1);
	if (len < 0)
		return -errno;
	path[len] = 0;
	return 0;
}
