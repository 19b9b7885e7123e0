// SPDX-License-Identifier: GPL-2.0
#include "procfs/cgroup.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The kernel adds it to the path of a cgroup that was removed. */
#define DELETED	" (deleted)"

static void trim_deleted(char *path)
{
	size_t len = strlen(path);

	if (len >= strlen(DELETED) && !strcmp(path + len - strlen(DELETED), DELETED))
		path[len - strlen(DELETED)] = 0;
}

/*
 * Returns how well a line describes the process: 0 for a hierarchy that is not used. Sets *path to
 * its path. A line is ID:CONTROLLERS:PATH.
 */
static int rate(char *line, char **path)
{
	char *controllers = strchr(line, ':');
	struct cgroup_names names;
	bool is_cgroup2;

	*path = controllers ? strchr(controllers + 1, ':') : NULL;
	if (!*path)
		return 0;
	*(*path)++ = 0;
	is_cgroup2 = !strcmp(line, "0:");
	if (!is_cgroup2 && strcmp(controllers, ":name=systemd"))
		return 0;
	trim_deleted(*path);
	cgroup_names_find(*path, &names);
	if (names.container[0])
		return is_cgroup2 ? 5 : 4;
	if (is_cgroup2)
		return strcmp(*path, "/") ? 3 : 1;
	return 2;
}

static struct cgroup *make(const char *path)
{
	size_t bytes = strlen(path) + 1;
	struct cgroup *cgroup = malloc(sizeof(*cgroup) + bytes);

	if (!cgroup)
		return NULL;
	cgroup_names_find(path, &cgroup->names);
	memcpy(cgroup->path, path, bytes);
	return cgroup;
}

struct cgroup *cgroup_parse(FILE *lines)
{
	char *line = NULL, *path;
	struct cgroup *cgroup = NULL;
	int rating, best_rating = 0;
	size_t size = 0;

	errno = ENOENT;
	while (getline(&line, &size, lines) > 0) {
		line[strcspn(line, "\n")] = 0;
		rating = rate(line, &path);
		if (rating <= best_rating)
			continue;
		best_rating = rating;
		free(cgroup);
		cgroup = make(path);
	}
	free(line);
	return cgroup;
}

struct cgroup *cgroup_read(pid_t pid)
{
	struct cgroup *cgroup;
	char path[32];
	FILE *lines;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	lines = fopen(path, "re");
	if (!lines)
		return NULL;
	cgroup = cgroup_parse(lines);
	fclose(lines);
	return cgroup;
}
