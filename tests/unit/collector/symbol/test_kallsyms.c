// SPDX-License-Identifier: GPL-2.0
// sources: collector/symbol/kallsyms.c
// libs: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=open
#include <fcntl.h>
#include <sys/types.h>

#include "fail_alloc.h"
#include "folder.h"
#include "symbol/kallsyms.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))

int __wrap_open(const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);

/* /proc/kallsyms is a file in the folder. */
int __wrap_open(const char *path, int flags, ...)
{
	return __real_open(strcmp(path, "/proc/kallsyms") ? path : "kallsyms", flags);
}

/* As the kernel writes it, but in another order. */
static const char typical[] =
	"0000000000000000 A fixed_percpu_data\n"
	"0000000000001000 A cpu_debug_store\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T startup_64\n"
	"ffffffff81000100 t __pfx_vfs_read\n"
	"ffffffff81000110 T vfs_read\n"
	"ffffffff81000200 t __do_sys_read\n"
	"ffffffff81000200 W sys_read\n"
	"ffffffff81000200 T ksys_read\n"
	"ffffffff81000200 T __x64_sys_read\n"
	"ffffffff82000000 D jiffies\n"
	"ffffffff81002fff W last\n"
	"ffffffffc0003010 t ext4_write\t[ext4]\n"
	"ffffffffc0001010 t ovl_open\t[overlay]\n"
	"ffffffffc0001f00 t ovl_read\t[overlay]\n"
	"ffffffffc0005000 t bpf_prog_1\t[bpf]\n"
	"ffffffffc0005040 t more\t[ext4]\n"
	"ffffffffc0005080 t bpf_prog_2\t[bpf]\n";

static struct kallsyms *parse(const char *text)
{
	return kallsyms_parse(strdup(text), strlen(text));
}

static void assert_name(const struct kallsyms *k, uint64_t addr, const char *name)
{
	const char *found = kallsyms_find(k, addr);

	if (name)
		assert_string_equal(found, name);
	else
		assert_null(found);
}

static void assert_range(const struct kallsyms *k, uint64_t addr, const char *module,
			 uint64_t start, uint64_t end)
{
	const struct kallsyms_range *range = kallsyms_range(k, addr);

	assert_non_null(range);
	assert_string_equal(range->module, module);
	assert_true(range->start == start && range->end == end);
}

static void test_names(void **state)
{
	struct kallsyms *k = parse(typical);

	(void)state;
	assert_non_null(k);
	assert_name(k, 0xffffffff81000110, "vfs_read");
	assert_name(k, 0xffffffff810001ff, "vfs_read");
	assert_name(k, 0xffffffff8100010f, "__pfx_vfs_read");
	assert_name(k, 0xffffffff81000000, "startup_64");
	assert_name(k, 0xffffffff81000200, "ksys_read");
	assert_name(k, 0xffffffff81002fff, "last");
	assert_name(k, 0xffffffffc0001f80, "ovl_read");
	assert_name(k, 0xffffffffc0003010, "ext4_write");
	kallsyms_free(k);
}

/* Fails if code that no symbol is near of gets the name of the nearest one. */
static void test_no_names(void **state)
{
	static const uint64_t nowhere[] = {
		0, 0x1000, 0x401000, 0xffffffff80ffffff, 0xffffffff81003000, 0xffffffff82000000,
		0xffffffffc0000fff, 0xffffffffc0001000, 0xffffffffc0002000, 0xffffffffc0003000,
		0xffffffffc0006000, UINT64_MAX,
	};
	struct kallsyms *k = parse(typical);

	(void)state;
	for (size_t i = 0; i < NR(nowhere); i++)
		assert_name(k, nowhere[i], NULL);
	kallsyms_free(k);
}

/* Fails if ranges overlap, or if the code of one module is in the range of another. */
static void test_ranges(void **state)
{
	struct kallsyms *k = parse(typical);

	(void)state;
	assert_range(k, 0xffffffff81000100, "[kernel.kallsyms]", 0xffffffff81000000,
		     0xffffffff81003000);
	assert_range(k, 0xffffffffc0001000, "[overlay]", 0xffffffffc0001000, 0xffffffffc0002000);
	assert_range(k, 0xffffffffc0003fff, "[ext4]", 0xffffffffc0003000, 0xffffffffc0004000);
	assert_range(k, 0xffffffffc0005000, "[bpf]", 0xffffffffc0005000, 0xffffffffc0005040);
	assert_range(k, 0xffffffffc0005041, "[ext4]", 0xffffffffc0005040, 0xffffffffc0005080);
	assert_range(k, 0xffffffffc0005fff, "[bpf]", 0xffffffffc0005080, 0xffffffffc0006000);
	assert_null(kallsyms_range(k, 0xffffffffc0002000));
	assert_null(kallsyms_range(k, 0xffffffff80ffffff));
	assert_null(kallsyms_range(k, UINT64_MAX));
	kallsyms_free(k);
}

