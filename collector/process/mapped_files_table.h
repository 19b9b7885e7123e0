/* SPDX-License-Identifier: GPL-2.0 */
/* The table of mapped files, for mapped_files.c and mapped_symbols.c. */
#ifndef COLLECTOR_MAPPED_FILES_TABLE_H
#define COLLECTOR_MAPPED_FILES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/file_numbers.h"
#include "process/file_version.h"
#include "process/kept_names.h"
#include "process/kernel_image.h"
#include "process/open_inodes.h"
#include "symbol/perf_map.h"

struct symbolizer;

enum kind {
	MAPPED,
	MEMORY,			/* no file, although the mapping has a path */
	PERFMAP,		/* stands for memory, and has its symbols */
	KERNEL,			/* the kernel or one of its modules: see kallsyms.h */
	COMPAT_VDSO,		/* of 32-bit processes. This process has no copy of it to read. */
	OUTDATED,		/* of keys alone: a file that was changed; ino is its number */
};

struct file {
	const char *path;
	struct symbolizer *sym;
	struct perf_map *perfmap;	/* NULL after mapped_files_release_names() */
	uint64_t perfmap_begin;	/* size of the perf map when the profile began */
	uint32_t inherited;	/* perf map of the parent */
	enum kind kind;
	uint32_t first;		/* the file that has the descriptor: see mapped_files_first() */
	int fd;			/* negative if it could not be opened, or a symbolizer has it */
	struct file_version version;	/* when it was opened; of the file with the descriptor */
	/*
	 * The same: it is an ELF file, or was one before a change. Changes of other files do not
	 * matter. A copy over it truncates it first.
	 */
	bool is_elf;
	bool is_outdated;	/* the same: its content has changed since */
	bool is_moved;		/* ranges of processes that run get the number newer, too */
	uint32_t newer;		/* the number of the changed file, or MAPPED_FILES_NONE */
	char *build_id;		/* of KERNEL, or as another process has read it; or NULL */
	bool is_read;		/* mapped_files_build_id() was called without build_id */
};

struct mapped_files {
	struct file_numbers numbers;
	struct file *table;	/* by number */
	size_t capacity;
	uint32_t nr_kept;	/* files that mapped_files_keep() has left */
	struct kept_names names;
	struct open_inodes inodes;	/* the files that have descriptors */
	int max_fd;
	uint64_t nr_unopened;
	uint64_t nr_changes;
	char *first_changed;	/* its path; NULL: there is none, or no memory */
	char old_perfmap[PERF_MAP_PATH_MAX];	/* the first one; "": none */
	struct kernel_image kernel;
};

/*
 * Has the content of an ELF file changed since it was opened? While a symbolizer has the
 * descriptor, a change is not noticed.
 */
bool mapped_file_has_changed(const struct file *file);

/* Marks a file as outdated, and counts that. */
void mapped_file_note_change(struct mapped_files *f, struct file *file);

#endif /* COLLECTOR_MAPPED_FILES_TABLE_H */
