/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files that processes have mapped, each one once. A file is opened when
 * it is first heard of: later it may be deleted or replaced.
 */
#ifndef COLLECTOR_FILES_H
#define COLLECTOR_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbol/frame.h"

struct files;

/* So that who makes files in a loop, and executes them, does not use up our memory. */
#define FILES_MAX		(1U << 18)
#define FILES_MAX_NAME_BYTES	((size_t)64 << 20)	/* of all their names, and of perf maps' */

#define FILES_NONE	0	/* memory without a file: no code of ours has names */

/* What the kernel tells of a mapped file. */
struct files_key {
	uint32_t dev_major;
	uint32_t dev_minor;
	uint64_t ino;
	const char *path;	/* in its mount namespace; "" or NULL: none */
};

/* One place where it is mapped, and by whom. */
struct files_mapping {
	pid_t pid;
	uint64_t start;
	uint64_t end;
};

/* NULL with errno ENOMEM. */
struct files *files_new(void);

/* NULL is fine. */
void files_free(struct files *f);

/*
 * The number of a file; the first time it is opened, through whatever still
 * leads to it. One that can't be opened has no names, and nothing else is
 * wrong. FILES_NONE without a path, out of memory, or beyond the limits above, which
 * counts as not opened.
 */
uint32_t files_intern(struct files *f, const struct files_key *key,
		      const struct files_mapping *mapping);

/*
 * The file that stands for the memory in which pid makes code as it runs: the
 * perf map that names it, which is opened, and read when a name is asked for. An
 * offset in it is an address. What it does not name, inherited does: the one of its
 * parent, or FILES_NONE; up to eight generations of them do. FILES_NONE if pid has none, or
 * out of memory.
 */
uint32_t files_intern_perfmap(struct files *f, pid_t pid, uint32_t inherited);

/*
 * FILES_NONE, a perf map's, or of a name such as "/memfd:code" what could not be
 * seen to be an ELF file: a runtime makes code there.
 */
bool files_is_memory(const struct files *f, uint32_t file);

/*
 * The first file that is the same one under another name, or file itself: what is
 * known of one is known of all, and they share a descriptor.
 */
uint32_t files_first(const struct files *f, uint32_t file);

/* Path as its process sees it; "//anon" for FILES_NONE. Lives as long as f. */
const char *files_path(const struct files *f, uint32_t file);

/*
 * A descriptor of it, for the caller to close; to be read with pread() or
 * mmap(). -ENOENT if it could not be opened, or its names have been asked for,
 * or it is memory.
 */
int files_open(const struct files *f, uint32_t file);

/*
 * The functions at an offset, innermost first: their number, at most max; 0 if
 * there is no name; -ENOMEM. The strings live as long as f.
 */
int files_lookup(struct files *f, uint32_t file, uint64_t offset, struct sym_line *lines, int max);

/*
 * Gives back what finding more names in a file would need: see sym_release(). A perf map,
 * and those that it inherits from, are read anew for the next one. The same goes for all
 * that have the same files_first().
 */
void files_release_names(struct files *f, uint32_t file);

/* Lower-case hex, "" if unknown. Lives as long as f. */
const char *files_build_id(struct files *f, uint32_t file);

/*
 * How many could not be opened, or were not since descriptors were running out. What is beyond
 * FILES_MAX counts each time: nobody knows it again.
 */
uint64_t files_nr_unopened(const struct files *f);

#endif /* COLLECTOR_FILES_H */
