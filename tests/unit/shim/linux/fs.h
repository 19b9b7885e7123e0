/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_FS_H
#define SHIM_FS_H

#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/types.h>

#define MAJOR(dev)	((dev) >> 20)
#define MINOR(dev)	((dev) & ((1U << 20) - 1))

struct timespec64 {
	s64 tv_sec;
	long tv_nsec;
};

struct super_block {
	u32 s_dev;
};

struct inode {
	u64 i_ino;
	struct super_block *i_sb;
	u32 i_generation;
	u64 i_size;
	struct timespec64 shim_ctime;
};

#define i_size_read(inode)	((inode)->i_size)
#define inode_get_ctime(inode)	((inode)->shim_ctime)

struct path {
	const char *shim_name;
};

/* A file of overlayfs has a second path and inode: those that the user sees. */
struct file {
	int shim_refs;
	void *private_data;
	struct path f_path, shim_user_path;
	struct inode *f_inode, *shim_user_inode;
};

#define file_inode(file)	((file)->f_inode)
#define file_user_path(file)	(&(file)->shim_user_path)
#define file_user_inode(file)	((file)->shim_user_inode)

/* The test defines these. */
char *d_path(const struct path *path, char *buffer, int bytes);
loff_t noop_llseek(struct file *file, loff_t offset, int whence);

struct module;

struct file_operations {
	struct module *owner;
	int (*mmap)(struct file *file, struct vm_area_struct *vma);
	loff_t (*llseek)(struct file *file, loff_t offset, int whence);
};

#endif
