/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes a gzip file, or a plain file, so that it appears complete or not at all. The data goes
 * into a temporary file beside the final name; commit syncs it and renames it. Equal input gives
 * equal bytes. Nothing here prints a message. pprof/profile_source.h reads such files.
 */
#ifndef COLLECTOR_GZIP_FILE_H
#define COLLECTOR_GZIP_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct gzip_file;

/*
 * No flag: never replaces an existing file. If NAME.pb.gz exists, the file becomes
 * NAME.001.pb.gz, up to .999. The same holds for NAME.txt with GZIP_FILE_PLAIN. A name with another
 * ending gets the number at its end.
 */
#define GZIP_FILE_KEEP	0U

/*
 * Replaces an existing file. If the name is a symbolic link, replaces the file that it points
 * to.
 *
 * A file that is not regular (a device, a FIFO) is written in place, and "-" is standard output.
 * After an error, a part of the data may already be written there.
 *
 * A FIFO in the file system is refused with EISNAM if its owner is neither root nor the caller's
 * user. Another FIFO waits for its reader; SIGINT, SIGTERM and SIGHUP are unblocked meanwhile,
 * so that they end the process.
 */
#define GZIP_FILE_REPLACE	(1U << 0)

/* Writes the data as it is, without gzip. */
#define GZIP_FILE_PLAIN	(1U << 1)

/*
 * Opens a file for writing; flags are GZIP_FILE_*. New files have the mode 0600.
 * gzip_file_commit() or gzip_file_abort() ends the file.
 * Returns: the file, or NULL with errno.
 */
struct gzip_file *gzip_file_open(const char *path, unsigned int flags);

/*
 * Is it the name of a temporary file? flock() locks a temporary file while it is written. One
 * without a lock is left from a run that was killed.
 */
bool gzip_file_is_temporary(const char *name);

/*
 * Opens the folder in which gzip_file_commit() renames the file.
 * Returns: a descriptor of O_PATH, or a negative errno; -ENOENT if it renames nothing.
 */
int gzip_file_open_folder(const struct gzip_file *gz);

/*
 * Writes len bytes, compressed unless GZIP_FILE_PLAIN is set.
 * Returns: 0, or a negative errno. After an error, only gzip_file_abort() makes sense.
 */
int gzip_file_write(struct gzip_file *gz, const void *data, size_t len);

/*
 * Completes the file. Always frees gz, also after an error. final may be NULL; else *final
 * becomes the name of the file, which the caller frees.
 * Returns: 0; 1 if all names are taken and the file keeps its temporary name; or a negative
 * errno, and then there is no file.
 */
int gzip_file_commit(struct gzip_file *gz, char **final);

/* Removes the temporary file and frees gz. gz may be NULL. */
void gzip_file_abort(struct gzip_file *gz);

#endif /* COLLECTOR_GZIP_FILE_H */
