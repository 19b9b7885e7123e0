// SPDX-License-Identifier: GPL-2.0
// sources: collector/session/table_cache.c collector/session/unwind_tables.c
// sources: collector/symbol/cache_dir.c collector/symbol/cache_file.c
// sources: collector/symbol/file_identity.c collector/symbol/build_identity.c
// sources: collector/elf/build_id.c collector/elf/validate.c collector/base/regular_file.c
// sources: collector/base/string_table.c collector/base/capabilities.c
// sources: collector/process/syscall_filter.c
// libs: -lelf -lz -llzma -lxxhash -pthread -Wl,--wrap=fstatfs,--wrap=clock_gettime
// libs: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
/*
 * The cache of unwind tables from one run to the next. The compiler and the module are the test's:
 * the table of a file is a copy of the file. The thread that compiles is real, with its filter of
 * system calls. The environment variable FIXTURES names the folder that fixtures/build made.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <xxhash.h>

#include "device/device.h"
#include "fail_alloc.h"
#include "folder.h"
#include "process/mapped_files.h"
#include "session/table_cache.h"
#include "session/unwind_tables.h"
#include "symbol/build_identity.h"
#include "symbol/cache_dir.h"
#include "unwind/compile.h"
#include "pprof_table.h"

/* Offsets in an image: the hash covers all from the origin on. */
#define HASH_AT		8
#define ORIGIN_AT	16
#define TABLE_AT	(ORIGIN_AT + sizeof(struct table_cache_origin))

static const char cache[] = "caches/pprof-collect";

static long fs_type;
static long clock_ahead;	/* seconds, so that the files of the test are not recent */
static int nr_compiled;
static int compile_result;
static struct cfi uploaded;	/* the last table that the module got */
static int wanted_fd;		/* of the only mapped file */

int __real_fstatfs(int fd, struct statfs *fs);
int __wrap_fstatfs(int fd, struct statfs *fs);
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_fstatfs(int fd, struct statfs *fs)
{
	int ret = __real_fstatfs(fd, fs);

	fs->f_type = fs_type;
	return ret;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	int ret = __real_clock_gettime(clock, now);

	now->tv_sec += clock_ahead;
	return ret;
}

static void read_whole(int fd, struct cfi *out)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	*out = (struct cfi){ .table = malloc(st.st_size + 1), .bytes = st.st_size };
	assert_int_equal(pread(fd, out->table, out->bytes, 0), out->bytes);
}

int cfi_compile(int fd, struct cfi *out)
{
	nr_compiled++;
	if (!compile_result)
		read_whole(fd, out);
	return compile_result;
}

void cfi_fini(struct cfi *c)
{
	free(c->table);
}

int mapped_files_open(const struct mapped_files *files, uint32_t file)
{
	(void)files;
	(void)file;
	return dup(wanted_fd);
}

uint32_t mapped_files_first(const struct mapped_files *files, uint32_t file)
{
	(void)files;
	return file;
}

const char *mapped_files_path(const struct mapped_files *files, uint32_t file)
{
	(void)files;
	(void)file;
	return "/lib.so";
}

int device_add_table(struct device *d, const void *table, uint32_t bytes, uint32_t *number)
{
	(void)d;
	uploaded = (struct cfi){ .table = malloc(bytes), .bytes = bytes };
	memcpy(uploaded.table, table, bytes);
	*number = 1;
	return 0;
}

int device_drop_table(struct device *d, uint32_t number)
{
	(void)d;
	(void)number;
	return 0;
}

int device_bind_table(struct device *d, uint32_t number, int fd, const struct timespec *ctime)
{
	(void)d;
	(void)number;
	(void)fd;
	(void)ctime;
	return 0;
}

/* Files */

static void copy_fixture(const char *name)
{
	char path[PATH_MAX], bytes[4096];
	FILE *in, *out = fopen(name, "w");
	size_t nr;

	snprintf(path, sizeof(path), "%s/%s", getenv("FIXTURES_AT"), name);
	in = fopen(path, "r");
	assert_non_null(in);
	assert_non_null(out);
	while ((nr = fread(bytes, 1, sizeof(bytes), in)))
		assert_int_equal(fwrite(bytes, 1, nr, out), nr);
	fclose(in);
	assert_int_equal(fclose(out), 0);
}

