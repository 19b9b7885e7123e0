// SPDX-License-Identifier: GPL-2.0
// sources: collector/process/mapped_files.c collector/process/kernel_image.c
// sources: collector/process/kept_names.c collector/process/file_version.c
// sources: collector/process/mapped_symbols.c
// sources: collector/process/file_numbers.c collector/process/file_opening.c
// sources: collector/process/open_inodes.c
// sources: collector/procfs/vdso.c
// sources: collector/symbol/perf_map.c collector/base/string_table.c collector/symbol/kallsyms.c
// sources: collector/base/regular_file.c collector/procfs/live_thread.c
// sources: collector/procfs/mapped_file.c collector/procfs/procfs.c collector/procfs/maps.c
// libs: -lxxhash -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "fail_alloc.h"
#include "fakesym.h"
#include "filekey.h"
#include "process/mapped_files.h"
#include "folder.h"
#include "waiting.h"

/* No process has this mapping, so the file is found by its path only. */
static const struct mapped_files_mapping nowhere = { .pid = 0, .start = 0x1000, .end = 0x2000 };

/* Addresses where a 64-bit process has its vdso. */
static const struct mapped_files_mapping high = { .start = 0x7ffd00001000, .end = 0x7ffd00003000 };

static int setup(void **state)
{
	fake_nr_opened = 0;
	fake_nr_lookups = 0;
	*state = mapped_files_new();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	mapped_files_free(*state);
	return 0;
}

static void assert_named(struct mapped_files *f, uint32_t file)
{
	static const struct fake_symbol symbols[] = { { 7, 1, { { .name = "seven" } } }, { 0 } };
	struct frame line;

	fake_symbols = symbols;
	assert_int_equal(mapped_files_lookup(f, file, 7, &line, 1), 1);
	assert_string_equal(line.name, "seven");
	assert_int_equal(mapped_files_lookup(f, file, 8, &line, 1), 0);
}

static void assert_unnamed(struct mapped_files *f, uint32_t file)
{
	int nr_lookups = fake_nr_lookups;
	struct frame line;

	assert_int_equal(mapped_files_lookup(f, file, 7, &line, 1), 0);
	assert_int_equal(fake_nr_lookups, nr_lookups);
}

static void test_none(void **state)
{
	const struct mapped_files_key null = { .ino = 1 }, empty = { .ino = 1, .path = "" };

	assert_int_equal(mapped_files_intern(*state, &null, &nowhere), MAPPED_FILES_NONE);
	assert_int_equal(mapped_files_intern(*state, &empty, &nowhere), MAPPED_FILES_NONE);
	assert_string_equal(mapped_files_path(*state, MAPPED_FILES_NONE), "//anon");
	assert_unnamed(*state, MAPPED_FILES_NONE);
	assert_string_equal(mapped_files_build_id(*state, MAPPED_FILES_NONE), "");
	mapped_files_free(NULL);
}

static void test_found_by_path(void **state)
{
	struct mapped_files_key key;
	uint32_t file;

	write_file("a", "one\n");
	key = key_of(in_folder("a"));
	file = mapped_files_intern(*state, &key, &nowhere);
	assert_int_not_equal(file, MAPPED_FILES_NONE);
	assert_int_equal(mapped_files_intern(*state, &key, &nowhere), file);
	assert_string_equal(mapped_files_path(*state, file), in_folder("a"));
	assert_int_equal(fake_nr_opened, 0);
	assert_string_equal(mapped_files_build_id(*state, file), "one");
	assert_named(*state, file);
	assert_int_equal(fake_nr_opened, 1);
}

/* A build ID that another process has read is not read again, and the file stays open. */
static void test_set_build_ids(void **state)
{
	struct mapped_files_key key;
	uint32_t set, read, id = 0;

	write_file("a", "one\n");
	write_file("b", "two\n");
	key = key_of(in_folder("a"));
	set = mapped_files_intern(*state, &key, &nowhere);
	key = key_of(in_folder("b"));
	read = mapped_files_intern(*state, &key, &nowhere);
	mapped_files_set_build_id(*state, set, "other");
	mapped_files_set_build_id(*state, set, "third");
	mapped_files_set_build_id(*state, read + 1, "none");
	assert_string_equal(mapped_files_build_id(*state, set), "other");
	assert_int_equal(fake_nr_opened, 0);
	assert_null(mapped_files_next_build_id(*state, &id));
	mapped_files_build_id(*state, read);
	id = 0;
	assert_string_equal(mapped_files_next_build_id(*state, &id), "two");
	assert_int_equal(id, read);
	id++;
	assert_null(mapped_files_next_build_id(*state, &id));
}

