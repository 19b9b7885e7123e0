/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The folder that keeps symbols and unwind tables from one run to the next: $CACHE_DIRECTORY, or
 * pprof-collect in $XDG_CACHE_HOME or in $HOME/.cache. The last two are created if they are
 * missing.
 *
 * The user must own the folder, and no other user may write to it. Without $CACHE_DIRECTORY the
 * user must also own $XDG_CACHE_HOME, or $HOME and $HOME/.cache. Otherwise nothing is kept, and no
 * message is printed. Any thread and any process may call this.
 */
#ifndef COLLECTOR_CACHE_DIR_H
#define COLLECTOR_CACHE_DIR_H

#include <stddef.h>

#include "symbol/file_identity.h"

struct symbol_cache_file;

/* What a cache file has. */
enum cache_dir_kind {
	CACHE_DIR_NAMES,	/* symbols: symbol/cache_file.h */
	CACHE_DIR_TABLES,	/* an unwind table: session/table_cache.h */
};

/*
 * Limits of the folder, for each kind. A thread counts the files at its first write, and after that
 * many. So several that write at once may exceed the limits by as many files each.
 */
#define CACHE_DIR_MAX_FILES	512
#define CACHE_DIR_MAX_BYTES	(UINT64_C(256) << 20)
#define CACHE_DIR_MAX_UNCOUNTED	32

/*
 * Opens the folder `name` in $XDG_CACHE_HOME or in $HOME/.cache, by the rule above. Creates it if
 * it is missing.
 * Returns: a descriptor, or -1 if there is no folder to trust.
 */
int cache_dir_open(const char *name);

/* Does the same in the folder that parent is open on, and closes parent. It may be negative. */
int cache_dir_open_in(int parent, const char *name);

/*
 * Opens the folder of the cache, and creates it if it does not exist.
 * Returns: a descriptor, or -1 if there is no folder to trust.
 */
int cache_dir_open_folder(void);

/*
 * Opens a cache file of the profiled file id. The user owns it, and no other user may write to it.
 * The folder counts this as a use of the file.
 * Returns: a descriptor for reading, which the caller closes; or -1.
 */
int cache_dir_open_file(enum cache_dir_kind kind, const struct file_identity *id);

/*
 * Writes a cache file, bytes at image, for the profiled file id. It replaces an older one of its
 * kind as a whole or not at all. If the folder would exceed its limits, the files of this kind that
 * were not used for the longest time are removed. Errors are ignored: the next run then finds the
 * content again.
 */
void cache_dir_write_file(enum cache_dir_kind kind, const struct file_identity *id,
			  const void *image, size_t bytes);

/*
 * Reads the symbols of the profiled file id.
 * Returns: them, for symbol_cache_file_free(), or NULL.
 */
struct symbol_cache_file *symbol_cache_read(const struct file_identity *id);

#endif /* COLLECTOR_CACHE_DIR_H */
