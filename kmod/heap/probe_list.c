// SPDX-License-Identifier: GPL-2.0
#include "heap/probe_list.h"

#include <linux/file.h>
#include <linux/mount.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

/*
 * The checks of mmap() for code, and of uprobes. Uprobes read the file while no process of the
 * system can fork. A FUSE server, which may be a program of any user, could delay that.
 */
static int check_file(const struct file *file, const struct inode *inode)
{
	if (!(file->f_mode & FMODE_READ) || (file->f_path.mnt->mnt_flags & MNT_NOEXEC))
		return -EACCES;
	if (!S_ISREG(inode->i_mode))
		return -EINVAL;
	return strncmp(inode->i_sb->s_type->name, "fuse", 4) ? 0 : -EREMOTE;
}

static int fill_probe(struct pprof_probe *probe, const struct pprof_heap_probe *from)
{
	struct inode *inode;
	struct file *file;
	int err;

	if (from->function >= PPROF_NR_HEAP || from->offset > LLONG_MAX)
		return -EINVAL;
	file = fget(from->fd);
	if (!file)
		return -EBADF;
	inode = d_real_inode(file->f_path.dentry);
	err = check_file(file, inode);
	if (err) {
		fput(file);
		return err;
	}
	*probe = (struct pprof_probe) {
		.file = file, .inode = inode, .offset = from->offset, .function = from->function,
	};
	return 0;
}

/* Two overlayfs may map one file under two names: compare inodes. */
static bool is_listed(const struct pprof_probe_list *probes, const struct pprof_probe *probe)
{
	for (u32 i = 0; i < probes->nr; i++)
		if (probes->list[i].inode == probe->inode &&
		    probes->list[i].offset == probe->offset)
			return true;
	return false;
}

static int fill(struct pprof_probe_list *probes, const struct pprof_heap_probe __user *from, u32 nr)
{
	struct pprof_probe *next = probes->list;
	struct pprof_heap_probe probe;
	u32 function = 0;
	int err;

	for (u32 i = 0; i < nr; i++) {
		if (copy_from_user(&probe, &from[i], sizeof(probe)))
			return -EFAULT;
		if (probe.function < function)
			return -EINVAL;
		function = probe.function;
		err = fill_probe(next, &probe);
		if (err)
			return err;
		if (is_listed(probes, next))
			fput(next->file);
		else
			next = &probes->list[++probes->nr];
	}
	return 0;
}

int pprof_probe_list_new(const struct pprof_heap *heap, struct pprof_probe_list **probes_out)
{
	struct pprof_probe_list *probes;
	int err;

	if (!heap->nr || heap->nr > PPROF_MAX_HEAP_PROBES)
		return -EINVAL;
	probes = kzalloc(struct_size(probes, list, heap->nr), GFP_KERNEL_ACCOUNT);
	if (!probes)
		return -ENOMEM;
	err = fill(probes, u64_to_user_ptr(heap->probes), heap->nr);
	if (err) {
		pprof_probe_list_free(probes);
		return err;
	}
	*probes_out = probes;
	return 0;
}

void pprof_probe_list_free(struct pprof_probe_list *probes)
{
	if (!probes)
		return;
	for (u32 i = 0; i < probes->nr; i++)
		fput(probes->list[i].file);
	kfree(probes);
}
