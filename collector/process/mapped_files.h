/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files that processes have mapped; each file is stored once. A file is opened when it is
 * first reported: later it may be deleted or replaced. Nothing here prints a message.
 */
#ifndef COLLECTOR_FILES_H
#define COLLECTOR_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbol/frame.h"

struct files;

/* Limit of files. A user could make and execute files in a loop, and would fill the memory. */
#define FILES_MAX		(1U << 18)
/* Limit of all their names, and of names from perf maps. */
#define FILES_MAX_NAME_BYTES	((size_t)64 << 20)

#define FILES_NONE	0	/* memory without a file; it has no symbols */

/* What the kernel reports about a mapped file. */
struct files_key {
	uint32_t dev_major;
	uint32_t dev_minor;
	uint64_t ino;
	const char *path;	/* in its mount namespace; "" or NULL if there is none */
};

/* One mapping of a file, and the process that has it. */
struct files_mapping {
	pid_t pid;
	uint64_t start;
	uint64_t end;
};

/*
 * Makes an empty table. files_free() frees it.
 * Returns: the table, or NULL with errno ENOMEM.
 */
struct files *files_new(void);

/* Frees the table, and closes all files. f may be NULL. */
void files_free(struct files *f);

/*
 * Returns the number of a file. The first call for a file opens it, by any path that still leads
 * to it. A file that cannot be opened has no symbols, and no other drawback. Returns FILES_NONE
 * for a file without a path, without memory, or beyond the limits; the last counts as not
 * opened.
 */
uint32_t files_intern(struct files *f, const struct files_key *key,
		      const struct files_mapping *mapping);

/*
 * Opens the perf map of pid, and returns its file number. This number stands for the memory in
 * which pid generates code: an offset in it is an address. The map is read at the first look-up.
 *
 * inherited is the perf map of its parent, or FILES_NONE: it names the code that the map of pid
 * does not name. At most eight generations of maps are used. Returns FILES_NONE if pid has no
 * perf map, without memory, or beyond the limits.
 */
uint32_t files_intern_perfmap(struct files *f, pid_t pid, uint32_t inherited);

/*
 * Does the file stand for memory with generated code? It does if it is FILES_NONE, a perf map,
 * or a file such as "/memfd:code" that is not seen to be an ELF file.
 */
bool files_is_memory(const struct files *f, uint32_t file);

/*
 * Returns the number of the first file that is the same file under another path, or the number
 * itself. Files with the same first number share a descriptor and their symbols.
 */
uint32_t files_first(const struct files *f, uint32_t file);

/*
 * Returns the path as the process sees it, or "//anon" for FILES_NONE. It is valid as long as f.
 */
const char *files_path(const struct files *f, uint32_t file);

/*
 * Returns a descriptor that the caller closes; read it with pread() or mmap() only, as its
 * position is shared. Returns -ENOENT if the file could not be opened, if its symbols have been
 * looked up already, or if it is memory.
 */
int files_open(const struct files *f, uint32_t file);

/*
 * Finds the frames at an offset, innermost first, at most max. The strings are valid as long as
 * f.
 * Returns: the number of frames, 0 without a symbol, or a negative errno of sym_lookup().
 */
int files_lookup(struct files *f, uint32_t file, uint64_t offset, struct sym_line *lines, int max);

/*
 * Frees what more look-ups in the file would need: see sym_release(). A perf map, and those that
 * it inherits from, are read again at the next look-up. This holds for all files with the same
 * files_first().
 */
void files_release_names(struct files *f, uint32_t file);

/*
 * Returns the build ID in lower-case hex, or "" if it is not known. It is valid as long as f. As
 * a look-up does, this makes files_open() fail afterwards.
 */
const char *files_build_id(struct files *f, uint32_t file);

/*
 * Returns how many files could not be opened, or were not, since few descriptors were left. A
 * file beyond FILES_MAX counts each time, since it cannot be recognized.
 */
uint64_t files_nr_unopened(const struct files *f);

#endif /* COLLECTOR_FILES_H */
