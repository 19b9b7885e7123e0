/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The folder of a continuous profile, which has files of many windows. The name of a file begins
 * with the start of its window: 20261128T120000Z.nginx.1234.cpu.pb.gz. Only files with such a name
 * count as windows here, and only these are removed.
 */
#ifndef COLLECTOR_WINDOW_STORE_H
#define COLLECTOR_WINDOW_STORE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Which windows are kept; 0 is no limit. */
struct window_limits {
	uint64_t windows;
	uint64_t bytes;		/* of all files, each rounded up to 4,096 */
	uint64_t seconds;	/* age of the start of a window */
};

struct window_store;

/*
 * Opens a folder, which is borrowed, locks it, and lists its windows. Removes temporary files of
 * runs that were killed: a file that is still being written has a lock. Writes and removes a file
 * as a test. window_store_free() frees the store.
 * Returns: the store, or NULL after it printed the cause.
 */
struct window_store *window_store_open(const char *folder, const struct window_limits *limits);

/* Frees the store, which unlocks the folder. s may be NULL. */
void window_store_free(struct window_store *s);

/* Gives up the lock in a child. The parent keeps it. */
void window_store_release(struct window_store *s);

/* Opens the folder with O_PATH. Returns a descriptor for the caller, or a negative errno. */
int window_store_open_folder(const struct window_store *s);

/*
 * Returns the path for a file of the window that begins at time_ns since the epoch. comm is the
 * name of its processes, and pid one of them, or 0. The caller frees it. Returns NULL without
 * memory.
 */
char *window_store_path(const struct window_store *s, int64_t time_ns, const char *comm, pid_t pid,
			const char *profile_type);

/*
 * Syncs the folder: the names of its new files survive a crash of the machine.
 * Returns: 0, or a negative errno.
 */
int window_store_sync(const struct window_store *s);

/*
 * Adds a complete file. path is that of window_store_path(), or of gzip_file_commit().
 * Returns: 0; -EINVAL if it is no path of a window's file in the folder; or -ENOMEM.
 */
int window_store_add(struct window_store *s, const char *path);

/* Removes the oldest windows over the limits. The newest one stays. now_ns is since the epoch. */
void window_store_trim(struct window_store *s, int64_t now_ns);

#endif /* COLLECTOR_WINDOW_STORE_H */
