// SPDX-License-Identifier: GPL-2.0
// sources: collector/process/kept_names.c collector/process/file_version.c
// sources: collector/process/mapped_symbols.c
// sources: collector/process/mapped_files.c collector/process/kernel_image.c
// sources: collector/process/file_numbers.c collector/process/file_opening.c
// sources: collector/process/open_inodes.c
// sources: collector/procfs/vdso.c
// sources: collector/symbol/perf_map.c collector/base/string_table.c collector/symbol/kallsyms.c
// sources: collector/base/regular_file.c collector/procfs/live_thread.c
// sources: collector/procfs/mapped_file.c collector/procfs/procfs.c collector/procfs/maps.c
// libs: -lxxhash -Wl,--wrap=file_version_is_shared
/* Files whose content is changed under the same inode, while they are in the table. */
#include <fcntl.h>
#include <sys/stat.h>

#include "fakesym.h"
#include "filekey.h"
#include "process/file_version.h"
#include "process/mapped_files.h"
#include "folder.h"

/* No process has this mapping, so the file is found by its path only. */
static const struct mapped_files_mapping nowhere = { .pid = 0, .start = 0x1000, .end = 0x2000 };

/* The file system of the folder may be an overlayfs. */
static bool is_shared;

bool __wrap_file_version_is_shared(int fd);
bool __wrap_file_version_is_shared(int fd)
{
	assert_int_equal(lseek(fd, 1, SEEK_SET), 1);
	return is_shared;
}

static int setup(void **state)
{
	fake_nr_opened = 0;
	is_shared = true;
	*state = mapped_files_new();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	mapped_files_free(*state);
	unlink("a");
	unlink("b");
	return 0;
}

static uint32_t intern(struct mapped_files *f, const char *name)
{
	const struct mapped_files_key key = key_of(in_folder(name));

	return mapped_files_intern(f, &key, &nowhere);
}

/* Only changes of ELF files matter. */
#define ELF	"\177ELF"

/* Sets the size by the text, and the mtime in ns. */
static void write_at(const char *name, const char *text, long mtime_ns)
{
	const struct timespec times[2] = { { 1000, 0 }, { 1000, mtime_ns } };

	write_file(name, text);
	assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
}

static uint64_t nr_changes(const struct mapped_files *f)
{
	const char *first;

	return mapped_files_nr_changes(f, &first);
}

static void assert_outdated(struct mapped_files *f, uint32_t file)
{
	struct frame line;

	assert_true(mapped_files_is_outdated(f, file));
	assert_int_equal(mapped_files_lookup(f, file, 7, &line, 1), 0);
	assert_string_equal(mapped_files_build_id(f, file), "");
	assert_int_equal(mapped_files_open(f, file), -ENOENT);
	mapped_files_set_build_id(f, file, "late");
	assert_string_equal(mapped_files_build_id(f, file), "");
}

/* Fails if a changed file keeps its number, or if the old number has the new symbols. */
static void test_a_new_mapping(void **state)
{
	uint32_t old, new;
	const char *first;

	write_at("a", ELF "one\n", 0);
	old = intern(*state, "a");
	mapped_files_set_build_id(*state, old, "known");
	assert_int_equal(intern(*state, "a"), old);
	write_at("a", ELF "two\n", 1);
	new = intern(*state, "a");
	assert_int_not_equal(new, old);
	assert_int_equal(intern(*state, "a"), new);
	assert_outdated(*state, old);
	assert_false(mapped_files_is_outdated(*state, new));
	assert_string_equal(mapped_files_path(*state, old), in_folder("a"));
	assert_string_equal(mapped_files_path(*state, new), in_folder("a"));
	assert_string_equal(mapped_files_build_id(*state, new), ELF "two");
	assert_int_equal(mapped_files_nr_changes(*state, &first), 1);
	assert_string_equal(first, in_folder("a"));
}

/* Fails if a search misses a change of the size or of the mtime alone, or finds another one. */
static void test_a_search(void **state)
{
	uint32_t a, b;

	write_at("a", ELF "one\n", 0);
	write_at("b", ELF "one\n", 0);
	a = intern(*state, "a");
	b = intern(*state, "b");
	mapped_files_find_changes(*state);
	assert_int_equal(chmod("a", 0600), 0);
	assert_int_equal(rename("b", "c"), 0);
	assert_int_equal(rename("c", "b"), 0);
	mapped_files_find_changes(*state);
	assert_int_equal(nr_changes(*state), 0);
	write_at("a", ELF "one\n", 1);
	mapped_files_find_changes(*state);
	assert_int_equal(nr_changes(*state), 1);
	assert_outdated(*state, a);
	write_at("b", ELF "longer\n", 0);
	mapped_files_find_changes(*state);
	assert_int_equal(nr_changes(*state), 2);
	assert_outdated(*state, b);
	assert_string_equal(mapped_files_build_id(*state, mapped_files_newest(*state, b)),
			    ELF "longer");
}

/* Returns the position of the descriptor that is kept of a file. */
static off_t position(struct mapped_files *f, uint32_t file)
{
	int fd = mapped_files_open(f, file);
	off_t at = lseek(fd, 0, SEEK_CUR);

	close(fd);
	return at;
}

/*
 * Fails if running processes get the new content where they may have the old one, or if the old
 * descriptor is kept there.
 */
