// SPDX-License-Identifier: GPL-2.0
#include "fileid.h"

#include <errno.h>
#include <linux/magic.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

#define RECENT_SECONDS	2

#define BCACHEFS_MAGIC	0xca451a4e
#define ZFS_MAGIC	0x2fc12fc1

/*
 * Known ones only. FUSE, which anybody may mount, tells any ctime, and so does an
 * overlay of it, which looks like all overlays. Images that are made elsewhere, such
 * as squashfs, have their packer's; a server's comes late.
 */
static bool keeps_ctime(int fd)
{
	static const uint32_t known[] = {
		EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC,
		TMPFS_MAGIC, BCACHEFS_MAGIC, ZFS_MAGIC,
	};
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return false;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if ((uint32_t)fs.f_type == known[i])
			return true;
	return false;
}

int fileid_read(int fd, struct fileid *id)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_nlink || !keeps_ctime(fd))
		return -ENOTSUP;
	*id = (struct fileid){
		.dev = st.st_dev,
		.ino = st.st_ino,
		.size = st.st_size,
		.mtime_s = st.st_mtim.tv_sec,
		.mtime_ns = st.st_mtim.tv_nsec,
		.ctime_s = st.st_ctim.tv_sec,
		.ctime_ns = st.st_ctim.tv_nsec,
	};
	return 0;
}

bool fileid_is_recent(const struct fileid *id)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return id->ctime_s >= now.tv_sec - RECENT_SECONDS;
}
