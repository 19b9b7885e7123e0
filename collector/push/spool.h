/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A folder that keeps the profiles that a backend has not accepted yet, from one run to the next.
 * An entry is one profile. Its name is the time at which it came, so the order of names is that of
 * time.
 *
 * An entry is written to a temporary file, which is then renamed: it appears complete or not at
 * all. It is not synced, since syncs would keep a disk busy. So a crash of the machine may damage
 * an entry. It has a hash of its bytes, and spool_read() refuses one whose hash is wrong.
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
 * Opens the folder of a backend below dir. Removes the temporary file of a process that was killed.
 * The caller has a lock: only one process uses the spool.
 * Returns: the spool, which spool_close() frees; or NULL with errno.
 */
struct spool *spool_open(int dir, const struct push_backend *b);

/* Closes the spool. The entries stay. s may be NULL. */
void spool_close(struct spool *s);

/*
 * Calls take() for each entry, oldest first, with its size in bytes.
 * Returns: 0, or a negative errno.
 */
int spool_list(struct spool *s, void (*take)(void *ctx, const struct spool_name *name,
					     uint64_t bytes), void *ctx);

/*
 * Adds an entry. now_ns is the time since the epoch. If it is not later than the newest entry, the
 * entry gets the time after that one.
 * Returns: 0, and *name is set; or a negative errno.
 */
int spool_add(struct spool *s, uint64_t now_ns, const struct byte_buffer *data,
	      struct spool_name *name);

/* Appends the data of an entry to b. Returns: 0, -EBADMSG if it is damaged, or another errno. */
int spool_read(const struct spool *s, const struct spool_name *name, struct byte_buffer *b);

/* Removes an entry. Errors are ignored. */
void spool_remove(const struct spool *s, const struct spool_name *name);

/* Returns the time at which an entry came, in ns since the epoch. */
uint64_t spool_name_ns(const struct spool_name *name);

#endif /* COLLECTOR_PUSH_SPOOL_H */
