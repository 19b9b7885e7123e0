/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A gzip file, or a plain one, that is there whole or not at all: one member,
 * written to a temporary file beside its name, synced, and moved into place.
 * Equal input gives equal bytes.
 */
#ifndef COLLECTOR_GZOUT_H
#define COLLECTOR_GZOUT_H

#include <stddef.h>

struct gzout;

/*
 * Without a flag, never over an existing file: where NAME.pb.gz exists it
 * becomes NAME.001.pb.gz, up to .999, and NAME.txt so too if it is plain.
 */
#define GZOUT_KEEP	0U

/*
 * Replaces the file, or that which a symbolic link points to. What is no
 * regular file (a device, a FIFO) is written into, and "-" is standard output:
 * half of the data may be out when an error comes. A FIFO that is neither ours
 * nor root's is refused: EISNAM; another one waits for its reader. SIGINT and
 * SIGTERM are not blocked while it is opened.
 */
#define GZOUT_REPLACE	(1U << 0)

/* As it is, without gzip. */
#define GZOUT_PLAIN	(1U << 1)

/*
 * Opens for writing; flags are GZOUT_*, files have mode 0600. Ends with
 * gzout_commit() or gzout_abort(). NULL with errno.
 */
struct gzout *gzout_open(const char *path, unsigned int flags);

/*
 * Compresses len bytes, or writes them as they are. 0 or a negative errno; only
 * abort makes sense then.
 */
int gzout_write(struct gzout *gz, const void *data, size_t len);

/*
 * Finishes the file and frees gz, whatever comes. 0, and the name that the
 * file got in *final, to be freed by the caller (NULL: not wanted); 1 if that is still
 * the temporary file's, as all others are taken; or a negative errno and no file.
 */
int gzout_commit(struct gzout *gz, char **final);

/* Removes what was written and frees gz. NULL is fine. */
void gzout_abort(struct gzout *gz);

#endif /* COLLECTOR_GZOUT_H */
