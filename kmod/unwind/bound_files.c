// SPDX-License-Identifier: GPL-2.0
#include "unwind/bound_files.h"

#include <linux/hash.h>
#include <linux/log2.h>

#include "base/compat.h"

void pprof_file_identity_get(struct pprof_file_identity *id, const struct inode *inode)
{
	struct timespec64 ctime = pprof_inode_ctime(inode);

	*id = (struct pprof_file_identity) {
		.ino = inode->i_ino,
		.bytes = i_size_read(inode),
		.ctime_sec = ctime.tv_sec,
		.ctime_nsec = ctime.tv_nsec,
		.dev = inode->i_sb->s_dev,
		.generation = inode->i_generation,
	};
}

/*
 * All fields must be equal. The subvolumes of btrfs have one device here, and may have equal inode
 * numbers. A file whose content has changed is never found under its old identity.
 */
static bool is_equal(const struct pprof_file_identity *a, const struct pprof_file_identity *b)
{
	return a->ino == b->ino && a->dev == b->dev && a->generation == b->generation &&
	       a->bytes == b->bytes && a->ctime_sec == b->ctime_sec &&
	       a->ctime_nsec == b->ctime_nsec;
}

static u32 bucket_of(const struct pprof_file_identity *id)
{
	return hash_64(id->ino ^ (u64)id->dev << 32, ilog2(PPROF_BOUND_FILES_BUCKETS));
}

struct pprof_bound_file *pprof_bound_files_find(const struct pprof_bound_files *files,
						const struct pprof_file_identity *id)
{
	struct pprof_bound_file *file;

	hlist_for_each_entry(file, &files->buckets[bucket_of(id)], node)
		if (is_equal(&file->id, id))
			return file;
	return NULL;
}

struct pprof_bound_file *pprof_bound_files_add(struct pprof_bound_files *files,
					       struct pprof_bound_file *file)
{
	struct hlist_head *bucket = &files->buckets[bucket_of(&file->id)];
	struct pprof_bound_file *at, *old = NULL;
	u32 nr = 0;

	hlist_for_each_entry(at, bucket, node) {
		if (!is_equal(&at->id, &file->id) && ++nr < PPROF_BOUND_FILES_BUCKET)
			continue;
		old = at;
		hlist_del(&old->node);
		break;
	}
	hlist_add_head(&file->node, bucket);
	return old;
}

struct pprof_bound_file *pprof_bound_files_remove(struct pprof_bound_files *files, u32 bucket,
						  const struct pprof_table *table)
{
	struct pprof_bound_file *file;

	hlist_for_each_entry(file, &files->buckets[bucket], node) {
		if (file->table == table) {
			hlist_del(&file->node);
			return file;
		}
	}
	return NULL;
}
