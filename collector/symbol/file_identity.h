/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tells that a file is the one, with the content, that was seen earlier. That is
 * its ctime, which the kernel takes from its own clock when a file is written, and which
 * nobody can set. Who may write to a file can still hide that, through a mapping; but
 * then what names it has is up to him in any case.
 */
#ifndef COLLECTOR_FILEID_H
#define COLLECTOR_FILEID_H

#include <stdbool.h>
#include <stdint.h>

/* No padding: it is compared, and stored, as bytes. */
struct fileid {
	uint64_t dev;
	uint64_t ino;
	uint64_t size;
	int64_t mtime_s;
	int64_t mtime_ns;
	int64_t ctime_s;
	int64_t ctime_ns;
	uint64_t head;	/* a hash of the first page: images' packers may set all times alike */
};

/*
 * 0, or -ENOTSUP of what is no regular file, has no name any more, or lies on a file
 * system that any user may have mounted, and whose ctime may be anything.
 */
int fileid_read(int fd, struct fileid *id);

/* Changed so lately, or in the future, that it may change again without another ctime. */
bool fileid_is_recent(const struct fileid *id);

#endif /* COLLECTOR_FILEID_H */
