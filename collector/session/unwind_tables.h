/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The unwind tables of files. A thread compiles the table of each file once and passes it to the
 * module: the reader of the rings does not wait.
 */
#ifndef COLLECTOR_TABLES_H
#define COLLECTOR_TABLES_H

#include <stdint.h>

struct files;
struct tables;

/*
 * Passes a table to the module and sets *number to its number there. Runs in the compiling
 * thread. The table is freed afterwards.
 * Returns: 0, or a negative errno.
 */
typedef int (*tables_add_fn)(void *ctx, const void *table, uint32_t bytes, uint32_t *number);

/*
 * Makes an empty list and starts its thread. tables_free() ends both.
 * Returns: the list, or NULL with errno.
 */
struct tables *tables_new(tables_add_fn add, void *ctx);

/* Ends the thread, after the file that it is compiling, and frees the list. t may be NULL. */
void tables_free(struct tables *t);

/*
 * Sets *number to the number of a file's table in the module, or to 0 if the file has none. The
 * first call for a file requests its table.
 * Returns: 0; -EAGAIN while the table is being compiled; or -ENOMEM.
 */
int tables_find(struct tables *t, const struct files *files, uint32_t file, uint32_t *number);

/* Waits until no table is being compiled. */
void tables_wait(struct tables *t);

/* Returns a descriptor that becomes readable when a table is ready. t owns it. */
int tables_fd(const struct tables *t);

/* Makes the descriptor unreadable until the next table is ready. */
void tables_calm(struct tables *t);

/* Returns how many tables the module refused. */
uint64_t tables_nr_refused(struct tables *t);

/* Files with code but without a table, since they are damaged or of another format. */
struct tables_bad {
	uint64_t nr;
	uint32_t file;	/* number of the first such file */
	int err;	/* the error of cfi_compile() for it */
};

/* Returns these files. */
struct tables_bad tables_bad(struct tables *t);

#endif /* COLLECTOR_TABLES_H */
