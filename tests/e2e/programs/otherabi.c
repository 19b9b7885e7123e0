// SPDX-License-Identifier: GPL-2.0
/*
 * A library to preload: /dev/pprof appears to have version 99 of the interface, as a module
 * of another build might have.
 */
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pprof.h"

int ioctl(int fd, unsigned long request, ...);

int ioctl(int fd, unsigned long request, ...)
{
	struct pprof_info *info;
	va_list args;
	int ret;

	va_start(args, request);
	info = va_arg(args, struct pprof_info *);
	va_end(args);
	ret = syscall(SYS_ioctl, fd, request, info);
	if (!ret && request == PPROF_IOC_INFO)
		info->abi_major = 99;
	return ret;
}
