// SPDX-License-Identifier: GPL-2.0
#include "regular.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int regular_open(const char *path, uint64_t ino)
{
	int fd = -1, path_fd = open(path, O_PATH | O_CLOEXEC);
	char link[32];
	struct stat st;

	if (path_fd < 0)
		return -1;
	if (!fstat(path_fd, &st) && S_ISREG(st.st_mode) && (!ino || st.st_ino == ino)) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
		fd = open(link, O_RDONLY | O_CLOEXEC);
	}
	close(path_fd);
	return fd;
}
