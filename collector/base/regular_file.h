/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens regular files whose names others choose. open() alone has effects: it
 * starts a watchdog, rewinds a tape, waits at a FIFO. So what a name leads to is
 * looked at by way of O_PATH first.
 */
#ifndef COLLECTOR_REGULAR_H
#define COLLECTOR_REGULAR_H

/*
 * Opens for reading what stands at path, symbolic links followed, and never
 * waits: not for whoever holds a lease on the file either. A descriptor for the
 * caller to close; -ENOENT if it is no regular file; or what open() says,
 * -EWOULDBLOCK of a lease.
 */
int regular_open(const char *path);

/* The same of what path_fd, which was opened with O_PATH, stands for; it stays open. */
int regular_reopen(int path_fd);

#endif /* COLLECTOR_REGULAR_H */
