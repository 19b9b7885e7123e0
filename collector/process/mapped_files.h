/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files that processes have mapped; each file is stored once. A file is opened when it is
 * first reported: later it may be deleted or replaced. Nothing here prints a message.
 */
#ifndef COLLECTOR_MAPPED_FILES_H
#define COLLECTOR_MAPPED_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/file_opening.h"
#include "procfs/maps.h"
#include "symbol/debug_fault.h"
#include "symbol/frame.h"

struct mapped_files;
struct symbolizer;

/* Limit of files. A user could make and execute files in a loop, and would fill the memory. */
#define MAPPED_FILES_MAX		(1U << 18)
/* Fewer files than this are not removed: see mapped_files_are_many(). */
#define MAPPED_FILES_FEW		512
/* Limit of all their names, and of names from perf maps. */
#define MAPPED_FILES_MAX_NAME_BYTES	((size_t)64 << 20)

#define MAPPED_FILES_NONE	0	/* memory without a file; it has no symbols */

/*
 * Makes an empty table. mapped_files_free() frees it.
 * Returns: the table, or NULL with errno ENOMEM.
 */
struct mapped_files *mapped_files_new(void);

/* Frees the table, and closes all files. f may be NULL. */
void mapped_files_free(struct mapped_files *f);

/*
 * Finds the number of a file. The first call for a file opens it, by any path that still leads
 * to it. A file whose content has changed meanwhile is a new file. A file that cannot be opened has
 * no symbols, and no other drawback.
 * Returns: the number; or MAPPED_FILES_NONE for a file without a path, without memory, or beyond
 * the limits. The last counts as not opened.
 */
uint32_t mapped_files_intern(struct mapped_files *f, const struct mapped_files_key *key,
			     const struct mapped_files_mapping *mapping);

/*
 * Opens the perf map of pid, and returns its file number. This number stands for the memory in
 * which pid generates code: an offset in it is an address. The map is read at the first look-up.
 *
 * inherited is the perf map of its parent, or MAPPED_FILES_NONE: it names the code that the map of
 * pid does not name. is_new: the map did not exist when the profile of pid began. At most eight
 * generations of maps are used.
 * Returns: the file, or MAPPED_FILES_NONE if pid has no perf map, without memory, or beyond the
 * limits.
 */
uint32_t mapped_files_intern_perfmap(struct mapped_files *f, pid_t pid, uint32_t inherited,
				     bool is_new);

/*
 * The code of the kernel is below. Its symbols are read from fd, which is that of kallsyms_open(),
 * at the first look-up: near the end of a profile it has the modules that were loaded meanwhile.
 * The table owns fd.
 */
void mapped_files_set_kallsyms(struct mapped_files *f, int fd);

/*
 * Finds the code of the kernel at addr. range->file stands for the kernel or one of its modules: an
 * offset in it is an address.
 * Returns: 0; -ENOENT if no symbol is near; or -ENOMEM.
 */
int mapped_files_find_kernel(struct mapped_files *f, uint64_t addr, struct maps_range *range);

/* Returns the name of the kernel's function at addr, or NULL. It is valid as long as f. */
const char *mapped_files_kernel_name(struct mapped_files *f, uint64_t addr);

/*
 * Does the file stand for memory with generated code? It does if it is MAPPED_FILES_NONE, a perf
 * map, or a file such as "/memfd:code" that is not seen to be an ELF file.
 */
bool mapped_files_is_memory(const struct mapped_files *f, uint32_t file);

/*
 * Returns the number of the first file that is the same file under another path, or the number
 * itself. Files with the same first number share a descriptor and their symbols.
 */
uint32_t mapped_files_first(const struct mapped_files *f, uint32_t file);

/*
 * Looks for files whose content has changed since they were opened. mapped_files_intern() does so
 * for its file, and a look-up of symbols, too. Such a file has a new number from then on. The old
 * number has neither symbols nor a build ID any more: see mapped_files_is_outdated().
 */
void mapped_files_find_changes(struct mapped_files *f);

