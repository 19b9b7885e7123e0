// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/mapped_file.c collector/procfs/maps.c collector/procfs/procfs.c
// sources: collector/procfs/live_thread.c collector/base/regular_file.c
// libs: -Wl,--wrap=fstat
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "folder.h"
#include "procfs/mapped_file.h"
#include "procfs/procfs.h"

/* As on a layer of an overlay: stat() gives another device. */
static bool other_device;

int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);

int __wrap_fstat(int fd, struct stat *st)
{
	int ret = __real_fstat(fd, st);

	if (other_device)
		st->st_dev = makedev(99, 99);
	return ret;
}

struct found {
	uint64_t address;
	struct mapped_inode inode;
};

static int find(void *ctx, const struct maps_entry *e, const char *name)
{
	struct found *found = ctx;

	(void)name;
	if (e->start != found->address)
		return 0;
	found->inode = (struct mapped_inode){ e->dev_major, e->dev_minor, e->ino };
	return 1;
}

/* Reads the numbers that the kernel shows when the file is mapped. */
static struct mapped_inode inode_of(const char *path)
{
	int fd = open(path, O_RDONLY);
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	struct found found = { .address = (uintptr_t)page };

	assert_ptr_not_equal(page, MAP_FAILED);
	assert_int_equal(procfs_maps(getpid(), find, &found), 1);
	munmap(page, 4096);
	close(fd);
	return found.inode;
}

static void assert_opened(const char *path, const struct mapped_inode *inode)
{
	int fd = mapped_open(path, inode);

	assert_true(fd >= 0);
	close(fd);
}

static int setup(void **state)
{
	(void)state;
	write_file("file", "text");
	write_file("other", "text");
	write_file("empty", "");
	other_device = false;
	return 0;
}

static void test_the_file(void **state)
{
	static const char *const paths[] = { "file", "empty" };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct mapped_inode inode = inode_of(paths[i % 2]);

		other_device = i >= 2;
		assert_opened(paths[i % 2], &inode);
		assert_int_equal(mapped_open("other", &inode), -ENOENT);
	}
	assert_int_equal(mapped_open("none", &(struct mapped_inode){ 0 }), -ENOENT);
}

/* One equal number is not enough. */
static void test_another_number(void **state)
{
	struct mapped_inode inodes[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		inodes[i] = inode_of("file");
	inodes[0].ino++;
	inodes[1].dev_major++;
	inodes[2].dev_minor++;
	for (int i = 0; i < 6; i++) {
		other_device = i >= 3;
		assert_int_equal(mapped_open("file", &inodes[i % 3]), -ENOENT);
	}
}

/* No mapping and no descriptor is left. */
static void test_no_page_is_left(void **state)
{
	struct mapped_inode inode = inode_of("file");
	struct found found = { 0 };
	int fd;

	(void)state;
	other_device = true;
	fd = mapped_open("file", &inode);
	found.address = (uintptr_t)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	munmap((void *)found.address, 4096);
	assert_int_equal(procfs_maps(getpid(), find, &found), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_the_file, setup),
		cmocka_unit_test_setup(test_another_number, setup),
		cmocka_unit_test_setup(test_no_page_is_left, setup),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
