/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The unwind tables of files. Each file's is compiled once, in a thread of its
 * own, so that whoever drains the rings does not wait, and given to the module.
 */
#ifndef COLLECTOR_TABLES_H
#define COLLECTOR_TABLES_H

#include <stdint.h>

struct files;
struct tables;

/*
 * Gives a table to the module, and its number there: 0, or a negative errno.
 * Called in the thread; the table is gone afterwards.
 */
typedef int (*tables_add_fn)(void *ctx, const void *table, uint32_t bytes, uint32_t *number);

/* NULL with errno. */
struct tables *tables_new(tables_add_fn add, void *ctx);

/* Waits for the file that is being compiled. NULL is fine. */
void tables_free(struct tables *t);

/*
 * The number of a file's table in the module, 0 if it has none: 0. -EAGAIN if
 * it is being compiled, which begins when it is first asked for; -ENOMEM.
 */
int tables_find(struct tables *t, const struct files *files, uint32_t file, uint32_t *number);

/* Waits until nothing is being compiled. */
void tables_wait(struct tables *t);

/* A descriptor that is readable when something was compiled since tables_calm(). */
int tables_fd(const struct tables *t);
void tables_calm(struct tables *t);

/* How many tables the module had no room for. */
uint64_t tables_nr_refused(struct tables *t);

/* Files whose code has no table since they are damaged, or of another kind. */
struct tables_bad {
	uint64_t nr;
	uint32_t file;	/* the first of them, by its number */
	int err;	/* why it is one, as cfi_compile() */
};

struct tables_bad tables_bad(struct tables *t);

#endif /* COLLECTOR_TABLES_H */
