/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The unwind tables of files. A thread compiles the table of each file once, or reads it from the
 * cache, and passes it to the module: the reader of the rings does not wait.
 */
#ifndef COLLECTOR_UNWIND_TABLES_H
#define COLLECTOR_UNWIND_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "session/table_cache.h"

struct device;
struct mapped_files;
struct unwind_tables;

/*
 * Makes an empty list and starts its thread. unwind_tables_free() ends both. dev is borrowed. It
 * is a session that was set up with PPROF_SETUP_TABLES. The thread passes tables to it.
 * Returns: the list, or NULL with errno.
 */
struct unwind_tables *unwind_tables_new(struct device *dev);

/* Ends the thread, after the file that it is compiling, and frees the list. t may be NULL. */
void unwind_tables_free(struct unwind_tables *t);

/*
 * Sets *number to the number of a file's table in the module, or to 0 if the file has none. The
 * first call for a file requests its table.
 * Returns: 0; -EAGAIN while the table is being compiled; or -ENOMEM.
 */
int unwind_tables_find(struct unwind_tables *t, const struct mapped_files *files, uint32_t file,
		       uint32_t *number);

/* Waits until no table is being compiled. */
void unwind_tables_wait(struct unwind_tables *t);

/* Returns a descriptor that becomes readable when a table is ready. t owns it. */
int unwind_tables_fd(const struct unwind_tables *t);

/* Makes the descriptor unreadable until the next table is ready. */
void unwind_tables_calm(struct unwind_tables *t);

/*
 * Sets marks[file], of nr, of each file whose table is being compiled, and of unwind_tables_bad().
 */
void unwind_tables_mark(struct unwind_tables *t, bool *marks, uint32_t nr);

/*
 * Forgets the files with keep[file] false, of nr, and drops tables that no other file has. The
 * number may stand for another file from now on. None of them may be marked by
 * unwind_tables_mark().
 */
void unwind_tables_keep(struct unwind_tables *t, const bool *keep, uint32_t nr);

/*
 * Takes the tables that were compiled since the last call, and that later runs may use. t may be
 * NULL.
 * Returns: the tables, for new_tables_write() and new_tables_fini().
 */
struct new_tables unwind_tables_take_new(struct unwind_tables *t);

/* Returns how many tables the module refused. */
uint64_t unwind_tables_nr_refused(struct unwind_tables *t);

/* Files whose table could not be compiled. Files without code do not count. */
struct unwind_tables_bad {
	uint64_t nr;
	uint32_t file;	/* number of the first such file */
	int err;	/* the negative errno of fstat() or cfi_compile() for it */
};

/* Returns these files. */
struct unwind_tables_bad unwind_tables_bad(struct unwind_tables *t);

#endif /* COLLECTOR_UNWIND_TABLES_H */