/*
 * Returns how many changes were found. *first becomes the path of the first changed file, which is
 * valid as long as f, or NULL.
 */
uint64_t mapped_files_nr_changes(const struct mapped_files *f, const char **first);

/* Does the number stand for content that a file has no longer? */
bool mapped_files_is_outdated(const struct mapped_files *f, uint32_t file);

/*
 * Returns the number that stands for the content of a mapping of the file by now: the number
 * itself, or that of the changed file. After a change on overlayfs or FUSE it is the number itself,
 * as the mapping may still have the old content.
 */
uint32_t mapped_files_newest(const struct mapped_files *f, uint32_t file);

/*
 * Returns the path as the process sees it, or "//anon" for MAPPED_FILES_NONE. It is valid as long
 * as f.
 */
const char *mapped_files_path(const struct mapped_files *f, uint32_t file);

/*
 * Returns a descriptor that the caller closes; read it with pread() or mmap() only, as its
 * position is shared. Returns -ENOENT if the file could not be opened, if its symbols have been
 * looked up already, or if it is memory.
 */
int mapped_files_open(const struct mapped_files *f, uint32_t file);

/*
 * Finds the frames at an offset, innermost first, at most max. The strings are valid as long as
 * f.
 * Returns: the number of frames, 0 without a symbol, or a negative errno of symbolizer_lookup().
 */
int mapped_files_lookup(struct mapped_files *f, uint32_t file, uint64_t offset, struct frame *lines,
			int max);

/* Returns the symbolizer of a file in which symbols were looked up, or NULL. */
struct symbolizer *mapped_files_symbolizer(const struct mapped_files *f, uint32_t file);

/*
 * Frees what more look-ups in the file would need: see symbolizer_release(). A perf map, and those
 * that it inherits from, are read again at the next look-up. This holds for all files with the same
 * mapped_files_first().
 */
void mapped_files_release_names(struct mapped_files *f, uint32_t file);

/*
 * Returns the build ID in lower-case hex, or "" if it is not known. It is valid as long as f. As
 * a look-up does, this makes mapped_files_open() fail afterwards.
 */
const char *mapped_files_build_id(struct mapped_files *f, uint32_t file);

/* Sets the build ID of a file, which another process has read. Nothing happens without memory. */
void mapped_files_set_build_id(struct mapped_files *f, uint32_t file, const char *build_id);

/*
 * Returns the build ID of the first file from *file on that mapped_files_build_id() has read, and
 * sets *file to its number. Returns NULL if there is none.
 */
const char *mapped_files_next_build_id(struct mapped_files *f, uint32_t *file);

/*
 * Returns in how many files look-ups met debug info that could not be used, for this cause. *first
 * becomes the path of the debug info of the first one.
 */
uint64_t mapped_files_nr_faulty(const struct mapped_files *f, enum debug_fault_cause cause,
				const char **first);

/*
 * Returns how many files could not be opened, or were not, since few descriptors were left. A file
 * beyond a limit of the table counts each time, since it cannot be recognized.
 */
uint64_t mapped_files_nr_unopened(const struct mapped_files *f);

/*
 * Returns the path of the first perf map that was not used, since an older process with the same
 * pid wrote it; or NULL.
 */
const char *mapped_files_old_perfmap(const struct mapped_files *f);

/* Returns a number above those of all files. */
uint32_t mapped_files_nr(const struct mapped_files *f);

/*
 * Is it worth its time to call mapped_files_keep()? A run of many windows opens the files of all
 * processes that have ever run. Each one takes a descriptor.
 */
bool mapped_files_are_many(const struct mapped_files *f);

/*
 * Closes and removes the files with keep[number] false. keep has mapped_files_nr() entries. Files
 * that a kept one needs are kept, too: their entries become true. The others keep their numbers. A
 * file that comes again is a new one, and a new file may get the number of one that was removed.
 * All paths and build IDs that were returned before become invalid.
 * Returns: 0, or -ENOMEM, and then no file was removed.
 */
int mapped_files_keep(struct mapped_files *f, bool *keep);

#endif /* COLLECTOR_MAPPED_FILES_H */
