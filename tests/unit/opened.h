/* SPDX-License-Identifier: GPL-2.0 */
/* Checks whether a process has opened a file. Opening with O_PATH does not count. */
#ifndef TESTS_OPENED_H
#define TESTS_OPENED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/inotify.h>
#include <unistd.h>
#include <cmocka.h>

/* Begins to watch a file. The caller closes the descriptor. */
static inline int opened_watch(const char *path)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	assert_true(fd >= 0);
	assert_true(inotify_add_watch(fd, path, IN_OPEN) >= 0);
	return fd;
}

/* True if the file was opened since the last call. */
static inline bool opened_since(int watch)
{
	char events[4096];

	return read(watch, events, sizeof(events)) > 0;
}

#endif /* TESTS_OPENED_H */
