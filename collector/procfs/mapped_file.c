// SPDX-License-Identifier: GPL-2.0
#include "procfs/mapped_file.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "procfs/procfs.h"
#include "base/regular_file.h"

struct search {
	uint64_t address;
	const struct mapped_inode *inode;
};

/* 1 where it is, -ENOENT where another one is. */
static int compare(void *ctx, const struct maps_entry *e, const char *name)
{
	const struct search *search = ctx;
	const struct mapped_inode *inode = search->inode;

	(void)name;
	if (search->address < e->start || search->address >= e->end)
		return 0;
	return e->ino == inode->ino && e->dev_major == inode->dev_major &&
	       e->dev_minor == inode->dev_minor ? 1 : -ENOENT;
}

/*
 * A page of ours, which is never touched, has the numbers that everybody's have. One of
 * hugetlbfs is as large as it says, and none of them is set aside for us.
 */
static bool maps_as(int fd, size_t page_bytes, const struct mapped_inode *inode)
{
	void *page = mmap(NULL, page_bytes, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	struct search search = { .address = (uintptr_t)page, .inode = inode };
	bool is;

	if (page == MAP_FAILED)
		return false;
	is = procfs_maps(getpid(), compare, &search) == 1;
	munmap(page, page_bytes);
	return is;
}

static bool is_inode(int fd, const struct mapped_inode *inode)
{
	struct stat st;

	if (fstat(fd, &st))
		return false;
	if (st.st_ino == inode->ino && st.st_dev == makedev(inode->dev_major, inode->dev_minor))
		return true;
	return maps_as(fd, st.st_blksize, inode);
}

int mapped_open(const char *path, const struct mapped_inode *inode)
{
	int fd = regular_open(path);

	if (fd < 0 || is_inode(fd, inode))
		return fd;
	close(fd);
	return -ENOENT;
}