/* Files differ if their device, inode or path differs. */
static void test_what_makes_a_file(void **state)
{
	struct mapped_files_key keys[5];
	uint32_t ids[5];

	for (int i = 0; i < 5; i++)
		keys[i] = (struct mapped_files_key){ 8, 1, 77, "/no/such/file" };
	keys[1].dev_major++;
	keys[2].dev_minor++;
	keys[3].ino++;
	keys[4].path = "/no/such/file2";
	for (int i = 0; i < 5; i++) {
		ids[i] = mapped_files_intern(*state, &keys[i], &nowhere);
		assert_int_not_equal(ids[i], MAPPED_FILES_NONE);
		for (int j = 0; j < i; j++)
			assert_int_not_equal(ids[i], ids[j]);
	}
	assert_string_equal(mapped_files_path(*state, ids[3]), "/no/such/file");
	assert_string_equal(mapped_files_path(*state, ids[4]), "/no/such/file2");
	assert_unnamed(*state, ids[0]);
	assert_string_equal(mapped_files_build_id(*state, ids[0]), "");
}

static void test_another_file_under_the_name_is_not_used(void **state)
{
	struct mapped_files_key key;
	uint32_t file;

	write_file("old", "old\n");
	key = key_of(in_folder("old"));
	write_file("new", "new\n");
	assert_int_equal(rename("new", "old"), 0);
	file = mapped_files_intern(*state, &key, &nowhere);
	assert_int_not_equal(file, MAPPED_FILES_NONE);
	assert_unnamed(*state, file);
	assert_int_equal(fake_nr_opened, 0);
}

/* The file is opened by mapped_files_intern(), so a later file of that name is not used. */
static void test_replaced_afterwards(void **state)
{
	struct mapped_files_key key;
	uint32_t file;

	write_file("now", "now\n");
	key = key_of(in_folder("now"));
	file = mapped_files_intern(*state, &key, &nowhere);
	assert_int_equal(unlink("now"), 0);
	write_file("now", "later\n");
	assert_string_equal(mapped_files_build_id(*state, file), "now");
}

static void test_deleted_but_mapped(void **state)
{
	struct mapped_files_mapping mapping = { .pid = getpid() };
	struct mapped_files_key key;
	uint32_t file;
	void *map;
	int fd;

	write_file("gone", "gone\n");
	key = key_of(in_folder("gone"));
	fd = open("gone", O_RDONLY);
	map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	close(fd);
	assert_int_equal(unlink("gone"), 0);
	mapping.start = (uintptr_t)map;
	mapping.end = mapping.start + 4096;
	file = mapped_files_intern(*state, &key, &mapping);
	munmap(map, 4096);
	assert_string_equal(mapped_files_build_id(*state, file), "gone");
	assert_string_equal(mapped_files_path(*state, file), in_folder("gone"));
}

/* Another file is mapped at the address: it is not used for the key of the record. */
static void test_another_file_is_mapped_there(void **state)
{
	struct mapped_files_mapping mapping = { .pid = getpid() };
	struct mapped_files_key key;
	void *map;
	int fd;

	write_file("wanted", "wanted\n");
	write_file("other", "other\n");
	fd = open("other", O_RDONLY);
	map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	close(fd);
	mapping.start = (uintptr_t)map;
	mapping.end = mapping.start + 4096;
	key = key_of(in_folder("wanted"));
	assert_string_equal(mapped_files_build_id(*state,
						  mapped_files_intern(*state, &key, &mapping)),
			    "wanted");
	key.dev_minor++;
	assert_unnamed(*state, mapped_files_intern(*state, &key, &mapping));
	key = key_of(in_folder("other"));
	key.dev_minor++;
	assert_unnamed(*state, mapped_files_intern(*state, &key, &mapping));
	munmap(map, 4096);
}

/* The path is also looked up in the root of the process, /proc/PID/root. */
static void test_found_in_the_root_of_its_process(void **state)
{
	struct mapped_files_mapping mapping = nowhere;
	struct mapped_files_key key;
	uint32_t file;

	write_file("inside", "inside\n");
	key = key_of("inside");
	key.path = in_folder("inside");
	mapping.pid = getpid();
	file = mapped_files_intern(*state, &key, &mapping);
	assert_string_equal(mapped_files_build_id(*state, file), "inside");
}