static void test_newest(void **state)
{
	uint32_t first, second, third;

	write_at("a", ELF "one\n", 0);
	first = intern(*state, "a");
	assert_int_equal(mapped_files_newest(*state, first), first);
	write_at("a", ELF "two\n", 1);
	second = intern(*state, "a");
	assert_int_equal(mapped_files_newest(*state, first), second);
	is_shared = false;
	write_at("a", ELF "three\n", 2);
	assert_int_equal(position(*state, second), 1);
	third = intern(*state, "a");
	assert_int_not_equal(third, second);
	assert_int_equal(position(*state, third), 0);
	assert_int_equal(mapped_files_newest(*state, first), second);
	assert_outdated(*state, second);
}

/* Fails if another path to a changed file has the old symbols. */
static void test_other_names(void **state)
{
	uint32_t a, b, late;

	write_at("a", ELF "one\n", 0);
	assert_int_equal(link("a", "b"), 0);
	a = intern(*state, "a");
	b = intern(*state, "b");
	assert_int_equal(mapped_files_first(*state, b), a);
	write_at("a", ELF "two\n", 1);
	mapped_files_find_changes(*state);
	assert_int_equal(nr_changes(*state), 1);
	assert_outdated(*state, b);
	assert_int_not_equal(intern(*state, "b"), b);
	assert_int_equal(mapped_files_newest(*state, b), intern(*state, "b"));
	assert_int_equal(mapped_files_first(*state, intern(*state, "b")), intern(*state, "a"));
	write_at("a", ELF "three\n", 2);
	assert_int_equal(rename("b", "c"), 0);
	late = intern(*state, "c");
	assert_string_equal(mapped_files_build_id(*state, late), ELF "three");
	assert_int_equal(unlink("c"), 0);
}

/* Fails if a path has no symbols because the new content was found by a third path first. */
static void test_a_third_name(void **state)
{
	uint32_t b;

	write_at("a", ELF "one\n", 0);
	assert_int_equal(link("a", "b"), 0);
	intern(*state, "a");
	b = intern(*state, "b");
	write_at("a", ELF "two\n", 1);
	assert_int_equal(link("a", "c"), 0);
	intern(*state, "c");
	mapped_files_find_changes(*state);
	assert_outdated(*state, b);
	b = mapped_files_newest(*state, b);
	assert_string_equal(mapped_files_build_id(*state, b), ELF "two");
	assert_int_equal(unlink("c"), 0);
}

/* Fails if memory that a program shares by a file counts as a library that was overwritten. */
static void test_no_elf_file(void **state)
{
	uint32_t file;

	write_at("a", "one\n", 0);
	file = intern(*state, "a");
	write_at("a", "two\n", 1);
	mapped_files_find_changes(*state);
	assert_int_equal(intern(*state, "a"), file);
	assert_int_equal(nr_changes(*state), 0);
}

/* A copy truncates its target first. Fails if what comes after that counts as the same content. */
static void test_a_search_in_the_middle_of_a_copy(void **state)
{
	uint32_t file;

	write_at("a", ELF "one\n", 0);
	file = intern(*state, "a");
	write_at("a", "", 1);
	mapped_files_find_changes(*state);
	assert_outdated(*state, file);
	file = intern(*state, "a");
	write_at("a", ELF "two\n", 2);
	mapped_files_find_changes(*state);
	assert_int_equal(nr_changes(*state), 2);
	assert_outdated(*state, file);
	assert_string_equal(mapped_files_build_id(*state, intern(*state, "a")), ELF "two");
}

/* Fails if a file that changes before its symbols are read gets those of the new content. */
static void test_a_late_look_up(void **state)
{
	uint32_t file;

	write_at("a", ELF "one\n", 0);
	file = intern(*state, "a");
	write_at("a", ELF "two\n", 1);
	assert_string_equal(mapped_files_build_id(*state, file), "");
	assert_int_equal(nr_changes(*state), 1);
	assert_outdated(*state, file);
	assert_int_equal(fake_nr_opened, 0);
}

/* Fails if a number is used for two files, or if a removed one is named. */
static void test_removed_numbers(void **state)
{
	uint32_t old, new, other;
	bool keep[8] = { false };

	write_at("a", ELF "one\n", 0);
	old = intern(*state, "a");
	write_at("a", ELF "two\n", 1);
	new = intern(*state, "a");
	keep[old] = true;
	assert_int_equal(mapped_files_keep(*state, keep), 0);
	assert_string_equal(mapped_files_path(*state, old), in_folder("a"));
	assert_int_equal(mapped_files_newest(*state, old), old);
	write_at("b", ELF "b\n", 0);
	other = intern(*state, "b");
	assert_int_equal(other, new);
	assert_outdated(*state, old);
	new = intern(*state, "a");
	assert_int_not_equal(new, old);
	assert_string_equal(mapped_files_build_id(*state, new), ELF "two");
	memset(keep, 0, sizeof(keep));
	keep[new] = true;
	assert_int_equal(mapped_files_keep(*state, keep), 0);
	assert_int_equal(intern(*state, "a"), new);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_new_mapping),
		TEST(test_a_search),
		TEST(test_newest),
		TEST(test_other_names),
		TEST(test_a_third_name),
		TEST(test_no_elf_file),
		TEST(test_a_search_in_the_middle_of_a_copy),
		TEST(test_a_late_look_up),
		TEST(test_removed_numbers),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
