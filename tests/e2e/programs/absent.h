/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that is never there: a thread that touches it waits for ever. */
#ifndef ABSENT_H
#define ABSENT_H

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Returns: memory of @bytes, which are whole pages, under userfaultfd(2). A fault can be read
 * from @fd; if it is closed, the memory becomes ordinary. Exits with 1 on errors.
 */
static inline char *absent_memory(size_t bytes, int *fd)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.mode = UFFDIO_REGISTER_MODE_MISSING,
		.range = { .start = (unsigned long)memory, .len = bytes },
	};

	*fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (*fd < 0 || memory == MAP_FAILED || ioctl(*fd, UFFDIO_API, &api) ||
	    ioctl(*fd, UFFDIO_REGISTER, &range)) {
		perror("userfaultfd");
		exit(1);
	}
	return memory;
}

#endif
