// SPDX-License-Identifier: GPL-2.0
#include "client/label_page.h"

#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/mman.h>
#include <linux/module.h>

#include "base/compat.h"

int pprof_label_page_init(struct pprof_label_page *page)
{
	for (int i = 0; i < PPROF_LABEL_PAGE_PAGES; i++) {
		page->pages[i] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
		if (!page->pages[i]) {
			pprof_label_page_fini(page);
			return -ENOMEM;
		}
	}
	return 0;
}

void pprof_label_page_fini(struct pprof_label_page *page)
{
	for (int i = 0; i < PPROF_LABEL_PAGE_PAGES; i++) {
		if (page->pages[i])
			__free_page(page->pages[i]);
		page->pages[i] = NULL;
	}
}

/*
 * A file can be mapped only once. A process that has the mapping could otherwise map its file
 * again, by remap_file_pages(). So could another process in the same memory, when @page may be
 * freed already. The caller holds the mmap lock, so no process has the mapping before this function
 * returns.
 *
 * VM_DONTCOPY: otherwise a child would write to the page of its parent. The page needs no
 * PROT_EXEC. But PROT_EXEC is not refused: with some personalities, all readable mappings are
 * executable. The page is memory of the process itself.
 */
static int label_page_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct pprof_label_page *page = file->private_data;

	if (!page || !(vma->vm_flags & VM_SHARED))
		return -EPERM;
	file->private_data = NULL;
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTDUMP | VM_DONTEXPAND, VM_MAYEXEC);
	return vm_map_pages(vma, page->pages, PPROF_LABEL_PAGE_PAGES);
}

static const struct file_operations label_page_fops = {
	.owner	= THIS_MODULE,
	.mmap	= label_page_mmap,
	.llseek	= noop_llseek,
};

/*
 * The module maps the page, not the process. A client's file is write-only, and such a file cannot
 * be mapped. So the mapping has a file of its own, which no process gets. It holds the pages. Once
 * it exists, it needs nothing of the module but its code.
 */
int pprof_label_page_map(struct pprof_label_page *page)
{
	struct file *file = anon_inode_getfile("[pprof]", &label_page_fops, page, O_RDWR);
	unsigned long address;

	if (IS_ERR(file))
		return PTR_ERR(file);
	address = vm_mmap(file, 0, PPROF_LABEL_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, 0);
	fput(file);
	if (IS_ERR_VALUE(address))
		return address;
	page->address = address;
	return 0;
}