/* open() of a FIFO would wait for a writer, and a device may do anything. */
static void test_only_regular_files_are_opened(void **state)
{
	static const char *const paths[] = { "/dev/zero", "/dev", "fifo" };
	const struct mapped_files_mapping own = { .pid = getpid(), .start = 0x1000, .end = 0x2000 };

	assert_int_equal(mkfifo("fifo", 0600), 0);
	for (size_t i = 0; i < 3; i++) {
		const char *path = paths[i][0] == '/' ? paths[i] : in_folder(paths[i]);
		struct mapped_files_key key = key_of(path);
		uint32_t file = mapped_files_intern(*state, &key, &own);

		assert_int_not_equal(file, MAPPED_FILES_NONE);
		assert_unnamed(*state, file);
	}
	assert_int_equal(fake_nr_opened, 0);
}

/* The owner of a file may hold a lease on it, and open() would wait for its end. */
static void test_a_lease_is_not_waited_for(void **state)
{
	time_t start = time(NULL);
	struct mapped_files_key key;
	int holder;

	write_file("leased", "leased\n");
	key = key_of(in_folder("leased"));
	holder = open("leased", O_RDWR);
	signal(SIGIO, SIG_IGN);
	assert_int_equal(fcntl(holder, F_SETLEASE, F_WRLCK), 0);
	assert_unnamed(*state, mapped_files_intern(*state, &key, &nowhere));
	close(holder);
	assert_true(time(NULL) - start < 5);
}

static void assert_copy(const struct mapped_files *f, uint32_t file, const char *text)
{
	char buf[64] = "";
	int fd = mapped_files_open(f, file);

	assert_true(fd >= 0);
	assert_true(pread(fd, buf, strlen(text), 0) == (ssize_t)strlen(text));
	assert_string_equal(buf, text);
	close(fd);
}

/* A file can be opened until its first look-up of a symbol, which closes it. */
static void test_copies(void **state)
{
	struct mapped_files_key key;
	uint32_t file;

	write_file("copied", "text\n");
	key = key_of(in_folder("copied"));
	file = mapped_files_intern(*state, &key, &nowhere);
	assert_copy(*state, file, "text");
	assert_copy(*state, file, "text");
	assert_named(*state, file);
	assert_int_equal(mapped_files_open(*state, file), -ENOENT);
	assert_int_equal(mapped_files_open(*state, MAPPED_FILES_NONE), -ENOENT);
}

static void test_names_in_brackets(void **state)
{
	const struct mapped_files_key vdso = { .path = "[vdso]" }, no_ino = { .path = "/dev/zero" };
	uint32_t file = mapped_files_intern(*state, &vdso, &high);

	assert_string_equal(mapped_files_path(*state, file), "[vdso]");
	assert_int_equal(fake_nr_opened, 0);
	assert_copy(*state, file, "\177ELF");
	assert_string_equal(mapped_files_build_id(*state, file), "vdso");
	assert_named(*state, file);
	assert_int_equal(fake_nr_opened, 1);
	assert_unnamed(*state, mapped_files_intern(*state, &no_ino, &nowhere));
}

