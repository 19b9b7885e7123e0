// SPDX-License-Identifier: GPL-2.0
// sources: collector/symbol/symbolizer.c collector/symbol/elf_symbolizer.c
// sources: collector/symbol/pclntab.c collector/elf/go_module.c collector/elf/go_table.c
// sources: collector/symbol/function_bounds.c collector/unwind/fde_index.c
// sources: collector/unwind/cfi_program.c collector/elf/code_segments.c
// sources: collector/elf/debug_sections.c collector/symbol/demangle_dlang.c
// sources: collector/symbol/line_row.c
// sources: collector/symbol/split_dwarf.c collector/symbol/skeleton_image.c
// sources: collector/symbol/file_identity.c collector/symbol/build_identity.c
// sources: collector/symbol/cache_dir.c collector/symbol/cache_file.c
// sources: collector/symbol/debuginfod_cache.c
// sources: collector/symbol/code_ranges.c
// sources: collector/symbol/dwarf.c collector/elf/symtab.c collector/elf/plt.c
// sources: collector/elf/string_section.c collector/elf/build_id.c
// sources: collector/symbol/demangle.c collector/base/interval_set.c
// sources: collector/base/sigbus_guard.c collector/base/string_table.c
// sources: collector/base/regular_file.c collector/elf/validate.c
// sources: collector/arch/x86/machine_code.c
// libs: -ldw -lelf -lz -llzma -liberty -lxxhash -Wl,--wrap=fstatfs,--wrap=clock_gettime
// libs: -Wl,--wrap=elf_symbolizer_open,--wrap=write,--wrap=fopen
// libs: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
/*
 * The cache of symbols from one run to the next. The environment variable FIXTURES names the folder
 * that fixtures/build made. A run is a struct symbolizer from open to free.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <xxhash.h>

#include "elf/debug_sections.h"
#include "symbol/elf_symbolizer.h"
#include "fail_alloc.h"
#include "folder.h"
#include "symbol/build_identity.h"
#include "symbol/cache_dir.h"
#include "symbol/cache_file.h"
#include "symbol/symbolizer.h"

#define MAX_LINES	64
#define STEP_BYTES	5

/* Offsets in an image: the hash covers all from the origin on. */
#define HASH_AT		8
#define ORIGIN_AT	16
#define STRINGS_BYTES_AT	(ORIGIN_AT + sizeof(struct symbol_cache_file_origin) + 8)
#define ENTRIES_AT	(ORIGIN_AT + sizeof(struct symbol_cache_file_origin) + 16)

/* The outside, as the code under test sees it */

static long fs_type = EXT4_SUPER_MAGIC;
static ino_t fuse_ino;		/* the only file that lies on FUSE */
static bool is_elsewhere;	/* all files are in another mount namespace */
static long clock_ahead;	/* seconds, so that the files of the test are not recent */
static time_t clock_stands;	/* 0: the clock runs */
static int nr_opened;		/* how often debug info was opened */
static bool disk_full;

int __real_fstatfs(int fd, struct statfs *fs);
int __wrap_fstatfs(int fd, struct statfs *fs);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
struct elf_symbolizer *__real_elf_symbolizer_open(int fd, const char *path);
struct elf_symbolizer *__wrap_elf_symbolizer_open(int fd, const char *path);
ssize_t __real_write(int fd, const void *data, size_t bytes);
ssize_t __wrap_write(int fd, const void *data, size_t bytes);

int __wrap_fstatfs(int fd, struct statfs *fs)
{
	int ret = __real_fstatfs(fd, fs);
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	fs->f_type = st.st_ino == fuse_ino ? FUSE_SUPER_MAGIC : fs_type;
	return ret;
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	bool none = is_elsewhere && !strcmp(path, "/proc/self/mountinfo");

	return __real_fopen(none ? "/dev/null" : path, mode);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	int ret = __real_clock_gettime(clock, now);

	now->tv_sec = clock_stands ? clock_stands : now->tv_sec + clock_ahead;
	return ret;
}

struct elf_symbolizer *__wrap_elf_symbolizer_open(int fd, const char *path)
{
	nr_opened++;
	return __real_elf_symbolizer_open(fd, path);
}

ssize_t __wrap_write(int fd, const void *data, size_t bytes)
{
	if (!disk_full)
		return __real_write(fd, data, bytes);
	if (bytes > 100)
		return __real_write(fd, data, 100);
	errno = ENOSPC;
	return -1;
}

/* Files */

static char *fixtures;	/* an absolute path */

static void copy_to(const char *from, const char *to)
{
	char buf[65536];
	FILE *in = fopen(from, "r"), *out = fopen(to, "w");
	size_t nr;

	assert_non_null(in);
	assert_non_null(out);
	while ((nr = fread(buf, 1, sizeof(buf), in)))
		assert_int_equal(fwrite(buf, 1, nr, out), nr);
	fclose(in);
	assert_int_equal(fclose(out), 0);
}

static void copy_fixture(const char *name, const char *to)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", fixtures, name);
	copy_to(path, to);
}

static int nr_files(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int nr = 0;

	if (!dir)
		return -1;
	while ((entry = readdir(dir)))
		nr += entry->d_name[0] != '.';
	closedir(dir);
	return nr;
}

