/* SPDX-License-Identifier: GPL-2.0 */
/* The uprobes of a heap profile, for programs that use /dev/pprof directly. */
#ifndef HEAPPROBE_H
#define HEAPPROBE_H

#include <dlfcn.h>
#include <stdint.h>

#include "device.h"

static inline int heap(int fd, const struct pprof_heap_probe *probes, __u32 nr)
{
	struct pprof_heap arg = { .size = sizeof(arg), .nr = nr, .probes = (uintptr_t)probes };

	return ioctl(fd, PPROF_IOC_HEAP, &arg);
}

/* A function of libc: the file, which stays open, and the offset. Exits with 1 on errors. */
static inline struct pprof_heap_probe probe_of(const char *name, __u32 kind)
{
	struct pprof_heap_probe probe = { .function = kind };
	void *address = dlsym(RTLD_DEFAULT, name);
	Dl_info info;

	if (!address || !dladdr(address, &info))
		give_up(name);
	probe.fd = open(info.dli_fname, O_RDONLY | O_CLOEXEC);
	probe.offset = (char *)address - (char *)info.dli_fbase;
	return probe;
}

/* Reads a file, or the memory of a process (/proc/PID/mem). Exits with 1 on errors. */
static inline void read_all(const char *path, unsigned long at, unsigned char *to, size_t bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || pread(fd, to, bytes, at) != (ssize_t)bytes)
		give_up(path);
	close(fd);
}

#endif
