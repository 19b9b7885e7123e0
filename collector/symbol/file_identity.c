// SPDX-License-Identifier: GPL-2.0
#include "symbol/file_identity.h"

#include <errno.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

/*
 * A write sets the ctime, but one through a mapping does only when its page was clean: so
 * what a linker writes in that way gets the ctime of its beginning.
 */
#define RECENT_SECONDS	60

/* Linkers put the build ID into an ELF file's first page. */
#define HEAD_BYTES	4096

#define BCACHEFS_MAGIC	0xca451a4e
#define ZFS_MAGIC	0x2fc12fc1

/* Those on which nobody but the kernel's clock makes a ctime. */
static bool keeps_ctime(uint32_t type)
{
	static const uint32_t known[] = {
		EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC,
		TMPFS_MAGIC, BCACHEFS_MAGIC, ZFS_MAGIC,
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (type == known[i])
			return true;
	return false;
}

/* The number of its mount, or -1: see proc(5), as for the next. */
static int mount_of(int fd)
{
	char path[32];
	int mount = -1;
	FILE *info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = fopen(path, "re");
	if (!info)
		return -1;
	if (fscanf(info, "pos: %*d flags: %*d mnt_id: %d", &mount) != 1)
		mount = -1;
	fclose(info);
	return mount;
}

/* In our mount namespace: not by who is root in one of his own. */
static bool is_mounted_here(int fd)
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	int mount = mount_of(fd), any;
	bool is = false;

	while (mounts && !is && fscanf(mounts, "%d%*[^\n]", &any) == 1)
		is = any == mount;
	if (mounts)
		fclose(mounts);
	return is;
}

/*
 * FUSE tells any ctime, and anybody may mount it. Anybody may mount overlays of it, too,
 * in a namespace of his own: of what tells the ctimes of another file system, a server
 * or an image, only what was mounted for us is believed.
 */
static bool is_trusted(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) || (uint32_t)fs.f_type == FUSE_SUPER_MAGIC)
		return false;
	return keeps_ctime(fs.f_type) || is_mounted_here(fd);
}

static uint64_t hash_head(int fd)
{
	char head[HEAD_BYTES];
	ssize_t bytes = pread(fd, head, sizeof(head), 0);

	return bytes > 0 ? XXH3_64bits(head, bytes) : 0;
}

int file_identity_read(int fd, struct file_identity *id)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_nlink || !is_trusted(fd))
		return -ENOTSUP;
	*id = (struct file_identity){
		.dev = st.st_dev,
		.ino = st.st_ino,
		.size = st.st_size,
		.mtime_s = st.st_mtim.tv_sec,
		.mtime_ns = st.st_mtim.tv_nsec,
		.ctime_s = st.st_ctim.tv_sec,
		.ctime_ns = st.st_ctim.tv_nsec,
		.head = hash_head(fd),
	};
	return 0;
}

bool file_identity_is_recent(const struct file_identity *id)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return id->ctime_s >= now.tv_sec - RECENT_SECONDS;
}
