/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A folder that keeps the profiles that a backend has not accepted, from one run to the next. The
 * name of an entry is the time at which it came, so the order of names is that of time.
 *
 * An entry appears complete or not at all: it is written to a temporary file, and renamed. It is
 * not synced, since syncs would keep a disk busy. After a crash of the machine an entry may be
 * damaged: a hash in it shows that, and spool_read() refuses it.
 */
#ifndef COLLECTOR_PUSH_SPOOL_H
#define COLLECTOR_PUSH_SPOOL_H

#include <stddef.h>
#include <stdint.h>

struct byte_buffer;
struct push_backend;
struct spool;

#define SPOOL_NAME_BYTES	24

struct spool_name {
	char text[SPOOL_NAME_BYTES];	/* 20 digits: ns since the epoch */
};

/*
 * Makes the folder of a backend below dir, unless it exists. Its name comes from the kind and the
 * URL. Call this before writes are limited to dir: see base/write_folders.h.
 * Returns: 0, or a negative errno.
 */
int spool_make(int dir, const struct push_backend *b);

/*
 * Opens the folder of a backend below dir. Removes temporary files of a process that was killed.
 * spool_close() ends it.
 * Returns: the spool, or NULL with errno.
 */
struct spool *spool_open(int dir, const struct push_backend *b);

/* Closes the spool. s may be NULL. */
void spool_close(struct spool *s);

/*
 * Calls take() for each entry, oldest first, with its size in bytes.
 * Returns: 0, or a negative errno.
 */
int spool_list(struct spool *s, void (*take)(void *ctx, const struct spool_name *name,
					     uint64_t bytes), void *ctx);

/*
 * Adds an entry. now_ns is the time since the epoch; a name that is taken gets the next one.
 * Returns: 0 and *name, or a negative errno.
 */
int spool_add(struct spool *s, uint64_t now_ns, const struct byte_buffer *data,
	      struct spool_name *name);

/* Appends the data of an entry to b. Returns: 0, -EBADMSG if it is damaged, or another errno. */
int spool_read(const struct spool *s, const struct spool_name *name, struct byte_buffer *b);

/* Removes an entry. */
void spool_remove(const struct spool *s, const struct spool_name *name);

/* Returns the time at which an entry came, in ns since the epoch. */
uint64_t spool_name_ns(const struct spool_name *name);

#endif /* COLLECTOR_PUSH_SPOOL_H */