static int nr_open(void)
{
	int nr = 0;

	for (int fd = 0; fd < 1024; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

/*
 * Files that are not kept are closed. Their numbers are those of later files, and what comes again
 * is a new file.
 */
static void test_keep(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	bool keep[16] = { false };
	struct mapped_files_key keys[4];
	uint32_t files[4], again;
	char paths[4][64];
	int before;

	for (int i = 0; i < 4; i++) {
		write_file(names[i], names[i]);
		strcpy(paths[i], in_folder(names[i]));
		keys[i] = key_of(paths[i]);
	}
	before = nr_open();
	for (int i = 0; i < 3; i++)
		files[i] = mapped_files_intern(*state, &keys[i], &nowhere);
	keep[files[1]] = true;
	allocations_left = 1;
	assert_int_equal(mapped_files_keep(*state, keep), -ENOMEM);
	allocations_left = -1;
	assert_int_equal(nr_open(), before + 3);
	assert_int_equal(mapped_files_keep(*state, keep), 0);
	assert_int_equal(nr_open(), before + 1);
	assert_string_equal(mapped_files_path(*state, files[1]), paths[1]);
	assert_string_equal(mapped_files_path(*state, files[0]), "");
	assert_int_equal(mapped_files_intern(*state, &keys[1], &nowhere), files[1]);
	files[3] = mapped_files_intern(*state, &keys[3], &nowhere);
	again = mapped_files_intern(*state, &keys[0], &nowhere);
	assert_true((files[3] == files[0] && again == files[2]) ||
		    (files[3] == files[2] && again == files[0]));
	assert_copy(*state, again, "a");
	assert_copy(*state, files[3], "d");
	assert_copy(*state, files[1], "b");
	assert_int_equal(mapped_files_nr(*state), 4);
}

/* The file with the descriptor is kept for another name of it. */
static void test_keep_other_names(void **state)
{
	bool keep[16] = { false };
	struct mapped_files_key key;
	uint32_t first, second;

	write_file("first", "text");
	key = key_of(in_folder("first"));
	first = mapped_files_intern(*state, &key, &nowhere);
	assert_int_equal(rename("first", "second"), 0);
	key.path = in_folder("second");
	second = mapped_files_intern(*state, &key, &nowhere);
	assert_int_equal(mapped_files_first(*state, second), first);
	keep[second] = true;
	assert_int_equal(mapped_files_keep(*state, keep), 0);
	assert_true(keep[first]);
	assert_copy(*state, second, "text");
	memset(keep, 0, sizeof(keep));
	assert_int_equal(mapped_files_keep(*state, keep), 0);
	second = mapped_files_intern(*state, &key, &nowhere);
	assert_int_equal(mapped_files_first(*state, second), second);
	assert_copy(*state, second, "text");
}

/* Few files are not worth a search for those that are not used. */
static void test_many_files(void **state)
{
	bool keep[2 * MAPPED_FILES_FEW + 2] = { false };
	struct mapped_files_key key = { .path = "/no/such/file" };

	for (key.ino = 1; key.ino <= MAPPED_FILES_FEW; key.ino++)
		mapped_files_intern(*state, &key, &nowhere);
	assert_false(mapped_files_are_many(*state));
	mapped_files_intern(*state, &key, &nowhere);
	assert_true(mapped_files_are_many(*state));
	memset(keep, true, sizeof(keep));
	assert_int_equal(mapped_files_keep(*state, keep), 0);
	assert_false(mapped_files_are_many(*state));
	for (; key.ino <= 2 * MAPPED_FILES_FEW + 2; key.ino++)
		mapped_files_intern(*state, &key, &nowhere);
	assert_false(mapped_files_are_many(*state));
}

/* A renamed file is opened once, and its symbols are those of the file. */
static void test_other_names(void **state)
{
	char old[32] = "0", new[32];
	uint32_t first = MAPPED_FILES_NONE, file;
	int before = nr_open();

	write_file(old, "same\n");
	for (int i = 1; i <= 1000; i++) {
		struct mapped_files_key key;

		snprintf(new, sizeof(new), "%d", i);
		assert_int_equal(rename(old, new), 0);
		strcpy(old, new);
		key = key_of(in_folder(new));
		file = mapped_files_intern(*state, &key, &nowhere);
		assert_string_equal(mapped_files_path(*state, file), key.path);
		first = i == 1 ? file : first;
		assert_true(i == 1 || file != first);
		assert_int_equal(mapped_files_first(*state, file), first);
	}
	assert_int_equal(nr_open(), before + 1);
	assert_copy(*state, file, "same");
	assert_string_equal(mapped_files_build_id(*state, file), "same");
	assert_named(*state, file);
	assert_named(*state, first);
	assert_int_equal(fake_nr_opened, 1);
	mapped_files_release_names(*state, file);
	assert_int_equal(fake_nr_in_use, 0);
	assert_int_equal(mapped_files_nr_unopened(*state), 0);
}

/*
 * A file that is no ELF file is closed, and its inode number may be reused. So a renamed one is
 * opened again.
 */
static void test_no_elf_has_no_other_names(void **state)
{
	struct mapped_files_key key;
	uint32_t files[2];

	write_file("bad1", "bad\n");
	key = key_of(in_folder("bad1"));
	files[0] = mapped_files_intern(*state, &key, &nowhere);
	assert_unnamed(*state, files[0]);
	assert_int_equal(rename("bad1", "bad2"), 0);
	write_file("bad2", "good\n");
	key.path = in_folder("bad2");
	files[1] = mapped_files_intern(*state, &key, &nowhere);
	assert_int_equal(mapped_files_first(*state, files[1]), files[1]);
	assert_named(*state, files[1]);
	assert_unnamed(*state, files[0]);
}

/* Half of the descriptors stay free. The files that were not opened are counted. */
static void test_few_descriptors(void **state)
{
	struct rlimit old, few = { .rlim_cur = 32 };
	struct mapped_files *f;
	char name[32];

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	f = mapped_files_new();
	for (int i = 0; i < 40; i++) {
		struct mapped_files_key key;

		snprintf(name, sizeof(name), "many%d", i);
		write_file(name, "x\n");
		key = key_of(in_folder(name));
		assert_int_not_equal(mapped_files_intern(f, &key, &nowhere), MAPPED_FILES_NONE);
	}
	assert_in_range(mapped_files_nr_unopened(f), 40 - 16, 39);
	assert_true(nr_open() <= 16);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	mapped_files_free(f);
}

/* Adds nr files of the same name. The next one is refused, and the first one is still found. */
static void assert_ends(struct mapped_files *f, const char *name, uint64_t nr)
{
	struct mapped_files_key key = { .path = name };
	uint32_t first = mapped_files_intern(f, &key, &nowhere);

	for (key.ino = 1; key.ino < nr; key.ino++)
		assert_int_not_equal(mapped_files_intern(f, &key, &nowhere), MAPPED_FILES_NONE);
	assert_int_equal(mapped_files_nr_unopened(f), 0);
	assert_int_equal(mapped_files_intern(f, &key, &nowhere), MAPPED_FILES_NONE);
	assert_int_equal(mapped_files_nr_unopened(f), 1);
	key.ino = 0;
	assert_int_equal(mapped_files_intern(f, &key, &nowhere), first);
	assert_int_equal(mapped_files_nr_unopened(f), 1);
}

static void test_no_end_of_files(void **state)
{
	/* one number is that of MAPPED_FILES_NONE */
	assert_ends(*state, "made up", MAPPED_FILES_MAX - 1);
}

static void test_no_end_of_long_names(void **state)
{
	char name[4001];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	assert_ends(*state, name, MAPPED_FILES_MAX_NAME_BYTES / (sizeof(name) - 1 + 37));
}

/* The vdso of 32 bits is another ELF image, and cannot be read here: it has no symbols. */
static void test_vdso_of_32_bits(void **state)
{
	const struct mapped_files_mapping low = { .start = 0xf7f00000, .end = 0xf7f02000 };
	const struct mapped_files_key vdso = { .path = "[vdso]" };
	uint32_t file = mapped_files_intern(*state, &vdso, &low);

	assert_int_not_equal(file, MAPPED_FILES_NONE);
	assert_int_not_equal(mapped_files_intern(*state, &vdso, &high), file);
	assert_int_equal(mapped_files_intern(*state, &vdso, &low), file);
	assert_string_equal(mapped_files_path(*state, file), "[vdso]");
	assert_false(mapped_files_is_memory(*state, file));
	assert_int_equal(mapped_files_open(*state, file), -ENOENT);
	assert_unnamed(*state, file);
	assert_string_equal(mapped_files_build_id(*state, file), "");
}

static void test_no_elf_is_tried_once(void **state)
{
	struct mapped_files_key key;
	uint32_t file;

	write_file("bad", "bad\n");
	key = key_of(in_folder("bad"));
	file = mapped_files_intern(*state, &key, &nowhere);
	assert_unnamed(*state, file);
	assert_unnamed(*state, file);
	assert_string_equal(mapped_files_build_id(*state, file), "");
	assert_int_equal(fake_nr_opened, 1);
}

/* A perf map names code in memory. It is not opened for an unwind table. */
static void test_perfmap(void **state)
{
	struct frame lines[2];
	struct mapped_files_key key;
	char path[64];
	uint32_t file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	assert_int_equal(mapped_files_intern_perfmap(*state, getpid(), MAPPED_FILES_NONE, false),
			 MAPPED_FILES_NONE);
	write_file(path, "7000 10 early\n");
	key = key_of(path);
	file = mapped_files_intern_perfmap(*state, getpid(), MAPPED_FILES_NONE, false);
	assert_int_not_equal(file, MAPPED_FILES_NONE);
	assert_int_equal(mapped_files_intern_perfmap(*state, getpid(), MAPPED_FILES_NONE, false),
			 file);
	/* a mapping of the map itself is an ordinary file */
	assert_int_not_equal(mapped_files_intern(*state, &key, &nowhere), file);
	write_file(path, "7000 10 early\n8000 10 late\n");
	assert_int_equal(unlink(path), 0);
	assert_string_equal(mapped_files_path(*state, file), path);
	assert_int_equal(mapped_files_open(*state, file), -ENOENT);
	assert_string_equal(mapped_files_build_id(*state, file), "");
	assert_int_equal(mapped_files_lookup(*state, file, 0x8001, lines, 2), 1);
	assert_string_equal(lines[0].name, "late");
	assert_string_equal(lines[0].system_name, "late");
	assert_int_equal(mapped_files_lookup(*state, file, 0x8001, lines, 0), 0);
	assert_int_equal(mapped_files_lookup(*state, file, 0x8010, lines, 2), 0);
	assert_int_equal(mapped_files_open(*state, file), -ENOENT);
	assert_int_equal(fake_nr_opened + fake_nr_lookups, 0);
}

/*
 * mapped_files_release_names() frees the content of a perf map: it may be large, and each process
 * may have one.
 */
static void test_perfmaps_are_given_back(void **state)
{
	struct frame before, after;
	char path[64];
	uint32_t file;
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	write_file(path, "8000 10 before\n");
	file = mapped_files_intern_perfmap(*state, getpid(), MAPPED_FILES_NONE, false);
	fd = open(path, O_WRONLY);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mapped_files_lookup(*state, file, 0x8001, &before, 1), 1);
	assert_int_equal(pwrite(fd, "8000 10 _after\n", 15, 0), 15);
	assert_int_equal(mapped_files_lookup(*state, file, 0x8001, &after, 1), 1);
	assert_string_equal(after.name, "before");
	mapped_files_release_names(*state, file);
	assert_string_equal(before.name, "before");
	assert_string_equal(mapped_files_build_id(*state, file), ""); /* a perf map has none */
	assert_int_equal(pwrite(fd, "8000 10 _later\n", 15, 0), 15);
	assert_int_equal(mapped_files_lookup(*state, file, 0x8001, &after, 1), 1);
	assert_string_equal(after.name, "_later");
	close(fd);
}

/* Code that was replaced during the profile has both names. is_new: all of the map is younger. */
static void test_perfmap_with_reused_memory(void **state)
{
	struct frame lines[1];
	char path[64];
	uint32_t file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	for (int is_new = 0; is_new < 2; is_new++) {
		write_file(path, "7000 10 gone\n7000 10 first\n");
		file = mapped_files_intern_perfmap(*state, getpid(), MAPPED_FILES_NONE, is_new);
		write_file(path, "7000 10 gone\n7000 10 first\n7000 10 last\n8000 10 only\n");
		assert_int_equal(mapped_files_lookup(*state, file, 0x7001, lines, 1), 1);
		assert_string_equal(lines[0].name, is_new ? "gone [or last]" : "first [or last]");
		assert_int_equal(mapped_files_lookup(*state, file, 0x8001, lines, 1), 1);
		assert_string_equal(lines[0].name, "only");
		assert_int_equal(rename(path, is_new ? "one" : "two"), 0);
	}
}

static void test_perfmap_of_an_older_process(void **state)
{
	const struct timespec old[2] = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	write_file(path, "7000 10 old\n");
	assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	assert_null(mapped_files_old_perfmap(*state));
	assert_int_equal(mapped_files_intern_perfmap(*state, getpid(), MAPPED_FILES_NONE, false),
			 MAPPED_FILES_NONE);
	assert_string_equal(mapped_files_old_perfmap(*state), path);
	assert_int_equal(unlink(path), 0);
}

/* The map of a child comes first. The parent's map names the code that it lacks. */
static void test_perfmap_of_a_child(void **state)
{
	struct frame lines[1];
	char path[64];
	uint32_t parents, own;
	pid_t child = waiting_start();

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	write_file(path, "7000 10 before\n8000 10 the_parents\n");
	parents = mapped_files_intern_perfmap(*state, getpid(), MAPPED_FILES_NONE, false);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", child);
	write_file(path, "8000 10 of_child\n");
	own = mapped_files_intern_perfmap(*state, child, parents, false);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mapped_files_lookup(*state, own, 0x8001, lines, 1), 1);
	assert_string_equal(lines[0].name, "of_child");
	assert_int_equal(mapped_files_lookup(*state, own, 0x7001, lines, 1), 1);
	assert_string_equal(lines[0].name, "before");
	assert_int_equal(mapped_files_lookup(*state, own, 0x9001, lines, 1), 0);
	assert_int_equal(mapped_files_lookup(*state, parents, 0x8001, lines, 1), 1);
	assert_string_equal(lines[0].name, "the_parents");
	waiting_end(child);
}

