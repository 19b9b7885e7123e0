/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_MM_H
#define SHIM_MM_H

#include <linux/slab.h>
#include <linux/types.h>

#define PAGE_SHIFT	12
#define PAGE_SIZE	(1UL << PAGE_SHIFT)

struct page {
	u8 bytes[PAGE_SIZE];
};

#define page_address(page)	((void *)(page)->bytes)

#define VM_WRITE	0x00000002
#define VM_EXEC		0x00000004
#define VM_SHARED	0x00000008
#define VM_STACK	0x00000100
#define VM_MAYEXEC	0x00000040
#define VM_DONTCOPY	0x00020000
#define VM_DONTEXPAND	0x00040000
#define VM_DONTDUMP	0x04000000

struct file;
struct vm_area_struct;

struct vm_operations_struct {
	const char *(*name)(struct vm_area_struct *vma);
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	unsigned long vm_flags;
	unsigned long vm_pgoff;
	const struct vm_operations_struct *vm_ops;
	struct file *vm_file;
};

static inline void vm_flags_mod(struct vm_area_struct *vma, unsigned long set, unsigned long clear)
{
	vma->vm_flags |= set;
	vma->vm_flags &= ~clear;
}

/* The test defines these. */
unsigned long vm_mmap(struct file *file, unsigned long address, unsigned long bytes,
		      unsigned long rights, unsigned long flags, unsigned long offset);
int vm_map_pages(struct vm_area_struct *vma, struct page **pages, unsigned long nr);

#endif
