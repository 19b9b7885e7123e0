/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_SLAB_H
#define SHIM_SLAB_H

#include <linux/percpu.h>
#include <linux/vmalloc.h>

static inline void *kvcalloc(size_t nr, size_t size, unsigned int flags)
{
	(void)flags;
	return calloc(nr, size);
}

static inline void *kzalloc(size_t size, unsigned int flags)
{
	return kvcalloc(1, size, flags);
}

#define kvzalloc			kzalloc
#define kmalloc(size, flags)		((void)(flags), malloc(size))
#define gfp_t				unsigned int
#define kcalloc				kvcalloc
#define kvmalloc(size, flags)		((void)(flags), malloc(size))
#define kmalloc_size_roundup(size)	(((size) + 63) & ~63ULL)
#define kfree				free
#define kvfree				free

#endif
