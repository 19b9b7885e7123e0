// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/procfs.c collector/procfs/maps.c collector/procfs/live_thread.c
// libs: -Wl,--wrap=ioctl
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "folder.h"
#include "procfs/procfs.h"

#define PAGE	4096
#define RX	(PROT_READ | PROT_EXEC)

/* struct procmap_query of include/uapi/linux/fs.h, Linux 6.11. */
struct kernel_query {
	uint64_t size, query_flags, query_addr;
	uint64_t vma_start, vma_end, vma_flags, vma_page_size, vma_offset, inode;
	uint32_t dev_major, dev_minor, vma_name_size, build_id_size;
	uint64_t vma_name_addr, build_id_addr;
};

/* The kernel that ioctl() shows. */
static struct {
	const struct kernel_query *replies;	/* NULL: the real kernel */
	int nr_real;	/* queries before the error; or all, if error is 0 */
	int error;
	int nr;		/* queries so far */
	int nr_done;	/* queries that succeeded */
} kernel;

int __real_ioctl(int fd, unsigned long request, void *arg);
int __wrap_ioctl(int fd, unsigned long request, void *arg);

static int reply(struct kernel_query *q)
{
	const struct kernel_query *from = &kernel.replies[kernel.nr - 1];
	struct kernel_query to = *from;

	assert_int_equal(q->size, sizeof(*q));
	assert_int_equal(q->query_flags, 0x14);	/* executable, covering or next */
	assert_int_equal(q->query_addr, from->query_addr);
	assert_int_equal(q->build_id_addr, 0);
	if (from->vma_name_addr)
		strcpy((char *)q->vma_name_addr, (char *)from->vma_name_addr);
	to.vma_name_addr = q->vma_name_addr;
	*q = to;
	return 0;
}

int __wrap_ioctl(int fd, unsigned long request, void *arg)
{
	int ret;

	kernel.nr++;
	assert_int_equal(request, _IOWR('f', 17, struct kernel_query));
	if (kernel.error && kernel.nr > kernel.nr_real) {
		errno = kernel.error;
		return -1;
	}
	ret = kernel.replies ? reply(arg) : __real_ioctl(fd, request, arg);
	kernel.nr_done += !ret;
	return ret;
}

struct list {
	struct maps_entry entries[200];
	char names[200][PATH_MAX];
	int nr;
	int max;	/* ends after so many; 0: never */
};

static int add(void *ctx, const struct maps_entry *e, const char *name)
{
	struct list *l = ctx;

	assert_in_range(l->nr, 0, 199);
	assert_true(e->executable);
	l->entries[l->nr] = *e;
	strcpy(l->names[l->nr++], name);
	return l->nr == l->max ? 7 : 0;
}

static int add_executable(void *ctx, const struct maps_entry *e, const char *name)
{
	return e->executable ? add(ctx, e, name) : 0;
}

static void assert_equal(const struct list *a, const struct list *b)
{
	for (int i = 0; i < a->nr && i < b->nr; i++) {
		const struct maps_entry *x = &a->entries[i], *y = &b->entries[i];

		assert_string_equal(a->names[i], b->names[i]);
		assert_int_equal(x->start, y->start);
		assert_int_equal(x->end, y->end);
		assert_int_equal(x->offset, y->offset);
		assert_int_equal(x->ino, y->ino);
		assert_int_equal(x->dev_major, y->dev_major);
		assert_int_equal(x->dev_minor, y->dev_minor);
		assert_int_equal(x->deleted, y->deleted);
	}
	assert_int_equal(a->nr, b->nr);
}

static struct list lines, found;

/* Both ways of reading this process are equal. */
static void assert_both_equal(void)
{
	lines.nr = 0;
	found.nr = 0;
	kernel.nr = 0;
	kernel.nr_done = 0;
	assert_int_equal(procfs_maps(getpid(), add_executable, &lines), 0);
	assert_int_equal(kernel.nr, 0);
	assert_int_equal(procfs_executable_maps(getpid(), add, &found), 0);
	assert_true(kernel.nr > 0);
	assert_equal(&lines, &found);
}

