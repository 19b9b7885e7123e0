// SPDX-License-Identifier: GPL-2.0
#include "base/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * O_NONBLOCK is here for leases. The owner of a file can hold a lease on it: open() would then
 * wait for /proc/sys/fs/lease-break-time, 45 s by default. See fcntl(2), "Leases". Reads of a
 * regular file ignore O_NONBLOCK.
 */
int regular_reopen(int path_fd)
{
	char link[32];
	struct stat st;
	int fd;

	if (fstat(path_fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOENT;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int regular_open(const char *path)
{
	int path_fd = open(path, O_PATH | O_CLOEXEC), fd;

	if (path_fd < 0)
		return -errno;
	fd = regular_reopen(path_fd);
	close(path_fd);
	return fd;
}
