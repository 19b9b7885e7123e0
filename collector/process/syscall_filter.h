/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters of system calls: see seccomp(2). They limit the harm of a bug in code that reads files
 * of other users. A call that is refused fails with EPERM.
 *
 * A filter is of the calling thread, and of threads and processes that it starts later. There is no
 * way back. Both functions set PR_SET_NO_NEW_PRIVS.
 */
#ifndef COLLECTOR_SYSCALL_FILTER_H
#define COLLECTOR_SYSCALL_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Refuses calls that the collector does not need once it reads foreign files: the lists in the .c
 * have them, with reasons. kill() can only reach the process `program`, or this process if it is 0.
 * asks_servers: libdebuginfod may be used, which opens sockets and sets permissions of its cache.
 * Returns: 0, or a negative errno. It returns -EOPNOTSUPP if the kernel has no seccomp filters.
 */
int syscall_filter_collector(pid_t program, bool asks_servers);

/*
 * Refuses all calls but those of code that allocates memory, and reads files that are open. Of
 * writes it allows write() to write_fd, and an ioctl() with one of the nr numbers of requests.
 * Returns: as syscall_filter_collector().
 */
int syscall_filter_parser(int write_fd, const uint32_t *requests, size_t nr);

#endif /* COLLECTOR_SYSCALL_FILTER_H */
