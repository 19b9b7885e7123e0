// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/link_map.c
// libs: -Wl,--wrap=open,--wrap=pread
/*
 * Input: the auxiliary vector of a process, AUXV_BYTES long, and its memory. That starts at
 * address 0 and ends with zeroes. For any list in it the walk ends after MAX_READS reads at most,
 * and leaves no file open.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "procfs/link_map.h"

#define PID		1234567
#define PROC		"/proc/1234567"
#define AUXV_BYTES	(2 * sizeof(Elf64_auxv_t))
#define MEMORY_BYTES	(1 << 16)
#define MAX_READS	1000	/* of memory, for one walk */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
ssize_t __real_pread(int fd, void *to, size_t bytes, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t at);

static int auxv, mem;
static unsigned int nr_reads;

static void check(bool holds)
{
	if (!holds)
		abort();
}

int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	if (!strcmp(path, PROC "/auxv"))
		return auxv;
	if (!strcmp(path, PROC "/mem"))
		return mem;
	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return __real_open(path, flags, mode);
}

ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t at)
{
	nr_reads++;
	return __real_pread(fd, to, bytes, at);
}

static int make_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	check(fd >= 0 && write(fd, data, size) == (ssize_t)size && !lseek(fd, 0, SEEK_SET));
	return fd;
}

static bool are_distinct(const uint64_t *addresses, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < i; k++)
			if (addresses[i] == addresses[k])
				return false;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t auxv_bytes = size < AUXV_BYTES ? size : AUXV_BYTES, nr;
	uint64_t *addresses = malloc(LINK_MAP_MAX * sizeof(*addresses));

	auxv = make_file(data, auxv_bytes);
	mem = make_file(data + auxv_bytes, size - auxv_bytes);
	check(size > MEMORY_BYTES || !ftruncate(mem, MEMORY_BYTES));
	nr_reads = 0;
	nr = link_map_read(PID, addresses);
	check(nr <= LINK_MAP_MAX && are_distinct(addresses, nr) && nr_reads <= MAX_READS);
	check(fcntl(mem, F_GETFD) < 0 && fcntl(auxv, F_GETFD) < 0);
	free(addresses);
	return 0;
}
