/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ANON_INODES_H
#define SHIM_ANON_INODES_H

#include <linux/fs.h>

/* The test defines it. */
struct file *anon_inode_getfile(const char *name, const struct file_operations *fops,
				void *private_data, int flags);

#endif