/* Each fork adds a map for the same memory. The ninth map inherits no names from the first 8. */
static void test_perfmaps_of_generations(void **state)
{
	struct frame lines[1];
	uint32_t file = MAPPED_FILES_NONE;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	for (int i = 0; i < 9; i++) {
		write_file(path, i ? "8000 10 late\n" : "7000 10 first\n");
		file = mapped_files_intern_perfmap(*state, getpid(), file, false);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(mapped_files_lookup(*state, file, 0x7001, lines, 1), i < 8);
	}
}

static void test_a_line_that_is_all_of_a_perfmap(void **state)
{
	struct frame lines[1];
	char path[64], *text = malloc(1 << 20);
	uint32_t file;

	assert_non_null(text);
	memset(text, 'x', 1 << 20);
	memcpy(text, "7000 10 ", 8);
	text[(1 << 20) - 1] = 0;
	text[(1 << 20) - 2] = '\n';
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	write_file(path, text);
	file = mapped_files_intern_perfmap(*state, getpid(), MAPPED_FILES_NONE, false);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mapped_files_lookup(*state, file, 0x7001, lines, 1), 1);
	assert_int_equal(strlen(lines[0].name), 16384);
	free(text);
}

static void test_what_is_memory(void **state)
{
	uint32_t map;
	const struct mapped_files_key vdso = { .path = "[vdso]" };
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	write_file(path, "");
	assert_true(mapped_files_is_memory(*state, MAPPED_FILES_NONE));
	map = mapped_files_intern_perfmap(*state, getpid(), MAPPED_FILES_NONE, false);
	assert_true(mapped_files_is_memory(*state, map));
	assert_false(mapped_files_is_memory(*state, mapped_files_intern(*state, &vdso, &nowhere)));
	assert_int_equal(unlink(path), 0);
}

