// SPDX-License-Identifier: GPL-2.0
#include "process/file_version.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

struct file_version file_version_of(const struct stat *st)
{
	return (struct file_version){
		.mtime_s = st->st_mtim.tv_sec, .mtime_ns = st->st_mtim.tv_nsec,
		.bytes = st->st_size,
	};
}

bool file_version_is_equal(const struct file_version *a, const struct file_version *b)
{
	return a->mtime_s == b->mtime_s && a->mtime_ns == b->mtime_ns && a->bytes == b->bytes;
}

bool file_version_has_changed(const struct file_version *version, int fd)
{
	struct file_version now;
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MTIME | STATX_SIZE, &st))
		return false;
	now = (struct file_version){
		.mtime_s = st.stx_mtime.tv_sec, .mtime_ns = st.stx_mtime.tv_nsec,
		.bytes = st.stx_size,
	};
	return !file_version_is_equal(version, &now);
}

bool file_version_is_shared(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type != OVERLAYFS_SUPER_MAGIC &&
	       fs.f_type != FUSE_SUPER_MAGIC;
}
