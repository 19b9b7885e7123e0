/* SPDX-License-Identifier: GPL-2.0 */
/* Limits where this process may write, by Landlock: see landlock(7). */
#ifndef COLLECTOR_WRITE_FOLDERS_H
#define COLLECTOR_WRITE_FOLDERS_H

#include <stddef.h>

/*
 * From now on the calling thread, and threads that it starts, can open files for writing, create
 * them, rename them and remove them only below these folders. It can execute no file, and it can
 * no longer access other processes as ptrace(2) does. Descriptors that are open already are not
 * limited. There is no way back. A negative descriptor is skipped; the caller may close all.
 *
 * Returns: 0, or a negative errno. It returns -EOPNOTSUPP if the kernel has no Landlock, which is
 * in kernels from 5.13 on.
 */
int write_folders_only(const int *folders, size_t nr);

#endif /* COLLECTOR_WRITE_FOLDERS_H */
