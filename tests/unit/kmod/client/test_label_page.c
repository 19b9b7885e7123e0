// SPDX-License-Identifier: GPL-2.0
// sources: kmod/client/label_page.c
// include: -Itests/unit/shim -include kmod/base/compat.h -Wno-unused-parameter -Wno-sign-compare
/*
 * The test does the work of the kernel's mmap(): it calls the mmap operation of the file that the
 * module makes, with the length, offset and flags that a process can choose. vm_map_pages() checks
 * them as the kernel does (mm/memory.c of 7.3).
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <cmocka.h>

#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/gfp.h>
#include <linux/module.h>

#include "kmod/client/label_page.h"

#define ADDRESS		0x7f0000000000UL
#define NR_SLOTS	PPROF_NR_LABEL_SLOTS
#define NR_PAGES	PPROF_LABEL_PAGE_PAGES
#define IN_LINE		(L1_CACHE_BYTES / sizeof(u32))

struct module {
	int unused;
};

struct module shim_module;
struct task_struct *current;

static struct pprof_label_page page;
static const struct file_operations *fops;
static struct file file;
static int nr_pages, failing_page, file_error, mmap_error;
static struct vm_area_struct mapping;
static struct page **mapped;

/* The pages are freed, so ASan finds a page that stays. */
struct page *alloc_page(unsigned int gfp)
{
	assert_int_equal(gfp, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (nr_pages == failing_page)
		return NULL;
	nr_pages++;
	return aligned_alloc(PAGE_SIZE, sizeof(struct page));
}

void __free_page(struct page *of)
{
	nr_pages--;
	free(of);
}

loff_t noop_llseek(struct file *of, loff_t offset, int whence)
{
	return 0;
}

struct file *anon_inode_getfile(const char *name, const struct file_operations *of,
				void *private_data, int flags)
{
	if (file_error)
		return ERR_PTR(file_error);
	assert_int_equal(flags, O_RDWR);
	assert_ptr_equal(of->owner, THIS_MODULE);
	fops = of;
	file = (struct file) { .private_data = private_data, .shim_refs = 1 };
	return &file;
}

int vm_map_pages(struct vm_area_struct *vma, struct page **pages, unsigned long nr)
{
	unsigned long nr_wanted = (vma->vm_end - vma->vm_start) / PAGE_SIZE;

	assert_int_equal(nr, NR_PAGES);
	if (vma->vm_pgoff >= nr || nr_wanted > nr - vma->vm_pgoff)
		return -ENXIO;
	mapped = pages;
	return 0;
}

static int map_file(unsigned long pages_of_it, unsigned long offset, unsigned long flags)
{
	mapping = (struct vm_area_struct) {
		.vm_start = ADDRESS, .vm_end = ADDRESS + pages_of_it * PAGE_SIZE,
		.vm_pgoff = offset, .vm_flags = flags, .vm_file = &file,
	};
	return fops->mmap(&file, &mapping);
}

unsigned long vm_mmap(struct file *of, unsigned long address, unsigned long bytes,
		      unsigned long rights, unsigned long flags, unsigned long offset)
{
	int err;

	assert_ptr_equal(of, &file);
	assert_int_equal(address, 0);
	assert_int_equal(rights, PROT_READ | PROT_WRITE);
	assert_int_equal(flags, MAP_SHARED);
	assert_int_equal(bytes, NR_PAGES * PAGE_SIZE);
	if (mmap_error)
		return mmap_error;
	err = map_file(bytes / PAGE_SIZE, offset / PAGE_SIZE, VM_SHARED | VM_MAYEXEC);
	return err ? err : ADDRESS;
}

static int begin(void **state)
{
	page = (struct pprof_label_page) { 0 };
	nr_pages = 0;
	failing_page = -1;
	file_error = 0;
	mmap_error = 0;
	mapped = NULL;
	assert_int_equal(pprof_label_page_init(&page), 0);
	assert_int_equal(nr_pages, NR_PAGES);
	return 0;
}

static int end(void **state)
{
	pprof_label_page_fini(&page);
	pprof_label_page_fini(&page);
	assert_int_equal(nr_pages, 0);
	return 0;
}

/* Fails if two slots have the same index, or if a slot is outside the pages. */
static void test_each_slot_has_its_place(void **state)
{
	static bool used[NR_SLOTS];
	u32 index;

	for (u32 slot = 0; slot < NR_SLOTS; slot++) {
		index = pprof_label_page_index(slot);
		assert_in_range(index, 0, NR_SLOTS - 1);
		assert_false(used[index]);
		used[index] = true;
	}
}

/* Fails if the first threads, which are most of them, write to one cache line. */
static void test_the_first_slots_share_no_line(void **state)
{
	static bool used[NR_SLOTS / IN_LINE];
	u32 line;

	for (u32 slot = 0; slot < NR_SLOTS / IN_LINE; slot++) {
		line = pprof_label_page_index(slot) / IN_LINE;
		assert_false(used[line]);
		used[line] = true;
	}
}

/* Fails if the process writes to another place than the one that the module reads. */
static void test_both_addresses_are_of_one_place(void **state)
{
	unsigned long offset;

	assert_int_equal(pprof_label_page_map(&page), 0);
	for (u32 slot = 0; slot < NR_SLOTS; slot++) {
		offset = pprof_label_page_address(&page, slot) - ADDRESS;
		assert_in_range(offset, 0, PPROF_LABEL_PAGE_BYTES - sizeof(u32));
		assert_ptr_equal(pprof_label_page_at(&page, slot),
				 mapped[offset / PAGE_SIZE]->bytes + offset % PAGE_SIZE);
	}
}

/* Fails if pages stay after an error, or if a page that does not exist is freed. */
static void test_no_memory(void **state)
{
	end(state);
	for (failing_page = 0; failing_page < (int)NR_PAGES; failing_page++) {
		assert_int_equal(pprof_label_page_init(&page), -ENOMEM);
		assert_int_equal(nr_pages, 0);
	}
}

/*
 * Fails if a child inherits the memory, if it can grow, if a core file has it, or if it can become
 * executable. Also fails if the module keeps the file.
 */
static void test_the_mapping(void **state)
{
	assert_int_equal(pprof_label_page_map(&page), 0);
	assert_int_equal(page.address, ADDRESS);
	assert_ptr_equal(mapped, page.pages);
	assert_int_equal(mapping.vm_flags,
			 VM_SHARED | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	assert_int_equal(file.shim_refs, 0);
}

/* Fails if a process can map the file again: the pages may be freed then. */
static void test_a_second_mapping(void **state)
{
	assert_int_equal(pprof_label_page_map(&page), 0);
	mapped = NULL;
	assert_int_equal(map_file(NR_PAGES, 0, VM_SHARED), -EPERM);
	assert_int_equal(map_file(1, 1, VM_SHARED), -EPERM);
	assert_null(mapped);
}

static void make_file(void)
{
	assert_int_equal(pprof_label_page_map(&page), 0);
	file.private_data = &page;	/* as before its mapping */
	mapped = NULL;
}

/* Fails if a process can have a private copy, whose labels the module would not see. */
static void test_a_private_mapping(void **state)
{
	make_file();
	assert_int_equal(map_file(NR_PAGES, 0, 0), -EPERM);
	assert_null(mapped);
	assert_int_equal(map_file(NR_PAGES, 0, VM_SHARED), 0);	/* it did not count as one */
}

/* Fails if the length or the offset of a mapping can reach beyond the pages. */
static void test_lengths_and_offsets(void **state)
{
	static const struct {
		unsigned long pages, offset;
	} bad[] = {
		{ NR_PAGES + 1, 0 }, { 1UL << 40, 0 }, { NR_PAGES, 1 }, { 1, NR_PAGES },
		{ 1, UINT64_MAX }, { 2, NR_PAGES - 1 },
	};

	for (u32 i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		make_file();
		assert_int_equal(map_file(bad[i].pages, bad[i].offset, VM_SHARED), -ENXIO);
		assert_null(mapped);
	}
}

/* Fails if an error is taken for an address, is hidden, or leaves a file behind. */
static void test_errors(void **state)
{
	mmap_error = -ENOMEM;
	assert_int_equal(pprof_label_page_map(&page), -ENOMEM);
	assert_int_equal(page.address, 0);
	assert_int_equal(file.shim_refs, 0);
	file_error = -ENFILE;
	assert_int_equal(pprof_label_page_map(&page), -ENFILE);
	assert_int_equal(page.address, 0);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_each_slot_has_its_place),
		TEST(test_the_first_slots_share_no_line),
		TEST(test_both_addresses_are_of_one_place),
		TEST(test_no_memory),
		TEST(test_the_mapping),
		TEST(test_a_second_mapping),
		TEST(test_a_private_mapping),
		TEST(test_lengths_and_offsets),
		TEST(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
