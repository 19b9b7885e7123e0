/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of allocators that user space uploads: file, offset and function. */
#ifndef PPROF_PROBE_LIST_H
#define PPROF_PROBE_LIST_H

#include <linux/fs.h>

#include "uapi/pprof.h"

struct pprof_probe {
	struct file *file;	/* keeps its inode and its mount */
	struct inode *inode;	/* the inode that is mapped, below any overlayfs */
	u64 offset;
	u32 function;		/* PPROF_HEAP_* */
};

struct pprof_probe_list {
	u32 nr;
	struct pprof_probe list[];	/* in rising order of function */
};

/*
 * Copies and checks the probes of @heap, each location once. The caller frees *probes by
 * pprof_probe_list_free().
 * Returns: 0, or an error.
 * - -EFAULT, -EINVAL, -ENOMEM.
 * - -EBADF, -EACCES, -EREMOTE: see PPROF_IOC_HEAP.
 * Sleeps.
 */
int pprof_probe_list_new(const struct pprof_heap *heap, struct pprof_probe_list **probes);

/*
 * Frees the probes. No uprobe may be registered there any more. NULL is left alone.
 * Sleeps.
 */
void pprof_probe_list_free(struct pprof_probe_list *probes);

#endif
