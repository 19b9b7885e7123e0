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

/*
 * A procfs_maps_fn. At the line of search->address it ends the walk: with 1 if the line has the
 * numbers of search->inode, with -ENOENT if it has others.
 */
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
 * Does a mapping of fd have the given numbers? Maps one page, which is never touched, and reads
 * its line in /proc/self/maps. On hugetlbfs the page has page_bytes, the block size of stat().
 * With MAP_NORESERVE no huge page is reserved for it.
 */
static bool maps_as(int fd, size_t page_bytes, const struct mapped_inode *inode)
{
	void *page = mmap(NULL, page_bytes, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	struct search search = { .address = (uintptr_t)page, .inode = inode };
	bool is_same;

	if (page == MAP_FAILED)
		return false;
	is_same = procfs_maps(getpid(), compare, &search) == 1;
	munmap(page, page_bytes);
	return is_same;
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
