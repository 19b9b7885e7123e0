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
 * write() sets the ctime each time. A write through a mapping sets it only if the page was clean
 * before. So a file that a linker writes through a mapping may have the ctime of the first write.
 */
#define RECENT_SECONDS	60

/* Linkers put the build ID into an ELF file's first page. */
#define HEAD_BYTES	4096

#define BCACHEFS_MAGIC	0xca451a4e
#define ZFS_MAGIC	0x2fc12fc1

/* Is the ctime of files of this file system always set from the clock of this kernel? */
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

/* Returns the id of the mount of fd, or -1: see proc(5), /proc/pid/fdinfo. */
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

/* Is the mount of fd in the mount namespace of this process? See proc(5), /proc/pid/mountinfo. */
static bool is_mounted_here(int fd)
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	int mount = mount_of(fd), id;
	bool found = false;

	while (mounts && !found && fscanf(mounts, "%d%*[^\n]", &id) == 1)
		found = id == mount;
	if (mounts)
		fclose(mounts);
	return found;
}

/*
 * May the ctime of fd be trusted? A FUSE server chooses it freely, and any user may mount FUSE. In
 * a user namespace any user may also mount an overlay over FUSE. So a file system that takes its
 * ctimes from another file system, a server or an image counts only if it is mounted in the mount
 * namespace of this process.
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