static bool has_queries(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;

	uname(&name);
	sscanf(name.release, "%u.%u", &major, &minor);
	return major > 6 || (major == 6 && minor >= 11);
}

static int reset(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	found.nr = 0;
	found.max = 0;
	return 0;
}

static void *map_file(const char *path, int prot, off_t offset)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	void *page;

	assert_int_equal(ftruncate(fd, 4 * PAGE), 0);
	page = mmap(NULL, PAGE, prot, MAP_PRIVATE, fd, offset);
	assert_ptr_not_equal(page, MAP_FAILED);
	close(fd);
	return page;
}

/* The mappings stay: each test reads them. */
static int map_all(void **state)
{
	int fd = memfd_create("code", 0);

	if (enter_folder(state) || fd < 0 || ftruncate(fd, PAGE))
		return -1;
	map_file("plain", RX, 2 * PAGE);
	map_file("data", PROT_READ, 0);
	map_file("two\nlines", RX, 0);
	map_file("gone", RX, PAGE);
	map_file("gone\n\\", RX, 0);
	map_file(" (deleted)", RX, 0);
	if (unlink("gone") || unlink("gone\n\\"))
		return -1;
	mmap(NULL, PAGE, RX, MAP_SHARED, fd, 0);
	mmap(NULL, PAGE, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return 0;
}

static bool has_name(const struct list *l, const char *name, bool deleted)
{
	for (int i = 0; i < l->nr; i++)
		if (!strcmp(l->names[i], name) && l->entries[i].deleted == deleted)
			return true;
	return false;
}

static void test_this_process(void **state)
{
	(void)state;
	assert_both_equal();
	assert_true(has_name(&found, in_folder("plain"), false));
	assert_false(has_name(&found, in_folder("data"), false));
	assert_true(has_name(&found, in_folder("two\nlines"), false));
	assert_true(has_name(&found, in_folder("gone"), true));
	assert_true(has_name(&found, in_folder("gone\n\\"), true));
	assert_true(has_name(&found, "/memfd:code", true));
	assert_true(has_name(&found, "[vdso]", false));
	assert_true(has_name(&found, "", false));
	if (has_queries())
		assert_int_equal(kernel.nr_done, found.nr - has_name(&found, "[vsyscall]", false));
}

/* Queries that fail at once, or later, are followed by the lines. */
static void test_queries_that_fail(void **state)
{
	static const int errors[] = { ENOTTY, EINVAL, ENOMEM, ENAMETOOLONG };

	(void)state;
	for (int i = 0; i < 8; i++) {
		kernel.error = errors[i % 4];
		kernel.nr_real = i / 4 * 3;
		assert_both_equal();
	}
}

/* The lines do not tell these four characters from a newline. */
static void test_characters_of_an_escape(void **state)
{
	void *page;

	(void)state;
	page = map_file("a\\012b", RX, 0);
	assert_int_equal(procfs_executable_maps(getpid(), add, &found), 0);
	assert_true(has_name(&found, in_folder(has_queries() ? "a\\012b" : "a\nb"), false));
	munmap(page, PAGE);
}

static void make_deep_folder(const char *name, int depth)
{
	for (int i = 0; i < depth; i++)
		assert_true(!mkdir(name, 0700) && !chdir(name));
}

static void remove_deep_folder(const char *name, int depth)
{
	for (int i = 0; i < depth; i++)
		assert_true(!chdir("..") && !rmdir(name));
}

/* The kernel has no query for such a name: it and all that follows is read from the lines. */
static void test_long_name(void **state)
{
	char name[251];

	(void)state;
	memset(name, 'x', 250);
	name[250] = 0;
	make_deep_folder(name, 17);
	map_file("file", RX, 0);
	assert_both_equal();
	if (has_queries())
		assert_in_range(kernel.nr_done, 0, found.nr - 2);
	unlink("file");
	remove_deep_folder(name, 17);
}

/* The mapping grew between two queries: only its new part is added. */
static void test_mapping_that_grows(void **state)
{
	const struct kernel_query replies[] = {
		{ .query_addr = 0, .vma_start = 0x1000, .vma_end = 0x3000, .vma_offset = 0x7000,
		  .inode = 5, .dev_major = 8, .dev_minor = 1,
		  .vma_name_addr = (uintptr_t)"/lib/a (deleted)", .vma_name_size = 17 },
		{ .query_addr = 0x3000, .vma_start = 0x2000, .vma_end = 0x6000,
		  .vma_offset = 0x8000, .inode = 5,
		  .vma_name_addr = (uintptr_t)"/lib/a", .vma_name_size = 7 },
		{ .query_addr = 0x6000, .vma_start = 0x4000, .vma_end = 0x8000 },
	};
	const struct list want = { .nr = 3, .names = { "/lib/a", "/lib/a", "" }, .entries = {
		{ .start = 0x1000, .end = 0x3000, .offset = 0x7000, .ino = 5, .dev_major = 8,
		  .dev_minor = 1, .deleted = true },
		{ .start = 0x3000, .end = 0x6000, .offset = 0x9000, .ino = 5 },
		{ .start = 0x6000, .end = 0x8000 },
	} };

	(void)state;
	kernel.replies = replies;
	kernel.nr_real = 3;
	kernel.error = ENOENT;
	assert_int_equal(procfs_executable_maps(getpid(), add, &found), 0);
	assert_equal(&found, &want);
}

/* A reply that is not above the last one would repeat for ever. */
static void test_query_that_goes_back(void **state)
{
	const struct kernel_query replies[] = {
		{ .vma_start = 0x1000, .vma_end = 0x3000 },
		{ .query_addr = 0x3000, .vma_start = 0x1000, .vma_end = 0x3000 },
	};

	(void)state;
	kernel.replies = replies;
	kernel.nr_real = 2;
	kernel.error = ENOENT;
	assert_int_equal(procfs_executable_maps(getpid(), add, &found), 0);
	assert_int_equal(kernel.nr, 2);
	lines.nr = 0;
	procfs_maps(getpid(), add_executable, &lines);
	assert_int_equal(found.nr, lines.nr + 1);
	assert_true(found.entries[1].start >= 0x3000);
}

/* A process of 32 bits has no [vsyscall]. */
static void test_32_bits(void **state)
{
	const struct kernel_query reply_32 = { .vma_start = 0x1000, .vma_end = 0xfffff000 };

	(void)state;
	kernel.replies = &reply_32;
	kernel.nr_real = 1;
	kernel.error = ENOENT;
	assert_int_equal(procfs_executable_maps(getpid(), add, &found), 0);
	assert_int_equal(found.nr, 1);
}

static void test_end_of_walk(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		kernel.error = i ? ENOTTY : 0;
		found.nr = 0;
		found.max = 2;
		assert_int_equal(procfs_executable_maps(getpid(), add, &found), 7);
		assert_int_equal(found.nr, 2);
	}
	assert_int_equal(procfs_executable_maps(INT_MAX, add, &found), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_this_process, reset),
		cmocka_unit_test_setup(test_queries_that_fail, reset),
		cmocka_unit_test_setup(test_characters_of_an_escape, reset),
		cmocka_unit_test_setup(test_long_name, reset),
		cmocka_unit_test_setup(test_mapping_that_grows, reset),
		cmocka_unit_test_setup(test_query_that_goes_back, reset),
		cmocka_unit_test_setup(test_32_bits, reset),
		cmocka_unit_test_setup(test_end_of_walk, reset),
	};

	return cmocka_run_group_tests(tests, map_all, leave_folder);
}
