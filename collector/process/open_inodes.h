/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which mapped file has the descriptor of an inode.
 *
 * An inode is known by its numbers, as stat() returns them. While it is open, no other file has
 * the same.
 */
#ifndef COLLECTOR_OPEN_INODES_H
#define COLLECTOR_OPEN_INODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/string_table.h"

struct open_inodes {
	struct strtab *inodes;
	uint32_t *holders;	/* number of the file, by index in inodes */
	size_t room;		/* of holders */
};

/* Returns: 0, or -ENOMEM. After that, too, open_inodes_fini() frees it. */
int open_inodes_init(struct open_inodes *o);

/* Frees all memory. */
void open_inodes_fini(struct open_inodes *o);

/*
 * Returns where the number of the file is stored that has the inode. If the inode is new, *is_new
 * is set, and the caller stores a number. Returns NULL without memory.
 */
uint32_t *open_inodes_get(struct open_inodes *o, const struct stat *st, bool *is_new);

/*
 * Removes the inodes of files with keep[number] false.
 * Returns: 0, or -ENOMEM, and then nothing has changed.
 */
int open_inodes_keep(struct open_inodes *o, const bool *keep);

#endif /* COLLECTOR_OPEN_INODES_H */