/* Many paths, and one of PATH_MAX bytes. */
static void test_many_and_long(void **state)
{
	char path[PATH_MAX];
	struct mapped_files_key key = { .ino = 1, .path = path };

	for (int i = 0; i < 1000; i++) {
		snprintf(path, sizeof(path), "/no/such/%d", i);
		assert_int_equal(mapped_files_intern(*state, &key, &nowhere), i + 1);
	}
	assert_string_equal(mapped_files_path(*state, 500), "/no/such/499");
	memset(path, 'x', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = 0;
	assert_int_equal(mapped_files_intern(*state, &key, &nowhere), 1001);
	assert_string_equal(mapped_files_path(*state, 1001), path);
}

static void test_every_allocation_may_fail(void **state)
{
	uint32_t file = MAPPED_FILES_NONE;
	int nr_failures = 0;

	(void)state;
	for (long n = 0; file == MAPPED_FILES_NONE; n++) {
		const struct mapped_files_key key = { .ino = 1, .path = "/no/such/file" };
		struct mapped_files *f;

		allocations_left = n;
		errno = 0;
		f = mapped_files_new();
		assert_true(f || errno == ENOMEM);
		if (f)
			file = mapped_files_intern(f, &key, &nowhere);
		allocations_left = -1;
		nr_failures += file == MAPPED_FILES_NONE;
		mapped_files_free(f);
	}
	assert_true(nr_failures > 3);
}

/* The table must grow for more files. Without memory for it the result is no file. */
static void test_no_memory_for_more_files(void **state)
{
	char path[32];
	struct mapped_files_key key = { .ino = 1, .path = path };
	uint32_t file = 1;

	for (int i = 0; file != MAPPED_FILES_NONE && i < 200; i++) {
		snprintf(path, sizeof(path), "/no/such/%d", i);
		allocations_left = 0;
		file = mapped_files_intern(*state, &key, &nowhere);
		allocations_left = -1;
	}
	assert_int_equal(file, MAPPED_FILES_NONE);
	assert_int_not_equal(mapped_files_intern(*state, &key, &nowhere), MAPPED_FILES_NONE);
}

static void assert_kernel(struct mapped_files *f, uint64_t addr, const char *path,
			  const char *name, const char *build_id)
{
	struct maps_range range = { 0 };
	struct frame line;

	assert_int_equal(mapped_files_find_kernel(f, addr, &range), 0);
	assert_true(range.start <= addr && addr < range.end && range.offset == range.start);
	assert_string_equal(mapped_files_path(f, range.file), path);
	assert_string_equal(mapped_files_build_id(f, range.file), build_id);
	assert_false(mapped_files_is_memory(f, range.file));
	assert_int_equal(mapped_files_lookup(f, range.file, addr, &line, 1), 1);
	assert_string_equal(line.name, name);
	assert_string_equal(mapped_files_kernel_name(f, addr), name);
	assert_int_equal(mapped_files_open(f, range.file), -ENOENT);
}

/* The kernel and each module is a file, whose offsets are addresses. */
static void test_kernel(void **state)
{
	struct maps_range range;
	int fd;

	assert_int_equal(mapped_files_find_kernel(*state, 0xffffffff81000000, &range), -ENOENT);
	assert_null(mapped_files_kernel_name(*state, 0xffffffff81000000));
	write_file("kallsyms", "ffffffff81000000 T _stext\n");
	fd = open("kallsyms", O_RDONLY);
	assert_true(fd >= 0);
	mapped_files_set_kallsyms(*state, fd);
	/* It is not read before the first look-up: a module may be loaded meanwhile. */
	write_file("kallsyms", "ffffffff81000000 T _stext\nffffffffc0001000 t ovl_open\t[overlay]\n");
	assert_kernel(*state, 0xffffffff81000008, "[kernel.kallsyms]", "_stext", "id of the kernel");
	assert_kernel(*state, 0xffffffffc0001001, "[overlay]", "ovl_open", "id of overlay");
	assert_kernel(*state, 0xffffffff81000010, "[kernel.kallsyms]", "_stext", "id of the kernel");
	assert_int_equal(mapped_files_find_kernel(*state, 0xffffffff82000000, &range), -ENOENT);
	assert_int_equal(mapped_files_find_kernel(*state, 0x401000, &range), -ENOENT);
	assert_true(fcntl(fd, F_GETFD) < 0);
}

/* The symbols can be read again after a read without memory. */
static void test_no_memory_for_the_kernel(void **state)
{
	struct maps_range range;
	int err = -ENOMEM, nr_failures = 0;

	write_file("kallsyms", "ffffffff81000000 T _stext\n");
	mapped_files_set_kallsyms(*state, open("kallsyms", O_RDONLY));
	for (long n = 0; err == -ENOMEM; n++) {
		allocations_left = n;
		err = mapped_files_find_kernel(*state, 0xffffffff81000000, &range);
		allocations_left = -1;
		nr_failures += err == -ENOMEM;
	}
	assert_int_equal(err, 0);
	assert_in_range(nr_failures, 3, 20);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_none),
		WITH_SETUP(test_found_by_path),
		WITH_SETUP(test_set_build_ids),
		WITH_SETUP(test_what_makes_a_file),
		WITH_SETUP(test_another_file_under_the_name_is_not_used),
		WITH_SETUP(test_replaced_afterwards),
		WITH_SETUP(test_deleted_but_mapped),
		WITH_SETUP(test_another_file_is_mapped_there),
		WITH_SETUP(test_found_in_the_root_of_its_process),
		WITH_SETUP(test_only_regular_files_are_opened),
		WITH_SETUP(test_a_lease_is_not_waited_for),
		WITH_SETUP(test_copies),
		WITH_SETUP(test_names_in_brackets),
		WITH_SETUP(test_keep),
		WITH_SETUP(test_keep_other_names),
		WITH_SETUP(test_many_files),
		WITH_SETUP(test_other_names),
		WITH_SETUP(test_no_elf_has_no_other_names),
		WITH_SETUP(test_few_descriptors),
		WITH_SETUP(test_no_end_of_files),
		WITH_SETUP(test_no_end_of_long_names),
		WITH_SETUP(test_vdso_of_32_bits),
		WITH_SETUP(test_no_elf_is_tried_once),
		WITH_SETUP(test_perfmap),
		WITH_SETUP(test_perfmaps_are_given_back),
		WITH_SETUP(test_perfmap_with_reused_memory),
		WITH_SETUP(test_perfmap_of_an_older_process),
		WITH_SETUP(test_perfmap_of_a_child),
		WITH_SETUP(test_perfmaps_of_generations),
		WITH_SETUP(test_a_line_that_is_all_of_a_perfmap),
		WITH_SETUP(test_what_is_memory),
		WITH_SETUP(test_many_and_long),
		WITH_SETUP(test_kernel),
		WITH_SETUP(test_no_memory_for_the_kernel),
		cmocka_unit_test(test_every_allocation_may_fail),
		WITH_SETUP(test_no_memory_for_more_files),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
