/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens regular files at paths that another user may choose. open() alone has side effects: it
 * starts a watchdog, rewinds a tape, or waits at a FIFO. So the file type is checked first, on a
 * descriptor that was opened with O_PATH, which has no such effect.
 */
#ifndef COLLECTOR_REGULAR_FILE_H
#define COLLECTOR_REGULAR_FILE_H

/*
 * Opens the file at path for reading, and follows symbolic links. Never waits, not even for the
 * holder of a lease on the file. Prints nothing.
 * Returns: a descriptor that the caller closes; -ENOENT if the file is not regular; -EWOULDBLOCK
 * if a lease is held; or another negative errno of open().
 */
int regular_open(const char *path);

/*
 * As regular_open(), for the file behind path_fd, which was opened with O_PATH. path_fd stays
 * open.
 */
int regular_reopen(int path_fd);

#endif /* COLLECTOR_REGULAR_FILE_H */