static const char cache[] = "caches/pprof-collect";

/* Returns the path of the only cache file. */
static const char *kept_file(void)
{
	static char path[PATH_MAX];
	DIR *dir = opendir(cache);
	struct dirent *entry;

	assert_non_null(dir);
	assert_int_equal(nr_files(cache), 1);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			snprintf(path, sizeof(path), "%s/%s", cache, entry->d_name);
	closedir(dir);
	return path;
}

static void empty_cache(void)
{
	nftw("caches", remove_one, 8, FTW_DEPTH | FTW_PHYS);
	assert_int_equal(mkdir("caches", 0755), 0);
}

static int setup(void **state)
{
	char path[PATH_MAX];

	if (enter_folder(state))
		return -1;
	snprintf(path, sizeof(path), "%s/caches", folder);
	setenv("XDG_CACHE_HOME", path, 1);
	unsetenv("CACHE_DIRECTORY");
	unsetenv("DEBUGINFOD_URLS");
	fs_type = EXT4_SUPER_MAGIC;
	fuse_ino = 0;
	is_elsewhere = false;
	clock_ahead = 100;
	clock_stands = 0;
	nr_opened = 0;
	copy_fixture("chain", "chain");
	return mkdir("caches", 0755);
}

/* Returns the identity, as symbolizer.c reads it. fuse_ino must not be set. */
static const struct file_identity *id_of(const char *path)
{
	static struct file_identity id;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(file_identity_read(fd, &id), 0);
	close(fd);
	return &id;
}

/* Runs */

static void print_lines(FILE *to, int nr, const struct frame *l)
{
	fprintf(to, "%d\n", nr);
	for (int i = 0; i < nr; i++)
		fprintf(to, "\t%s %s %s %u %u %u %lx\n", l[i].name, l[i].system_name,
			l[i].file ? l[i].file : "?", l[i].line, l[i].column, l[i].start_line,
			(unsigned long)l[i].offset);
}

/* Returns all frames of every step'th byte, from first on, as text; the caller frees it. */
static char *frames_of_fd(int fd, const char *path, uint64_t first, uint64_t step)
{
	struct frame lines[MAX_LINES];
	off_t bytes = lseek(fd, 0, SEEK_END);
	struct symbolizer *s = symbolizer_open(fd, path);
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(s);
	fprintf(to, "%s\n", symbolizer_build_id(s));
	for (off_t at = first; at < bytes; at += step)
		print_lines(to, symbolizer_lookup(s, at, lines, MAX_LINES), lines);
	symbolizer_free(s);
	fclose(to);
	return text;
}

static char *frames_of(const char *path)
{
	return frames_of_fd(open(path, O_RDONLY | O_CLOEXEC), in_folder(path), 0, STEP_BYTES);
}

/* The result is that without a cache. Debug info was opened this many times. */
static void expect_run(const char *path, int opened)
{
	char *caches = strdup(getenv("XDG_CACHE_HOME")), *with, *without;

	nr_opened = 0;
	with = frames_of(path);
	assert_int_equal(nr_opened, opened);
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	without = frames_of(path);
	assert_int_equal(nr_opened, opened + 1);
	setenv("XDG_CACHE_HOME", caches, 1);
	assert_string_equal(with, without);
	free(caches);
	free(with);
	free(without);
}

static void expect_kept(const char *path)
{
	expect_run(path, 1);
	expect_run(path, 0);
}

static void expect_not_kept(const char *path)
{
	expect_run(path, 1);
	expect_run(path, 1);
	assert_true(nr_files(cache) <= 0);
}

static void second_run_opens_nothing(void **state)
{
	static const char *const names[] = {
		"chain", "chain.stripped", "chain.mini", "chain.gz", "shapes", "bare32",
	};
	const int nr = sizeof(names) / sizeof(*names);

	(void)state;
	for (int i = 0; i < nr; i++) {
		copy_fixture(names[i], names[i]);
		expect_kept(names[i]);
		assert_int_equal(nr_files(cache), i + 1);
	}
	for (int i = 0; i < nr; i++)
		expect_run(names[i], 0);
}

