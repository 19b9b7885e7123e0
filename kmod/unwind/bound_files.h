/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of a session for which the collector has set an unwind table, or set that they have
 * none. When a process maps such a file, a hook binds the table to the mapping at once, without
 * waiting for the collector.
 */
#ifndef PPROF_BOUND_FILES_H
#define PPROF_BOUND_FILES_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/types.h>

#include "unwind/table.h"

/*
 * Identifies a file and its content. The kernel updates the ctime at a write, but not twice in one
 * tick of its clock, and not at a write to a page of a shared mapping that is dirty already. Such a
 * change is not noticed.
 *
 * No reference to the inode is kept, so the file system can be unmounted. If the number of a device
 * or an inode is used again, the new file has another ctime.
 */
struct pprof_file_identity {
	u64 ino;
	u64 bytes;
	s64 ctime_sec;
	u32 ctime_nsec;
	u32 dev;
	u32 generation;
};

/*
 * The identity of the vDSO, which is the same in all programs of the machine. No file has this
 * identity: no device has the number 0. Other special mappings of the kernel have an identity of
 * zeroes, and are never bound.
 */
#define PPROF_VDSO_IDENTITY	((struct pprof_file_identity) { .ino = 1 })

#define PPROF_BOUND_FILES_BUCKETS	512U
/* Limit of files in a bucket: a user may choose inode numbers so that all fall into one. */
#define PPROF_BOUND_FILES_BUCKET	16U

struct pprof_bound_file {
	struct hlist_node node;
	struct pprof_file_identity id;
	/* NULL: the file has none. The owner of this struct has a reference to it. */
	const struct pprof_table *table;
};

/* A hash table. All zeroes is an empty one. The caller has one lock for all functions. */
struct pprof_bound_files {
	struct hlist_head buckets[PPROF_BOUND_FILES_BUCKETS];
};

/*
 * Fills @id for @inode. It must be the inode of a mapping: for a file of overlayfs that is the
 * inode of the layer, and not the one that stat() shows.
 * Context: any. The caller holds a reference to @inode.
 */
void pprof_file_identity_get(struct pprof_file_identity *id, const struct inode *inode);

/*
 * Returns: the file, or NULL if it is unknown, or its content has changed.
 * Context: any, under the caller's lock. Compares at most PPROF_BOUND_FILES_BUCKET files.
 */
struct pprof_bound_file *pprof_bound_files_find(const struct pprof_bound_files *files,
						const struct pprof_file_identity *id);

/*
 * Adds @file. It replaces the file of the same identity. In a full bucket it replaces the oldest
 * file. The module does not see that a file was changed or removed: such a file stays until then.
 * Returns: the file that was replaced, or NULL. The caller frees it, without the lock.
 * Context: any, under the caller's lock.
 */
struct pprof_bound_file *pprof_bound_files_add(struct pprof_bound_files *files,
					       struct pprof_bound_file *file);

/*
 * Removes one file with this @table from a bucket. @bucket is its index, below
 * PPROF_BOUND_FILES_BUCKETS. The caller repeats this until it returns NULL.
 * Returns: the file, which the caller frees, or NULL if there is none.
 * Context: any, under the caller's lock.
 */
struct pprof_bound_file *pprof_bound_files_remove(struct pprof_bound_files *files, u32 bucket,
						  const struct pprof_table *table);

#endif
