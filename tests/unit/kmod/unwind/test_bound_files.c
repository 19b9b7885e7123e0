// SPDX-License-Identifier: GPL-2.0
// sources: kmod/unwind/bound_files.c
// include: -Itests/unit/shim -include kmod/base/compat.h -Wno-unused-parameter -Wno-sign-compare
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "kmod/unwind/bound_files.h"

static const struct pprof_table table, other_table;
static struct super_block disk = { .s_dev = 8 << 20 | 1 };

static struct inode some_inode(void)
{
	return (struct inode) { .i_ino = 77, .i_sb = &disk, .i_generation = 3, .i_size = 5000,
				.shim_ctime = { 1000, 20 } };
}

static struct pprof_file_identity identity(const struct inode *inode)
{
	struct pprof_file_identity id;

	pprof_file_identity_get(&id, inode);
	return id;
}

/* Fails if a field of the inode does not count. */
static void test_identities(void **state)
{
	struct super_block other_disk = { .s_dev = 8 << 20 | 2 };
	struct inode inodes[7];
	struct pprof_bound_files files = { 0 };
	struct pprof_bound_file file = { .table = &table };
	struct pprof_file_identity id;

	for (int i = 0; i < 7; i++)
		inodes[i] = some_inode();
	inodes[1].i_ino++;
	inodes[2].i_sb = &other_disk;
	inodes[3].i_generation++;
	inodes[4].i_size--;
	inodes[5].shim_ctime.tv_sec++;
	inodes[6].shim_ctime.tv_nsec--;
	file.id = identity(&inodes[0]);
	assert_null(pprof_bound_files_find(&files, &file.id));
	assert_null(pprof_bound_files_add(&files, &file));
	for (int i = 0; i < 7; i++) {
		id = identity(&inodes[i]);
		assert_ptr_equal(pprof_bound_files_find(&files, &id), i ? NULL : &file);
	}
}

/* Fails if an identity stays twice, or if the wrong file is removed. */
static void test_replaced_and_removed(void **state)
{
	struct inode inode = some_inode(), changed = some_inode();
	struct pprof_bound_files files = { 0 };
	struct pprof_bound_file a = { .table = &table }, b = { .table = &other_table }, c = b;
	u32 nr = 0;

	changed.i_size++;
	a.id = identity(&inode);
	b.id = a.id;
	c.id = identity(&changed);
	assert_null(pprof_bound_files_add(&files, &a));
	assert_null(pprof_bound_files_add(&files, &c));
	assert_ptr_equal(pprof_bound_files_add(&files, &b), &a);
	assert_ptr_equal(pprof_bound_files_find(&files, &a.id), &b);
	for (u32 i = 0; i < PPROF_BOUND_FILES_BUCKETS; i++) {
		assert_null(pprof_bound_files_remove(&files, i, &table));
		while (pprof_bound_files_remove(&files, i, &other_table))
			nr++;
	}
	assert_int_equal(nr, 2);
	assert_null(pprof_bound_files_find(&files, &b.id));
	assert_null(pprof_bound_files_find(&files, &c.id));
}

/*
 * A user may give all files one number, and files that were changed stay until then. Fails if the
 * bucket has no bound, or if a new file is not found.
 */
static void test_a_full_bucket(void **state)
{
	static struct pprof_bound_file many[PPROF_BOUND_FILES_BUCKET + 1];
	struct pprof_bound_files files = { 0 };
	struct inode inode = some_inode();
	struct pprof_bound_file *last = &many[PPROF_BOUND_FILES_BUCKET];

	for (u32 i = 0; i <= PPROF_BOUND_FILES_BUCKET; i++) {
		inode.i_generation = i;
		many[i].id = identity(&inode);
		assert_ptr_equal(pprof_bound_files_add(&files, &many[i]),
				 &many[i] == last ? &many[0] : NULL);
	}
	assert_ptr_equal(pprof_bound_files_find(&files, &last->id), last);
	assert_ptr_equal(pprof_bound_files_find(&files, &many[1].id), &many[1]);
	assert_null(pprof_bound_files_find(&files, &many[0].id));
	assert_ptr_equal(pprof_bound_files_add(&files, &many[0]), &many[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identities),
		cmocka_unit_test(test_replaced_and_removed),
		cmocka_unit_test(test_a_full_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
