// SPDX-License-Identifier: GPL-2.0
/*
 * A library to preload: /proc/PID/maps has no PROCMAP_QUERY, as before Linux 6.11. Each refused
 * query is a line "query" on standard error.
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROCMAP_QUERY	0xc0686611	/* include/uapi/linux/fs.h */

int ioctl(int fd, unsigned long request, ...);

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (request != PROCMAP_QUERY)
		return syscall(SYS_ioctl, fd, request, arg);
	errno = write(STDERR_FILENO, "query\n", 6) < 0 ? EIO : ENOTTY;
	return -1;
}
