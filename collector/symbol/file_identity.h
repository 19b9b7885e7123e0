/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Identifies a file and its content, to recognize it later. The ctime does that: the kernel sets
 * it from its own clock at each write, and no user can set it.
 *
 * The owner can still hide a write by writing through a mapping. That does no harm: the owner
 * decides about the symbols in the file in any case.
 */
#ifndef COLLECTOR_FILE_IDENTITY_H
#define COLLECTOR_FILE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

/* It has no padding, since it is compared and stored as bytes. */
struct file_identity {
	uint64_t dev;
	uint64_t ino;
	uint64_t size;
	int64_t mtime_s;
	int64_t mtime_ns;
	int64_t ctime_s;
	int64_t ctime_ns;
	/* Hash of the first page: tools that build images may set all times alike. */
	uint64_t head;
};

/*
 * Reads the identity of the open file fd.
 * Returns: 0; or -ENOTSUP if the file is not regular, has no name any more, or lies on a file
 * system that any user may have mounted: its ctime may be anything.
 */
int file_identity_read(int fd, struct file_identity *id);

/*
 * Was the file changed in the last 60 seconds, or in the future? Then it may change again
 * without a new ctime: a write through a mapping sets it only when the page was clean.
 */
bool file_identity_is_recent(const struct file_identity *id);

#endif /* COLLECTOR_FILE_IDENTITY_H */
