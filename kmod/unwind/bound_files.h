/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of a session whose unwind table is known. So a hook can give a new mapping its table at
 * once.
 */
#ifndef PPROF_BOUND_FILES_H
#define PPROF_BOUND_FILES_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/types.h>

#include "unwind/table.h"

/*
 * Identifies a file and its content. The kernel sets the ctime at each write. A write in the same
 * tick of its clock is not seen, nor is one to a page that a mapping has changed before.
 *
 * No reference is kept: the file system can be unmounted. A device or an inode that is used again
 * comes with another ctime.
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
 * The vDSO is one for all programs, and no file: no device has the number 0. Other memory that the
 * kernel makes is zeroed instead, and is never bound.
 */
#define PPROF_VDSO_IDENTITY	((struct pprof_file_identity) { .ino = 1 })

#define PPROF_BOUND_FILES_BUCKETS	512U
/* Files of a bucket: a user may choose inode numbers. */
#define PPROF_BOUND_FILES_BUCKET	16U

struct pprof_bound_file {
	struct hlist_node node;
	struct pprof_file_identity id;
	const struct pprof_table *table;	/* NULL: the file has none */
};

/* Zeroed, it is empty. The caller has one lock for all functions. */
struct pprof_bound_files {
	struct hlist_head buckets[PPROF_BOUND_FILES_BUCKETS];
};

/*
 * Fills @id for @inode, which is that of a mapping: in a file of overlayfs it is the one of a
 * layer.
 * Context: any. The caller keeps @inode.
 */
void pprof_file_identity_get(struct pprof_file_identity *id, const struct inode *inode);

/*
 * Returns the file, or NULL: it is unknown, or its content has changed.
 * Context: any, under the caller's lock. Compares at most PPROF_BOUND_FILES_BUCKET files.
 */
struct pprof_bound_file *pprof_bound_files_find(const struct pprof_bound_files *files,
						const struct pprof_file_identity *id);

/*
 * Adds @file, and removes the one of the same identity.
 * Returns: the removed one, or @file itself if its bucket is full; or NULL. The caller frees it.
 * Context: any, under the caller's lock.
 */
struct pprof_bound_file *pprof_bound_files_add(struct pprof_bound_files *files,
					       struct pprof_bound_file *file);

/*
 * Removes a file with this @table from the bucket with the number @bucket, which is below
 * PPROF_BOUND_FILES_BUCKETS.
 * Returns: the file, which the caller frees, or NULL if there is none.
 * Context: any, under the caller's lock.
 */
struct pprof_bound_file *pprof_bound_files_remove(struct pprof_bound_files *files, u32 bucket,
						  const struct pprof_table *table);

#endif
