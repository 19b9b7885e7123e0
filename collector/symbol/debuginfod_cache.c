// SPDX-License-Identifier: GPL-2.0
#include "symbol/debuginfod_cache.h"

#include <err.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/cache_dir.h"

#define PATH	"DEBUGINFOD_CACHE_PATH"

static int open_given(const char *path)
{
	char *copy = strdup(path), *name = strdup(path);
	int fd = -1;

	if (copy && name)
		fd = cache_dir_open_in(open(dirname(copy), O_PATH | O_DIRECTORY | O_CLOEXEC),
				       basename(name));
	free(copy);
	free(name);
	return fd;
}

/* The descriptor stays open: its path below /proc leads to the folder, whatever its name is now. */
static bool set_folder(void)
{
	const char *given = getenv(PATH);
	int fd = given && *given ? open_given(given) : cache_dir_open("debuginfod_client");
	char path[32];

	if (fd < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/.", fd);
	return !setenv(PATH, path, 1);
}

bool debuginfod_cache_prepare(void)
{
	static bool is_decided, is_safe;

	if (is_decided)
		return is_safe;
	is_decided = true;
	is_safe = geteuid() || set_folder();
	if (!is_safe)
		warnx("debuginfod is not asked for names: its cache is not in a folder of root: set "
		      "HOME=/root, or " PATH " to a folder that only root can write");
	return is_safe;
}