static void test_other_lines(void **state)
{
	static const char text[] =
		"\n"
		"ffffffff81000000\n"
		"ffffffff81000000 T\n"
		"ffffffff81000000 T" " " "\n"
		"ffffffff81000000 T \t[m]\n"
		"ffffffff81000000 TT two\n"
		"ffffffff81000000  name\n"
		" ffffffff81000000 T space\n"
		"xffffffff81000000 T x\n"
		"ffffffff81000000 T tab\tno module\n"
		"ffffffff81000000 T tab\t[]\n"
		"ffffffff81000000 T tab\t[open\n"
		"0000000000000000 T hidden\n"
		"ffffffff81000000 T cut";
	struct kallsyms *k = parse(text);

	(void)state;
	assert_non_null(k);
	assert_name(k, 0xffffffff81000000, NULL);
	kallsyms_free(k);
	k = parse("");
	assert_non_null(k);
	assert_null(kallsyms_range(k, 1));
	kallsyms_free(k);
}

/* The last page of all has no address behind it. */
static void test_the_end_of_memory(void **state)
{
	struct kallsyms *k = parse("fffffffffffffff0 T end\nffffffffffffffff T last\n");

	(void)state;
	assert_name(k, 0xfffffffffffffff0, "end");
	assert_range(k, UINT64_MAX - 1, "[kernel.kallsyms]", 0xfffffffffffff000, UINT64_MAX);
	kallsyms_free(k);
}

static int open_text(const char *text)
{
	write_file("kallsyms", text);
	return kallsyms_open();
}

/* Writes nr symbols of CPUs, which have no address even if they are shown, and then more text. */
static void write_many(int nr, const char *more)
{
	FILE *f = fopen("kallsyms", "w");

	assert_non_null(f);
	for (int i = 0; i < nr; i++)
		fprintf(f, "%016x A percpu_%d\n", i * 8, i);
	fputs(more, f);
	assert_int_equal(fclose(f), 0);
}

/* Fails if the kernel's zeroes pass for addresses, or if those of CPUs pass for the kernel's. */
static void test_open(void **state)
{
	struct kallsyms *k;
	int fd;

	(void)state;
	fd = open_text(typical);
	assert_true(fd >= 0);
	k = kallsyms_read(fd);
	assert_name(k, 0xffffffff81000110, "vfs_read");
	kallsyms_free(k);
	close(fd);
	assert_int_equal(open_text("0000000000000000 A a\n0000000000000000 T _stext\n"), -EACCES);
	assert_int_equal(open_text("0000000000000000 A a\n"), -EACCES);
	assert_int_equal(open_text(""), -EACCES);
	assert_int_equal(remove("kallsyms"), 0);
	assert_int_equal(kallsyms_open(), -ENOENT);
}

/* Fails if a line that two reads share hides the rest, or if the file is read without end. */
static void test_open_after_many_symbols(void **state)
{
	int fd;

	(void)state;
	for (int nr = 150; nr < 350; nr++) {
		write_many(nr, "ffffffff81000000 T _stext\nffffffff81000001 T next\n");
		fd = kallsyms_open();
		assert_true(fd >= 0);
		close(fd);
		write_many(nr, "0000000000000000 T _stext\n0000000000000000 T next\n");
		assert_int_equal(kallsyms_open(), -EACCES);
	}
	write_many(60000, "ffffffff81000000 T _stext\n");
	assert_int_equal(kallsyms_open(), -EACCES);
}

/* The symbols are those of the moment of the read. */
static void test_read(void **state)
{
	struct kallsyms *k;
	int fd = open_text(typical), pipes[2];

	(void)state;
	write_file("kallsyms", "ffffffff81000000 T later\n");
	k = kallsyms_read(fd);
	assert_name(k, 0xffffffff81000000, "later");
	kallsyms_free(k);
	close(fd);
	assert_null(kallsyms_read(-1));
	assert_int_equal(errno, EBADF);
	assert_int_equal(pipe(pipes), 0);
	assert_null(kallsyms_read(pipes[0]));
	assert_int_equal(errno, ESPIPE);
	close(pipes[0]);
	close(pipes[1]);
}

static void test_every_allocation_may_fail(void **state)
{
	struct kallsyms *k = NULL;
	int fd = open_text(typical), nr_failures = 0;

	(void)state;
	for (long n = 0; !k; n++) {
		allocations_left = n;
		errno = 0;
		k = kallsyms_read(fd);
		allocations_left = -1;
		assert_true(k || errno == ENOMEM);
		nr_failures += !k;
	}
	assert_in_range(nr_failures, 4, 20);
	kallsyms_free(k);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_no_names),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_other_lines),
		cmocka_unit_test(test_the_end_of_memory),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_open_after_many_symbols),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
