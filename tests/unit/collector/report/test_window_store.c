// SPDX-License-Identifier: GPL-2.0
// sources: collector/report/window_store.c collector/report/output_files.c
// sources: collector/pprof/gzip_file.c collector/aggregate/profile_types.c
// libs: -lz -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "capture.h"
#include "fail_alloc.h"
#include "folder.h"
#include "pprof/gzip_file.h"
#include "report/window_store.h"

#define S		INT64_C(1000000000)
#define NOON		(INT64_C(1795867200) * S)	/* 2026-11-28T12:00:00Z */

static int setup(void **state)
{
	(void)state;
	return mkdir("w", 0700);
}

static int teardown(void **state)
{
	(void)state;
	return nftw("w", remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static struct window_store *open_store(struct window_limits limits)
{
	struct window_store *s = window_store_open("w", &limits);

	assert_non_null(s);
	return s;
}

static int visible(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

/* Checks the names in the folder, in their order, with a blank behind each. */
static void assert_left(const char *want)
{
	struct dirent **entries;
	char names[1024] = "";
	int nr = scandir("w", &entries, visible, alphasort);

	assert_true(nr >= 0);
	for (int i = 0; i < nr; i++) {
		strcat(strcat(names, entries[i]->d_name), " ");
		free(entries[i]);
	}
	free(entries);
	assert_string_equal(names, want);
}

static void put(struct window_store *s, int64_t time_ns, const char *comm, size_t bytes)
{
	char *path = window_store_path(s, time_ns, comm, 7, "cpu");

	write_file(path, "");
	assert_int_equal(truncate(path, bytes), 0);
	assert_int_equal(window_store_add(s, path), 0);
	free(path);
}

static void test_paths(void **state)
{
	struct window_store *s = open_store((struct window_limits){ 0 });
	char *path = window_store_path(s, NOON + S - 1, "a b/c", 12, "my.conns");

	(void)state;
	assert_string_equal(path, "w/20261128T120000Z.a_b_c.12.my_conns.pb.gz");
	free(path);
	path = window_store_path(s, NOON, NULL, 0, "wall");
	assert_string_equal(path, "w/20261128T120000Z.all.wall.pb.gz");
	assert_int_equal(window_store_add(s, "w/20261128T120000.all.wall.pb.gz"), -EINVAL);
	assert_int_equal(window_store_add(s, "w/20261128T120000Z.all.wall.txt"), -EINVAL);
	assert_int_equal(window_store_add(s, "w/20261128T1200x0Z.all.wall.pb.gz"), -EINVAL);
	assert_int_equal(window_store_add(s, "w/20261128T120000Z.pb.gz"), -EINVAL);
	assert_int_equal(window_store_add(s, "x/20261128T120000Z.a.pb.gz"), -EINVAL);
	assert_int_equal(window_store_add(s, "w/20261128T120000Z.a/b.pb.gz"), -EINVAL);
	assert_int_equal(window_store_add(s, "w"), -EINVAL);
	assert_int_equal(window_store_sync(s), 0);
	free(path);
	window_store_free(s);
	window_store_free(NULL);
	assert_left("");
}

/* Files of a window go together. A limit of 0 is none. */
static void test_number(void **state)
{
	struct window_store *s = open_store((struct window_limits){ .windows = 2 });

	(void)state;
	put(s, NOON, "a", 1);
	put(s, NOON, "b", 1);
	put(s, NOON + 10 * S, "a", 1);
	window_store_trim(s, NOON);
	put(s, NOON + 20 * S, "a", 1);
	put(s, NOON + 20 * S, "b", 1);
	window_store_trim(s, NOON);
	assert_left("20261128T120010Z.a.7.cpu.pb.gz 20261128T120020Z.a.7.cpu.pb.gz "
		    "20261128T120020Z.b.7.cpu.pb.gz ");
	for (int i = 3; i < 100; i++) {
		put(s, NOON + i * 10 * S, "a", 1);
		window_store_trim(s, NOON);
	}
	assert_left("20261128T121620Z.a.7.cpu.pb.gz 20261128T121630Z.a.7.cpu.pb.gz ");
	window_store_free(s);
}

/* A file takes whole blocks. The newest window stays, however large it is. */
static void test_bytes(void **state)
{
	struct window_store *s = open_store((struct window_limits){ .bytes = 3 * 4096 });

	(void)state;
	put(s, NOON, "a", 1);
	put(s, NOON + S, "a", 4096);
	put(s, NOON + 2 * S, "a", 4096);
	window_store_trim(s, NOON);
	assert_left("20261128T120000Z.a.7.cpu.pb.gz 20261128T120001Z.a.7.cpu.pb.gz "
		    "20261128T120002Z.a.7.cpu.pb.gz ");
	put(s, NOON + 3 * S, "a", 4097);
	window_store_trim(s, NOON);
	assert_left("20261128T120002Z.a.7.cpu.pb.gz 20261128T120003Z.a.7.cpu.pb.gz ");
	put(s, NOON + 4 * S, "a", 100000);
	window_store_trim(s, NOON);
	assert_left("20261128T120004Z.a.7.cpu.pb.gz ");
	window_store_free(s);
}

/* A window of the future is not too old. */
static void test_age(void **state)
{
	struct window_store *s = open_store((struct window_limits){ .seconds = 60 });

	(void)state;
	put(s, NOON, "a", 1);
	put(s, NOON + 10 * S, "a", 1);
	put(s, NOON + 20 * S, "a", 1);
	window_store_trim(s, NOON - 7200 * S);
	window_store_trim(s, NOON + 60 * S);
	window_store_trim(s, NOON + 71 * S);
	assert_left("20261128T120020Z.a.7.cpu.pb.gz ");
	window_store_trim(s, NOON + 7200 * S);
	assert_left("20261128T120020Z.a.7.cpu.pb.gz ");
	window_store_free(s);
}

/* The windows of an earlier run count, too. Other files are not touched. */
static void test_a_later_run(void **state)
{
	struct window_store *s;

	(void)state;
	write_file("w/20261128T120000Z.a.cpu.pb.gz", "x");
	write_file("w/20261128T120000Z.a.wall.pb.gz", "x");
	write_file("w/20261128T120010Z.a.cpu.pb.gz", "x");
	write_file("w/20261128T120000.a.cpu.pb.gz", "x");
	write_file("w/pprof.a.1.cpu.pb.gz", "x");
	s = open_store((struct window_limits){ .windows = 2 });
	put(s, NOON + 20 * S, "b", 1);
	window_store_trim(s, NOON);
	assert_left("20261128T120000.a.cpu.pb.gz 20261128T120010Z.a.cpu.pb.gz "
		    "20261128T120020Z.b.7.cpu.pb.gz pprof.a.1.cpu.pb.gz ");
	window_store_free(s);
}

/* A temporary file with a lock is being written. One of another form is of another program. */
static void test_temporary_files(void **state)
{
	struct gzip_file *gz = gzip_file_open("w/mine.pb.gz", GZIP_FILE_KEEP);
	char *final;

	(void)state;
	assert_non_null(gz);
	write_file("w/.pprof.abcdef", "a part");
	write_file("w/.pprof.abcdefg", "");
	symlink("/dev/null", "w/.pprof.link00");
	window_store_free(open_store((struct window_limits){ 0 }));
	assert_int_equal(gzip_file_commit(gz, &final), 0);
	free(final);
	assert_left(".pprof.abcdefg .pprof.link00 mine.pb.gz ");
}

/* Without a limit the names of files take no memory. With one they do. */
static void test_memory_without_limits(void **state)
{
	const struct window_limits limits[] = { { 0 }, { .windows = 2 } };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct window_store *s = open_store(limits[i]);

		allocations_left = 0;
		assert_int_equal(window_store_add(s, "w/20261128T120000Z.a.cpu.pb.gz"),
				 i ? -ENOMEM : 0);
		allocations_left = -1;
		assert_int_equal(window_store_add(s, "w/notes.pb.gz"), -EINVAL);
		window_store_free(s);
	}
}

static void test_lock(void **state)
{
	struct window_limits none = { 0 };
	struct window_store *s = open_store(none);
	struct capture c;

	(void)state;
	capture_begin(&c, STDERR_FILENO);
	assert_null(window_store_open("w", &none));
	assert_sentence(capture_end(&c), "another pprof-collect writes windows there");
	window_store_release(s);
	window_store_free(open_store(none));
	assert_int_equal(window_store_sync(s), 0);
	window_store_free(s);
}

static void test_no_folder(void **state)
{
	struct window_limits none = { 0 };
	struct capture c;

	(void)state;
	capture_begin(&c, STDERR_FILENO);
	assert_null(window_store_open("none", &none));
	assert_sentence(capture_end(&c), "cannot write into none: No such file or directory: make");
	write_file("w/file", "");
	capture_begin(&c, STDERR_FILENO);
	assert_null(window_store_open("w/file", &none));
	assert_sentence(capture_end(&c), "cannot write into w/file: Not a directory: make");
	capture_begin(&c, STDERR_FILENO);
	assert_null(window_store_open("/proc/self", &none));
	assert_sentence(capture_end(&c), "cannot write into /proc/self: ");
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_paths),
		TEST(test_number),
		TEST(test_bytes),
		TEST(test_age),
		TEST(test_a_later_run),
		TEST(test_temporary_files),
		TEST(test_memory_without_limits),
		TEST(test_lock),
		TEST(test_no_folder),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
