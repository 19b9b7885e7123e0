/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tells whether an open file still has the content that it had before, by its size and mtime. The
 * ctime is rejected: a package manager that replaces a library removes the name of the old file,
 * and that changes its ctime.
 *
 * A change is not seen if it sets both back (touch -r), if it comes within a tick of the kernel's
 * clock after the change before, or if it writes to a page of a shared mapping that is dirty
 * already.
 */
#ifndef COLLECTOR_FILE_VERSION_H
#define COLLECTOR_FILE_VERSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct file_version {
	int64_t mtime_s;
	int64_t mtime_ns;
	int64_t bytes;
};

/* Returns the version that stat() has shown. */
struct file_version file_version_of(const struct stat *st);

/* Are both the same? */
bool file_version_is_equal(const struct file_version *a, const struct file_version *b);

/*
 * Has the open file another version? No server is asked: for NFS and FUSE the kernel's own copy of
 * the times counts, as processes execute its copy of the content. After an error the answer is no.
 */
bool file_version_has_changed(const struct file_version *version, int fd);

/*
 * Does the content of a mapping change with the file? It does, except on overlayfs and FUSE. There
 * a write may go to a copy, and mappings from before keep the old content.
 */
bool file_version_is_shared(int fd);

#endif /* COLLECTOR_FILE_VERSION_H */
