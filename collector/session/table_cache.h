/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The unwind tables that are kept from one run to the next, in the folder of symbol/cache_dir.h.
 *
 * A table is valid while its file and the build of the collector do not change. It depends on
 * nothing else: cfi_compile() reads no separate debug file. As with symbols, what could change
 * without a trace is not kept: tables of files without a build ID, of files that were just written,
 * and of files whose ctime is not trusted.
 *
 * The main thread opens and writes cache files. The thread that compiles may not: it reads an open
 * one. Nothing here prints a message. Any thread may call this, for different objects.
 */
#ifndef COLLECTOR_TABLE_CACHE_H
#define COLLECTOR_TABLE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/file_identity.h"

struct cfi;
struct stat;

/* Everything that a table depends on. It has no padding, since it is compared as bytes. */
struct table_cache_origin {
	uint64_t build_identity;	/* of the collector */
	struct file_identity file;
};

/* A profiled file that may have a table in the cache. */
struct table_cache_file {
	struct table_cache_origin origin;
	bool is_cacheable;	/* origin is set, and would show a change of the file */
	/* Of the cache file. Negative: there is none, or few descriptors are left. */
	int fd;
};

/* A table that is not in the cache yet. */
struct new_table {
	struct file_identity file;
	void *image;		/* of the cache file */
	size_t bytes;
};

/* All zeroes is an empty list. */
struct new_tables {
	struct new_table *items;
	size_t nr;
	size_t room;
	uint64_t bytes;		/* of all images */
};

/*
 * Looks for the table of the open file fd, and fills f. The caller closes f->fd if it is not
 * negative.
 */
void table_cache_find(int fd, struct table_cache_file *f);

/*
 * Reads the table of f. st is the state of the profiled file now: if the file was changed since
 * table_cache_find(), its table is not used. Makes no system calls but fstat(), pread() and those
 * of malloc().
 * Returns: true, with the table for cfi_fini() in *out and no statistics; or false.
 */
bool table_cache_read(const struct table_cache_file *f, const struct stat *st, struct cfi *out);

/*
 * Copies a table that was compiled from fd after table_cache_find(fd, f). fd must be readable.
 * Returns: true, with *new for new_tables_add(); or false if the table is not to be kept, or
 * without memory.
 */
bool new_table_make(const struct table_cache_file *f, int fd, const struct cfi *cfi,
		    struct new_table *new);

/* Adds new and takes over its image. A list that is long enough drops it. */
void new_tables_add(struct new_tables *list, const struct new_table *new);

/* Writes all tables to the cache. Errors are ignored: such a table is compiled again. */
void new_tables_write(const struct new_tables *list);

/* Frees all tables. */
void new_tables_fini(struct new_tables *list);

#endif /* COLLECTOR_TABLE_CACHE_H */