static int nr_kept(void)
{
	DIR *dir = opendir(cache);
	struct dirent *entry;
	int nr = 0;

	while (dir && (entry = readdir(dir)))
		nr += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return nr;
}

/* Returns the path of the only cache file. */
static const char *kept_file(void)
{
	static char path[PATH_MAX];
	DIR *dir = opendir(cache);
	struct dirent *entry;

	assert_int_equal(nr_kept(), 1);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			snprintf(path, sizeof(path), "%s/%s", cache, entry->d_name);
	closedir(dir);
	return path;
}

static int setup(void **state)
{
	if (enter_folder(state) || mkdir("caches", 0755))
		return -1;
	setenv("XDG_CACHE_HOME", in_folder("caches"), 1);
	unsetenv("CACHE_DIRECTORY");
	fs_type = EXT4_SUPER_MAGIC;
	clock_ahead = 100;
	compile_result = 0;
	copy_fixture("chain");
	return 0;
}

/* Runs */

/* Is the table that the module got the one of the file? */
static void expect_uploaded(void)
{
	struct cfi right;

	read_whole(wanted_fd, &right);
	assert_int_equal(uploaded.bytes, right.bytes);
	assert_memory_equal(uploaded.table, right.table, right.bytes);
	cfi_fini(&right);
	cfi_fini(&uploaded);
}

/* A run on an open file. Returns how many files were compiled. */
static int run_fd(int fd)
{
	struct unwind_tables *t = unwind_tables_new(NULL);
	struct new_tables new;
	uint32_t number;

	wanted_fd = fd;
	nr_compiled = 0;
	assert_non_null(t);
	assert_int_equal(unwind_tables_find(t, NULL, 0, &number), -EAGAIN);
	unwind_tables_wait(t);
	assert_int_equal(unwind_tables_find(t, NULL, 0, &number), 0);
	assert_int_equal(number, !compile_result);
	if (number)
		expect_uploaded();
	new = unwind_tables_take_new(t);
	assert_true((int)new.nr <= nr_compiled);
	new_tables_write(&new);
	new_tables_fini(&new);
	unwind_tables_free(t);
	return nr_compiled;
}

static int run(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), nr = run_fd(fd);

	close(fd);
	return nr;
}

static void expect_kept(const char *path)
{
	assert_int_equal(run(path), 1);
	assert_int_equal(run(path), 0);
}

static void expect_not_kept(const char *path)
{
	assert_int_equal(run(path), 1);
	assert_int_equal(run(path), 1);
}

static void second_run_compiles_nothing(void **state)
{
	static const char *const names[] = { "chain", "chain.stripped", "chain.gz", "shapes" };
	struct stat st;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		copy_fixture(names[i]);
		expect_kept(names[i]);
		assert_int_equal(nr_kept(), i + 1);
	}
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(run(names[i]), 0);
	for (size_t i = 1; i < 4; i++)
		assert_int_equal(unlink(names[i]), 0);
	assert_int_equal(stat(cache, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
}

static void what_is_not_kept(void **state)
{
	int fd;

	(void)state;
	copy_fixture("chain.noid");
	expect_not_kept("chain.noid");
	fs_type = FUSE_SUPER_MAGIC;
	expect_not_kept("chain");
	fs_type = EXT4_SUPER_MAGIC;
	fd = open("chain", O_RDONLY | O_CLOEXEC);
	assert_int_equal(unlink("chain"), 0);
	assert_int_equal(run_fd(fd), 1);
	assert_int_equal(run_fd(fd), 1);
	close(fd);
	compile_result = -ENODATA;
	copy_fixture("shapes");
	expect_not_kept("shapes");
	assert_int_equal(nr_kept(), 0);
}

/* A write through a mapping may leave the ctime unchanged. */
static void lately_changed_files_are_not_kept(void **state)
{
	static const long recent[] = { 0, -1000, 50 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		clock_ahead = recent[i];
		expect_not_kept("chain");
	}
	assert_int_equal(nr_kept(), 0);
	clock_ahead = 100;
	expect_kept("chain");
}

/* The new content has the same size and mtime. */
static void changed_file_is_compiled(void **state)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_nsec = UTIME_OMIT } };
	struct stat st;
	int fd;

	(void)state;
	expect_kept("chain");
	assert_int_equal(stat("chain", &st), 0);
	fd = open("chain", O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, "changed", 7, st.st_size - 7), 7);
	close(fd);
	times[1] = st.st_mtim;
	assert_int_equal(utimensat(AT_FDCWD, "chain", times, 0), 0);
	expect_kept("chain");
	assert_int_equal(nr_kept(), 1);
}

