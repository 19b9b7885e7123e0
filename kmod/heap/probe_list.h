/* SPDX-License-Identifier: GPL-2.0 */
/* Which functions of which files are an allocator's, as user space tells. */
#ifndef PPROF_PROBES_H
#define PPROF_PROBES_H

#include <linux/fs.h>

#include "uapi/pprof.h"

struct pprof_probe {
	struct file *file;	/* keeps its inode, and its mount */
	struct inode *inode;	/* that is mapped, below any overlayfs */
	u64 offset;
	u32 kind;		/* PPROF_HEAP_* */
};

struct pprof_probes {
	u32 nr;
	struct pprof_probe list[];	/* in the order of their kinds */
};

/*
 * Copies and checks what @heap names, each place once, for pprof_probes_free(). -EFAULT, -EINVAL,
 * -ENOMEM; -EBADF, -EACCES, -EREMOTE for a file. May sleep.
 */
int pprof_probes_new(const struct pprof_heap *heap, struct pprof_probes **probes);

/* NULL is fine. Nothing is registered there any more. May sleep. */
void pprof_probes_free(struct pprof_probes *probes);

#endif