/* Only the folder of the path is used. Cache files belong to this user alone. */
static void files_are_private(void **state)
{
	struct stat st;

	(void)state;
	umask(0);
	expect_kept("chain");
	umask(022);
	assert_int_equal(stat(cache, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(stat(kept_file(), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

static void other_offsets_are_added(void **state)
{
	char *first, *second;

	(void)state;
	first = frames_of_fd(open("chain", O_RDONLY), NULL, 0, 7);
	second = frames_of_fd(open("chain", O_RDONLY), NULL, 3, 7);
	free(second);
	assert_int_equal(nr_opened, 2);
	second = frames_of_fd(open("chain", O_RDONLY), NULL, 0, 7);
	assert_string_equal(first, second);
	free(second);
	second = frames_of_fd(open("chain", O_RDONLY), NULL, 3, 7);
	free(second);
	free(first);
	assert_int_equal(nr_opened, 2);
}

/* An offset of the fixture where three functions are. */
static uint64_t find_chain(void)
{
	struct frame lines[MAX_LINES];
	struct symbolizer *s = symbolizer_open(open("chain", O_RDONLY), NULL);
	uint64_t at = 0;

	setenv("DEBUGINFOD_URLS", "", 1);
	while (symbolizer_lookup(s, at, lines, MAX_LINES) != 3)
		at++;
	symbolizer_free(s);
	empty_cache();
	return at;
}

static void expect_inner(uint64_t at, int max)
{
	struct frame *l = malloc(max * sizeof(*l));
	struct symbolizer *s = symbolizer_open(open("chain", O_RDONLY), NULL);

	assert_int_equal(symbolizer_lookup(s, at, l, max), max < 3 ? max : 3);
	assert_string_equal(l[0].name, "chain_inner");
	symbolizer_free(s);
	free(l);
}

/* An incomplete result is not cached. A cached result is limited like a new one. */
static void as_many_lines_as_asked_for(void **state)
{
	uint64_t at = find_chain();

	(void)state;
	for (int max = 1; max <= 3; max++) {
		expect_inner(at, max);
		assert_true(nr_files(cache) <= 0);
	}
	expect_inner(at, 4);
	assert_int_equal(nr_files(cache), 1);
	for (int max = 1; max <= 4; max++)
		expect_inner(at, max);
}

/* The probe stops before the symbol table. The look-up is kept nevertheless. */
static void a_probe_is_no_failure(void **state)
{
	uint64_t at = find_chain();
	struct frame lines[MAX_LINES];
	struct symbolizer *s = symbolizer_open(open("chain", O_RDONLY), NULL);
	struct code_span span;
	int nr = 0;

	(void)state;
	assert_int_equal(symbolizer_lookup(s, at, lines, MAX_LINES), 3);
	while (nr != -ENOENT)
		nr = symbolizer_probe(s, ++at, lines, MAX_LINES, &span);
	symbolizer_free(s);
	assert_int_equal(nr_files(cache), 1);
}

static void what_is_not_kept(void **state)
{
	char *text;

	(void)state;
	copy_fixture("chain.noid", "noid");
	expect_not_kept("noid");
	setenv("DEBUGINFOD_URLS", "file:///none", 1);
	expect_not_kept("chain");
	unsetenv("DEBUGINFOD_URLS");
	for (int i = 0; i < 2; i++) {
		int fd = open("chain", O_RDONLY), copy = memfd_create("chain", MFD_CLOEXEC);
		char bytes[4096];
		ssize_t nr;

		while ((nr = read(fd, bytes, sizeof(bytes))) > 0)
			assert_int_equal(write(copy, bytes, nr), nr);
		close(fd);
		text = frames_of_fd(copy, NULL, 0, STEP_BYTES);
		free(text);
	}
	assert_true(nr_files(cache) <= 0);
	assert_true(nr_opened >= 2);
	expect_kept("chain");
}

static void deleted_files_are_not_kept(void **state)
{
	int fd = open("chain", O_RDONLY);

	(void)state;
	assert_int_equal(unlink("chain"), 0);
	free(frames_of_fd(fd, NULL, 0, STEP_BYTES));
	assert_true(nr_files(cache) <= 0);
}

static void dwz_files_are_not_kept(void **state)
{
	(void)state;
	copy_fixture("dwz1", "dwz1");
	expect_not_kept("dwz1");
}

/* A .dwo file may change or appear. */
static void split_debug_info_is_not_kept(void **state)
{
	(void)state;
	copy_fixture("chain.split", "split");
	expect_not_kept("split");
}

/* A newer libelf may read it. */
static void unread_debug_info_is_not_kept(void **state)
{
	int fd;

	(void)state;
	copy_fixture("chain.zstd", "zstd");
	fd = open("zstd", O_RDONLY);
	if (debug_sections_are_unread(fd))
		expect_not_kept("zstd");
	else
		expect_kept("zstd");
	close(fd);
}

static void file_systems(void **state)
{
	static const long bad[] = {
		FUSE_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC, NFS_SUPER_MAGIC, SQUASHFS_MAGIC, 0,
	};
	static const long good[] = { TMPFS_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC };

	(void)state;
	is_elsewhere = true;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		fs_type = bad[i];
		expect_not_kept("chain");
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		fs_type = good[i];
		expect_kept("chain");
		fs_type = FUSE_SUPER_MAGIC;
		expect_run("chain", 1);
		empty_cache();
	}
}

/* A mount in this mount namespace is trusted, but not FUSE, which any user may mount. */
static void mounts(void **state)
{
	static const long good[] = { OVERLAYFS_SUPER_MAGIC, NFS_SUPER_MAGIC, SQUASHFS_MAGIC };

	(void)state;
	fs_type = FUSE_SUPER_MAGIC;
	expect_not_kept("chain");
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		fs_type = good[i];
		expect_kept("chain");
		is_elsewhere = true;
		expect_run("chain", 1);
		is_elsewhere = false;
		empty_cache();
	}
}

/* The times may be equal: a tool that packs an image sets those of its files. */
static void the_first_page_counts(void **state)
{
	const uint64_t before = id_of("chain")->head;
	int fd = open("chain", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(pwrite(fd, "changed", 7, 4096), 7);
	assert_int_equal(id_of("chain")->head, before);
	assert_int_equal(pwrite(fd, "changed", 7, 4096 - 7), 7);
	assert_int_not_equal(id_of("chain")->head, before);
	close(fd);
}

static void debug_file_on_fuse(void **state)
{
	(void)state;
	copy_fixture("linked/chain", "chain");
	copy_fixture("linked/chain.debug", "chain.debug");
	fuse_ino = id_of("chain.debug")->ino;
	expect_not_kept("chain");
	fuse_ino = 0;
	expect_kept("chain");
	fuse_ino = id_of("chain.debug")->ino;
	expect_run("chain", 1);
}

/* Writes through a mapping, or within one tick of the clock, may leave the ctime unchanged. */
static void lately_changed_files_are_not_kept(void **state)
{
	(void)state;
	clock_ahead = 0;
	assert_int_equal(chmod("chain", 0600), 0);
	expect_not_kept("chain");
	clock_ahead = -1000;
	expect_not_kept("chain");
	clock_ahead = 50;
	expect_not_kept("chain");
	clock_ahead = 100;
	expect_kept("chain");
}

static void lately_changed_debug_files_are_not_kept(void **state)
{
	struct stat chain, debug;

	(void)state;
	copy_fixture("linked/chain", "chain");
	assert_int_equal(stat("chain", &chain), 0);
	do {
		copy_fixture("linked/chain.debug", "chain.debug");
		assert_int_equal(stat("chain.debug", &debug), 0);
	} while (debug.st_ctim.tv_sec == chain.st_ctim.tv_sec);
	/* A file of this age is just not recent any more. */
	clock_stands = chain.st_ctim.tv_sec + 3;
	expect_not_kept("chain");
	clock_stands = 0;
	expect_kept("chain");
}

/* The frames of offsets with different needs, or NULL without memory. The caller frees them. */
static char *ask_few(uint64_t in_chain)
{
	const uint64_t offsets[] = { in_chain, in_chain + 1, 0, 1 << 30 };
	struct symbolizer *s = symbolizer_open(open("chain", O_RDONLY | O_CLOEXEC), NULL);
	struct frame l[MAX_LINES];
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	for (int i = 0; s && i < 4; i++)
		print_lines(to, symbolizer_lookup(s, offsets[i], l, MAX_LINES), l);
	symbolizer_free(s);
	fclose(to);
	return text;
}

/* Each allocation fails once. The cached symbols are correct after that. */
static void memory_errors_are_not_kept(void **state)
{
	uint64_t at = find_chain();
	char *right = ask_few(at), *text;
	bool was_reached = true;
	int nr_kept = 0;

	(void)state;
	for (int left = 0; was_reached; left++) {
		empty_cache();
		fails_once = true;
		allocations_left = left;
		text = ask_few(at);
		was_reached = allocations_left < 0;
		allocations_left = -1;
		free(text);
		nr_kept += nr_files(cache) > 0;
		text = ask_few(at);
		assert_string_equal(text, right);
		free(text);
	}
	assert_true(nr_kept > 1);
	free(right);
}

/* Changes that invalidate a cache file */

/* Only the name of a frame shows where it comes from. */
static struct symbol_cache_file_entry false_name(void)
{
	static const struct frame line = { .name = "false", .system_name = "false" };

	return (struct symbol_cache_file_entry){ 0, 1, &line };
}

static struct symbol_cache_file_origin read_origin(const char *path)
{
	struct symbol_cache_file *n = symbol_cache_read(id_of(path));
	struct symbol_cache_file_origin origin;

	assert_non_null(n);
	origin = *symbol_cache_file_origin(n);
	symbol_cache_file_free(n);
	return origin;
}

static void write_origin(const char *path, const struct symbol_cache_file_origin *origin)
{
	const struct symbol_cache_file_entry entry = false_name();
	size_t bytes;
	void *image;

	assert_int_equal(symbol_cache_file_make(origin, NULL, &entry, 1, &image, &bytes), 0);
	cache_dir_write_file(CACHE_DIR_NAMES, id_of(path), image, bytes);
	free(image);
}

/* Is the false name returned? */
static bool is_used(const char *path)
{
	struct symbolizer *s = symbolizer_open(open(path, O_RDONLY), in_folder(path));
	struct frame l[2];
	bool used = symbolizer_lookup(s, 0, l, 2) == 1 && !strcmp(l[0].name, "false");

	symbolizer_free(s);
	return used;
}

/* Each byte counts, the build identity included, but not the parts that are read from the file. */
static void another_origin_is_not_used(void **state)
{
	struct symbol_cache_file_origin right, wrong;

	(void)state;
	copy_fixture("linked/chain", "chain");
	copy_fixture("linked/chain.debug", "chain.debug");
	expect_kept("chain");
	right = read_origin("chain");
	assert_string_equal(right.link, "chain.debug");
	assert_int_equal(right.debug[1].err, 0);
	assert_int_equal(right.debug[1].id.ino, id_of("chain.debug")->ino);
	write_origin("chain", &right);
	assert_true(is_used("chain"));
	for (size_t i = 0; i < offsetof(struct symbol_cache_file_origin, build_id); i++) {
		wrong = right;
		((char *)&wrong)[i] ^= 1;
		write_origin("chain", &wrong);
		assert_false(is_used("chain"));
	}
	write_origin("chain", &right);
	assert_true(is_used("chain"));
}

static void void_entries_are_replaced(void **state)
{
	struct symbol_cache_file_origin origin;

	(void)state;
	expect_kept("chain");
	origin = read_origin("chain");
	origin.build_identity++;
	write_origin("chain", &origin);
	expect_kept("chain");
	assert_int_equal(nr_files(cache), 1);
}

static void changed_file_is_not_used(void **state)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_nsec = UTIME_OMIT } };
	struct stat st;

	(void)state;
	expect_kept("chain");
	assert_int_equal(chmod("chain", 0640), 0);
	expect_kept("chain");
	/* As tar and make do: the same times and size, with another content. */
	assert_int_equal(stat("chain", &st), 0);
	times[1] = st.st_mtim;
	assert_int_equal(utimensat(AT_FDCWD, "chain", times, 0), 0);
	expect_kept("chain");
}

static void debug_file_comes_and_goes(void **state)
{
	static const char *const paths[] = { "chain.debug", ".debug/chain.debug" };

	(void)state;
	copy_fixture("linked/chain", "chain");
	assert_int_equal(mkdir(".debug", 0755), 0);
	expect_kept("chain");
	for (int i = 0; i < 2; i++) {
		copy_fixture("linked/chain.debug", paths[i]);
		expect_kept("chain");
		assert_int_equal(chmod(paths[i], 0600), 0);
		expect_kept("chain");
		assert_int_equal(unlink(paths[i]), 0);
		expect_kept("chain");
	}
}

/* The reason why the file was not used is not known: perhaps there was no memory. */
static void wrong_debug_file(void **state)
{
	(void)state;
	copy_fixture("linked/chain", "chain");
	copy_fixture("chain.noid", "chain.debug");
	expect_not_kept("chain");
}

/* The folder */

static void expect_no_folder(void)
{
	nr_opened = 0;
	free(frames_of("chain"));
	free(frames_of("chain"));
	assert_int_equal(nr_opened, 2);
}

static void folder_of_others_is_not_used(void **state)
{
	(void)state;
	expect_kept("chain");
	assert_int_equal(chmod(cache, 0720), 0);
	expect_no_folder();
	assert_int_equal(chmod(cache, 0702), 0);
	expect_no_folder();
	assert_int_equal(chmod(cache, 0700), 0);
	expect_run("chain", 0);
	assert_int_equal(rename(cache, "caches/other"), 0);
	assert_int_equal(symlink("other", cache), 0);
	expect_no_folder();
	if (geteuid())
		return;
	assert_int_equal(unlink(cache), 0);
	assert_int_equal(rename("caches/other", cache), 0);
	assert_int_equal(chown(cache, 1, 0), 0);
	expect_no_folder();
}

/*
 * Root must not use a folder of a user. The user could not replace root's files there, and could
 * place them anywhere by a link.
 */
static void nothing_is_used_in_others_folders(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(chown("caches", 1, 0), 0);
	expect_no_folder();
	assert_int_equal(nr_files("caches"), 0);
	assert_int_equal(chown("caches", 0, 0), 0);
	expect_kept("chain");
	assert_int_equal(chown("caches", 1, 0), 0);
	expect_no_folder();
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", in_folder("caches"), 1);
	expect_no_folder();
	assert_int_equal(access("caches/.cache", F_OK), -1);
}

static void where_the_folder_is(void **state)
{
	struct stat st;

	(void)state;
	unsetenv("XDG_CACHE_HOME");
	assert_int_equal(mkdir("home", 0755), 0);
	setenv("HOME", in_folder("home"), 1);
	free(frames_of("chain"));
	assert_int_equal(nr_files("home/.cache/pprof-collect"), 1);
	assert_int_equal(stat("home/.cache", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	setenv("CACHE_DIRECTORY", in_folder("caches"), 1);
	free(frames_of("chain"));
	assert_int_equal(nr_files("caches"), 1);
	unsetenv("CACHE_DIRECTORY");
	setenv("HOME", "home", 1);
	expect_no_folder();
	unsetenv("HOME");
	expect_no_folder();
	setenv("HOME", "/proc", 1);
	expect_no_folder();
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	expect_no_folder();
}

static void file_of_others_is_not_used(void **state)
{
	char path[PATH_MAX];

	(void)state;
	expect_kept("chain");
	strcpy(path, kept_file());
	assert_int_equal(chmod(path, 0620), 0);
	expect_kept("chain");
	assert_int_equal(rename(path, "elsewhere"), 0);
	assert_int_equal(symlink(in_folder("elsewhere"), path), 0);
	expect_kept("chain");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	expect_kept("chain");
	if (geteuid())
		return;
	assert_int_equal(chown(path, 1, 0), 0);
	expect_kept("chain");
}

static void full_disk_leaves_nothing(void **state)
{
	struct rlimit limit, small;

	(void)state;
	disk_full = true;
	expect_not_kept("chain");
	disk_full = false;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = limit;
	small.rlim_cur = 100;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	expect_not_kept("chain");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	expect_kept("chain");
}

/* The content of a cache file */

static char *slurp_kept(size_t *bytes)
{
	FILE *f = fopen(kept_file(), "r");
	char *image;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*bytes = ftell(f);
	rewind(f);
	image = malloc(*bytes);
	assert_int_equal(fread(image, 1, *bytes, f), *bytes);
	fclose(f);
	return image;
}

static struct symbol_cache_file *parse_copy(const char *image, size_t bytes)
{
	char *copy = malloc(bytes ? bytes : 1);

	memcpy(copy, image, bytes);
	return symbol_cache_file_parse(copy, bytes);
}

static void make_small(void)
{
	free(frames_of_fd(open("chain", O_RDONLY), NULL, find_chain(), 1 << 20));
}

static void damaged_files_are_not_used(void **state)
{
	size_t bytes;
	char *image;

	(void)state;
	make_small();
	image = slurp_kept(&bytes);
	for (size_t i = 0; i < bytes; i++) {
		image[i] ^= 0x10;
		assert_null(parse_copy(image, bytes));
		image[i] ^= 0x10;
		assert_null(parse_copy(image, i));
	}
	symbol_cache_file_free(parse_copy(image, bytes));
	assert_int_equal(truncate(kept_file(), bytes - 1), 0);
	expect_kept("chain");
	free(image);
}

static struct symbol_cache_file *parse_hashed(char *image, size_t bytes)
{
	uint64_t hash = XXH3_64bits(image + ORIGIN_AT, bytes - ORIGIN_AT);

	memcpy(image + HASH_AT, &hash, sizeof(hash));
	return parse_copy(image, bytes);
}

/* A hostile file can have a correct hash. Its content must still stay inside of the file. */
static void read_all_of(const struct symbol_cache_file *n)
{
	const struct symbol_cache_file_origin *origin = symbol_cache_file_origin(n);
	size_t nr = strlen(origin->build_id) + strlen(origin->link);

	for (uint64_t at = 0; at < 20000; at++) {
		const struct symbol_cache_file_entry *e = symbol_cache_file_find(n, at);

		for (uint32_t i = 0; e && i < e->nr; i++)
			nr += strlen(e->frames[i].name) + strlen(e->frames[i].system_name) +
			      (e->frames[i].file ? strlen(e->frames[i].file) : 0);
	}
	assert_true(nr < 1 << 20);
}

static void hostile_files_do_no_harm(void **state)
{
	uint32_t words[] = { 0, 1, 2, 7, 0x7fffffff, 0x80000000, UINT32_MAX, 0 }, was;
	struct symbol_cache_file *n;
	size_t bytes;
	char *image;

	(void)state;
	make_small();
	image = slurp_kept(&bytes);
	memcpy(&words[7], image + STRINGS_BYTES_AT, 4);
	for (size_t i = ORIGIN_AT; i + 4 <= bytes; i += i < bytes / 2 ? 4 : 1)
		for (size_t w = 0; w < sizeof(words) / sizeof(*words); w++) {
			memcpy(&was, image + i, 4);
			memcpy(image + i, &words[w], 4);
			n = parse_hashed(image, bytes);
			if (n)
				read_all_of(n);
			symbol_cache_file_free(n);
			memcpy(image + i, &was, 4);
		}
	free(image);
}

/* Two entries; the first one has the only frame. */
static char *make_two(size_t *bytes)
{
	const struct symbol_cache_file_origin origin = { 0 };
	struct symbol_cache_file_entry entries[] = { false_name(), { 1, 0, NULL } };
	void *image;

	assert_int_equal(symbol_cache_file_make(&origin, NULL, entries, 2, &image, bytes), 0);
	return image;
}

static void expect_refused(size_t at, const void *change, size_t size)
{
	size_t bytes;
	char *image = make_two(&bytes);

	symbol_cache_file_free(parse_hashed(image, bytes));
	memcpy(image + at, change, size);
	assert_null(parse_hashed(image, bytes));
	free(image);
}

static void contradictions_are_refused(void **state)
{
	const uint64_t backwards[] = { 1, 1, 0, 0 }, twice[] = { 1, 1, 1, 0 };
	const uint64_t too_many[] = { 0, UINT32_MAX, 1, 2 }, none[] = { 0, 0, 1, 0 };
	char endless[NAME_MAX + 1];

	(void)state;
	memset(endless, 'a', sizeof(endless));
	expect_refused(ENTRIES_AT, backwards, sizeof(backwards));
	expect_refused(ENTRIES_AT, twice, sizeof(twice));
	expect_refused(ENTRIES_AT, too_many, sizeof(too_many));
	expect_refused(ENTRIES_AT, none, sizeof(none));
	expect_refused(ORIGIN_AT + offsetof(struct symbol_cache_file_origin, build_id), endless,
		       BUILD_ID_HEX_SIZE);
	expect_refused(ORIGIN_AT + offsetof(struct symbol_cache_file_origin, link), endless,
		       sizeof(endless));
}

/* Each library of elfutils has a part in the result. */
static void another_library_is_another_maker(void **state)
{
	const uint64_t before = build_identity();
	void *library;

	(void)state;
	assert_true(before == build_identity());
	library = dlopen("libanl.so.1", RTLD_NOW);
	assert_non_null(library);
	assert_true(before != build_identity());
	dlclose(library);
	assert_true(before == build_identity());
}

/* If all strings together are too long, the new ones stay. */
static void old_names_make_room(void **state)
{
	size_t half = SYMBOL_CACHE_FILE_MAX_BYTES / 2, bytes;
	char *name = malloc(half + 1), *other = malloc(half + 1);
	struct frame lines[3] = { { .name = name, .system_name = name },
				     { .name = other, .system_name = other },
				     { .name = "x", .system_name = "x" } };
	const struct symbol_cache_file_entry entries[] = { { 1, 1, &lines[0] }, { 2, 1, &lines[1] },
						  { 3, 1, &lines[2] } };
	const struct symbol_cache_file_origin origin = { 0 };
	struct symbol_cache_file *n, *all;
	void *image;

	(void)state;
	memset(name, 'n', half);
	memset(other, 'o', half);
	name[half] = '\0';
	other[half] = '\0';
	assert_int_equal(symbol_cache_file_make(&origin, NULL, entries, 2, &image, &bytes), -EFBIG);
	assert_int_equal(symbol_cache_file_make(&origin, NULL, entries, 1, &image, &bytes), 0);
	n = symbol_cache_file_parse(image, bytes);
	assert_int_equal(symbol_cache_file_make(&origin, n, &entries[2], 1, &image, &bytes), 0);
	all = symbol_cache_file_parse(image, bytes);
	assert_non_null(symbol_cache_file_find(all, 1));
	assert_non_null(symbol_cache_file_find(all, 3));
	symbol_cache_file_free(all);
	assert_int_equal(symbol_cache_file_make(&origin, n, &entries[1], 1, &image, &bytes), 0);
	all = symbol_cache_file_parse(image, bytes);
	assert_null(symbol_cache_file_find(all, 1));
	assert_non_null(symbol_cache_file_find(all, 2));
	symbol_cache_file_free(all);
	symbol_cache_file_free(n);
	free(name);
	free(other);
}

/* One offset twice, and offsets that are not sorted. */
static void entries_in_any_order(void **state)
{
	const struct frame line = { .name = "x", .system_name = "x" };
	const struct symbol_cache_file_entry entries[] = {
		{ 9, 1, &line }, { 4, 0, NULL }, { 9, 1, &line },
	};
	const struct symbol_cache_file_origin origin = { 0 };
	struct symbol_cache_file *n;
	size_t bytes;
	void *image;

	(void)state;
	assert_int_equal(symbol_cache_file_make(&origin, NULL, entries, 3, &image, &bytes), 0);
	n = symbol_cache_file_parse(image, bytes);
	assert_non_null(n);
	assert_int_equal(symbol_cache_file_find(n, 9)->nr, 1);
	assert_int_equal(symbol_cache_file_find(n, 4)->nr, 0);
	assert_null(symbol_cache_file_find(n, 5));
	symbol_cache_file_free(n);
}

/* Many files, and many runs at once */

static void write_under(uint64_t ino, uint64_t build_identity)
{
	const struct symbol_cache_file_entry entry = false_name();
	const struct symbol_cache_file_origin origin = { .build_identity = build_identity };
	const struct file_identity id = { .ino = ino };
	size_t bytes;
	void *image;

	assert_int_equal(symbol_cache_file_make(&origin, NULL, &entry, 1, &image, &bytes), 0);
	cache_dir_write_file(CACHE_DIR_NAMES, &id, image, bytes);
	free(image);
}

static bool is_there(uint64_t ino)
{
	const struct file_identity id = { .ino = ino };
	struct symbol_cache_file *n = symbol_cache_read(&id);

	symbol_cache_file_free(n);
	return n;
}

static void make_old(uint64_t ino, int days)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
				     { .tv_sec = time(NULL) - days * 24L * 60 * 60 } };
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/0-%lx.names", cache, (unsigned long)ino);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void unused_files_go(void **state)
{
	FILE *f;

	(void)state;
	for (uint64_t ino = 1; ino <= CACHE_DIR_MAX_FILES; ino++)
		write_under(ino, 1);
	assert_int_equal(nr_files(cache), CACHE_DIR_MAX_FILES);
	f = fopen("caches/pprof-collect/not-ours", "w");
	fclose(f);
	make_old(7, 30);
	make_old(8, 20);
	make_old(9, 10);
	assert_true(is_there(8));
	/* To replace a file needs no room. */
	write_under(1, 2);
	assert_int_equal(nr_files(cache), CACHE_DIR_MAX_FILES + 1);
	write_under(1000, 1);
	write_under(1001, 1);
	assert_int_equal(nr_files(cache), CACHE_DIR_MAX_FILES + 1);
	assert_false(is_there(7));
	assert_true(is_there(8));
	assert_false(is_there(9));
	assert_true(is_there(1000) && is_there(1001));
}

static bool has_table(uint64_t ino)
{
	const struct file_identity id = { .ino = ino };
	int fd = cache_dir_open_file(CACHE_DIR_TABLES, &id);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Each kind has its own file of an identity, and its own limits. */
static void kinds_are_apart(void **state)
{
	const struct file_identity ids[] = { { .ino = 1 }, { .ino = 2 } };

	(void)state;
	for (uint64_t ino = 1; ino <= CACHE_DIR_MAX_FILES; ino++)
		write_under(ino, 1);
	assert_false(has_table(1));
	cache_dir_write_file(CACHE_DIR_TABLES, &ids[0], "table", 5);
	cache_dir_write_file(CACHE_DIR_TABLES, &ids[1], "table", 5);
	assert_int_equal(nr_files(cache), CACHE_DIR_MAX_FILES + 2);
	assert_true(has_table(1) && has_table(2) && !has_table(3));
	assert_true(is_there(1) && is_there(2));
	write_under(1000, 1);
	assert_int_equal(nr_files(cache), CACHE_DIR_MAX_FILES + 2);
	assert_true(has_table(1) && has_table(2));
}

static void write_in_child(uint64_t ino)
{
	pid_t pid = fork();

	if (!pid) {
		write_under(ino, 2);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Others fill the folder after this process has counted its files. */
static bool is_over_until_count(void)
{
	uint64_t ino = 1;

	write_under(ino++, 1);
	while (ino <= CACHE_DIR_MAX_FILES)
		write_in_child(ino++);
	for (int i = 1; i < CACHE_DIR_MAX_UNCOUNTED; i++)
		write_under(ino++, 1);
	if (nr_files(cache) != CACHE_DIR_MAX_FILES + CACHE_DIR_MAX_UNCOUNTED - 1)
		return false;
	write_under(ino, 1);
	return nr_files(cache) == CACHE_DIR_MAX_FILES;
}

/* Files of other processes are counted, if not at once. The child has counted none yet. */
static void files_of_others(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid)
		_exit(is_over_until_count() ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Also with few files. */
static void unused_bytes_go(void **state)
{
	const uint64_t third = CACHE_DIR_MAX_BYTES / 3;
	char path[PATH_MAX];

	(void)state;
	for (uint64_t ino = 1; ino <= 4; ino++)
		write_under(ino, 1);
	for (uint64_t ino = 1; ino <= 3; ino++) {
		snprintf(path, sizeof(path), "%s/0-%lx.names", cache, (unsigned long)ino);
		assert_int_equal(truncate(path, third), 0);
		make_old(ino, ino == 2 ? 30 : 10);
	}
	write_in_child(4);
	assert_int_equal(nr_files(cache), 3);
	snprintf(path, sizeof(path), "%s/0-2.names", cache);
	assert_int_equal(access(path, F_OK), -1);
	assert_true(is_there(4));
}

/* Each run always sees a complete file, of one writer or the other. */
static void two_writers(void **state)
{
	pid_t children[2];
	int status;

	(void)state;
	write_under(1, 1);
	for (int i = 0; i < 2; i++) {
		children[i] = fork();
		if (children[i])
			continue;
		for (int turn = 0; turn < 300; turn++)
			write_under(1, i);
		_exit(0);
	}
	for (int turn = 0; turn < 300; turn++)
		assert_true(is_there(1));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(nr_files(cache), 1);
}

#define IN_FOLDER(test)	cmocka_unit_test_setup_teardown(test, setup, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(second_run_opens_nothing),
		IN_FOLDER(files_are_private),
		IN_FOLDER(other_offsets_are_added),
		IN_FOLDER(as_many_lines_as_asked_for),
		IN_FOLDER(a_probe_is_no_failure),
		IN_FOLDER(what_is_not_kept),
		IN_FOLDER(deleted_files_are_not_kept),
		IN_FOLDER(dwz_files_are_not_kept),
		IN_FOLDER(split_debug_info_is_not_kept),
		IN_FOLDER(unread_debug_info_is_not_kept),
		IN_FOLDER(file_systems),
		IN_FOLDER(mounts),
		IN_FOLDER(the_first_page_counts),
		IN_FOLDER(debug_file_on_fuse),
		IN_FOLDER(lately_changed_files_are_not_kept),
		IN_FOLDER(lately_changed_debug_files_are_not_kept),
		IN_FOLDER(memory_errors_are_not_kept),
		IN_FOLDER(another_origin_is_not_used),
		IN_FOLDER(void_entries_are_replaced),
		IN_FOLDER(changed_file_is_not_used),
		IN_FOLDER(debug_file_comes_and_goes),
		IN_FOLDER(wrong_debug_file),
		IN_FOLDER(folder_of_others_is_not_used),
		IN_FOLDER(nothing_is_used_in_others_folders),
		IN_FOLDER(where_the_folder_is),
		IN_FOLDER(file_of_others_is_not_used),
		IN_FOLDER(full_disk_leaves_nothing),
		IN_FOLDER(damaged_files_are_not_used),
		IN_FOLDER(hostile_files_do_no_harm),
		IN_FOLDER(contradictions_are_refused),
		IN_FOLDER(another_library_is_another_maker),
		IN_FOLDER(old_names_make_room),
		IN_FOLDER(files_of_others),
		IN_FOLDER(entries_in_any_order),
		IN_FOLDER(unused_files_go),
		IN_FOLDER(kinds_are_apart),
		IN_FOLDER(unused_bytes_go),
		IN_FOLDER(two_writers),
	};

	int nr_failed;

	fixtures = realpath(getenv("FIXTURES"), NULL);
	assert_non_null(fixtures);
	nr_failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(fixtures);
	return nr_failed;
}