/* Fills f and st for the file chain. */
static void find_chain(struct table_cache_file *f, struct stat *st)
{
	int fd = open("chain", O_RDONLY | O_CLOEXEC);

	assert_int_equal(fstat(fd, st), 0);
	table_cache_find(fd, f);
	close(fd);
}

/* The thread has another state of the file before it than the main thread had. */
static void change_before_the_table_is_read(void **state)
{
	struct table_cache_file f;
	struct stat st, other;
	struct cfi cfi;

	(void)state;
	expect_kept("chain");
	find_chain(&f, &st);
	assert_true(f.fd >= 0);
	assert_int_equal(f.origin.build_identity, build_identity());
	assert_true(table_cache_read(&f, &st, &cfi));
	cfi_fini(&cfi);
	other = st;
	other.st_ctim.tv_nsec++;
	assert_false(table_cache_read(&f, &other, &cfi));
	other = st;
	other.st_ctim.tv_sec++;
	assert_false(table_cache_read(&f, &other, &cfi));
	other = st;
	other.st_size++;
	assert_false(table_cache_read(&f, &other, &cfi));
	close(f.fd);
}

/* All files of a large process are queued at once. */
static void descriptors_are_left_for_files(void **state)
{
	struct rlimit limit, small;
	struct table_cache_file f;
	struct stat st;
	int first, last;

	(void)state;
	expect_kept("chain");
	first = open("chain", O_RDONLY | O_CLOEXEC);
	last = fcntl(first, F_DUPFD_CLOEXEC, 100);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	small = (struct rlimit){ .rlim_cur = 2 * last, .rlim_max = limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
	find_chain(&f, &st);
	assert_true(f.fd >= 0);
	close(f.fd);
	for (int fd = first; fd < last - 1; fd = dup(first))
		;
	find_chain(&f, &st);
	assert_true(f.is_cacheable && f.fd < 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (int fd = first; fd <= last; fd++)
		close(fd);
	assert_int_equal(run("chain"), 0);
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
	assert_int_equal(chown(cache, 1, 0), 0);
	expect_not_kept("chain");
}

/* Changes of a cache file */

static uint8_t *slurp_kept(size_t *bytes)
{
	struct cfi whole;
	int fd = open(kept_file(), O_RDONLY | O_CLOEXEC);

	read_whole(fd, &whole);
	close(fd);
	*bytes = whole.bytes;
	return whole.table;
}

static void put_kept(const void *image, size_t bytes)
{
	int fd = open(kept_file(), O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_int_equal(write(fd, image, bytes), bytes);
	close(fd);
}

/* A cache file that is not valid is replaced. */
static void expect_replaced(const void *image, size_t bytes)
{
	put_kept(image, bytes);
	expect_kept("chain");
}

static bool is_read(void)
{
	struct table_cache_file f;
	struct stat st;
	struct cfi cfi;
	bool is_valid;

	find_chain(&f, &st);
	is_valid = table_cache_read(&f, &st, &cfi);
	close(f.fd);
	if (is_valid)
		cfi_fini(&cfi);
	return is_valid;
}

static void damaged_files_are_replaced(void **state)
{
	size_t bytes;
	uint8_t *image;

	(void)state;
	expect_kept("chain");
	image = slurp_kept(&bytes);
	for (size_t i = 0; i < bytes; i += i < TABLE_AT + 8 ? 1 : 101) {
		image[i] ^= 0x10;
		put_kept(image, bytes);
		assert_false(is_read());
		image[i] ^= 0x10;
		put_kept(image, i);
		assert_false(is_read());
	}
	image[bytes] = 0;
	put_kept(image, bytes + 1);
	assert_false(is_read());
	put_kept(image, bytes);
	assert_true(is_read());
	expect_replaced(image, bytes - 1);
	expect_replaced(image, TABLE_AT);
	expect_replaced(image, 0);
	image[bytes - 1] ^= 1;
	expect_replaced(image, bytes);
	free(image);
}

static void put_hash(uint8_t *image, size_t bytes)
{
	uint64_t hash = XXH3_64bits(image + ORIGIN_AT, bytes - ORIGIN_AT);

	memcpy(image + HASH_AT, &hash, sizeof(hash));
}

/* Each byte counts: the build of the collector, and all of the file's identity. */
static void another_origin_is_not_used(void **state)
{
	size_t bytes;
	uint8_t *image;

	(void)state;
	expect_kept("chain");
	image = slurp_kept(&bytes);
	for (size_t i = ORIGIN_AT; i < TABLE_AT; i++) {
		image[i] ^= 1;
		put_hash(image, bytes);
		put_kept(image, bytes);
		assert_false(is_read());
		image[i] ^= 1;
	}
	image[ORIGIN_AT] ^= 1;
	put_hash(image, bytes);
	expect_replaced(image, bytes);
	image[ORIGIN_AT] ^= 1;
	put_hash(image, bytes);
	image[0] ^= 1;	/* another format */
	expect_replaced(image, bytes);
	free(image);
}

/* No table is larger, so no such file is read into memory. */
static void too_large_files_are_not_read(void **state)
{
	(void)state;
	expect_kept("chain");
	assert_int_equal(truncate(kept_file(), TABLE_AT + PPROF_TABLE_MAX_BYTES + 1L), 0);
	fails_once = true;
	allocations_left = 0;
	assert_false(is_read());
	assert_int_equal(allocations_left, 0);	/* an allocation would have failed */
	allocations_left = -1;
	fails_once = false;
	expect_kept("chain");
}

static void without_memory(void **state)
{
	struct new_tables list = { 0 };
	struct table_cache_file f;
	struct new_table new;
	struct stat st;
	struct cfi cfi;
	int fd;

	(void)state;
	expect_kept("chain");
	allocations_left = 0;
	assert_false(is_read());
	allocations_left = -1;
	find_chain(&f, &st);
	fd = open("chain", O_RDONLY | O_CLOEXEC);
	read_whole(fd, &cfi);
	assert_true(new_table_make(&f, fd, &cfi, &new));
	allocations_left = 0;
	new_tables_add(&list, &new);
	assert_int_equal(list.nr, 0);
	assert_false(new_table_make(&f, fd, &cfi, &new));
	allocations_left = -1;
	cfi_fini(&cfi);
	close(fd);
	close(f.fd);
}

/* A list that has 64 MiB gets no more. */
static void lists_have_a_limit(void **state)
{
	struct new_table new = { .bytes = 40 << 20 };
	struct new_tables list = { 0 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		new.image = malloc(1);
		new_tables_add(&list, &new);
	}
	assert_int_equal(list.nr, 2);
	new_tables_fini(&list);
}

#define IN_FOLDER(test)	cmocka_unit_test_setup_teardown(test, setup, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(second_run_compiles_nothing),
		IN_FOLDER(what_is_not_kept),
		IN_FOLDER(lately_changed_files_are_not_kept),
		IN_FOLDER(changed_file_is_compiled),
		IN_FOLDER(change_before_the_table_is_read),
		IN_FOLDER(descriptors_are_left_for_files),
		IN_FOLDER(file_of_others_is_not_used),
		IN_FOLDER(damaged_files_are_replaced),
		IN_FOLDER(another_origin_is_not_used),
		IN_FOLDER(too_large_files_are_not_read),
		IN_FOLDER(without_memory),
		IN_FOLDER(lists_have_a_limit),
	};
	char *fixtures = realpath(getenv("FIXTURES"), NULL);

	assert_non_null(fixtures);
	setenv("FIXTURES_AT", fixtures, 1);
	free(fixtures);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
