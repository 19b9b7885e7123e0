// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/cgroup_folder.c
// libs: -Wl,--wrap=fstatfs,--wrap=setmntent
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <mntent.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "capture.h"
#include "folder.h"
#include "procfs/cgroup_folder.h"

/* The test plays the list of mounts, and the file system of each folder with "/cg" in its path. */
static struct {
	char mounts[512];
	long type;
} world;

FILE *__wrap_setmntent(const char *path, const char *mode);
int __wrap_fstatfs(int fd, struct statfs *file_system);

FILE *__wrap_setmntent(const char *path, const char *mode)
{
	assert_string_equal(path, "/proc/self/mounts");
	(void)mode;
	return fmemopen(world.mounts, strlen(world.mounts), "r");
}

int __wrap_fstatfs(int fd, struct statfs *file_system)
{
	char link[64], path[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	assert_true(len > 0);
	path[len] = 0;
	file_system->f_type = strstr(path, "/cg") ? world.type : TMPFS_MAGIC;
	return 0;
}

static int begin(void **state)
{
	int err = enter_folder(state) || mkdir("cg", 0700) || mkdir("cg/a", 0700) ||
		  mkdir("other", 0700);

	snprintf(world.mounts, sizeof(world.mounts), "proc /proc proc rw 0 0\n"
		 "none %s/other cgroup rw 0 0\nnone %s/cg cgroup2 rw 0 0\n", folder, folder);
	world.type = CGROUP2_SUPER_MAGIC;
	return err;
}

static void assert_opens(const char *path, const char *expected)
{
	struct stat a, b;
	int fd = cgroup_folder_open(path);

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &a), 0);
	assert_int_equal(stat(expected, &b), 0);
	assert_int_equal(a.st_ino, b.st_ino);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

static void test_paths(void **state)
{
	(void)state;
	assert_opens("/", "cg");
	assert_opens("/a", "cg/a");
	assert_opens("a/", "cg/a");
	assert_opens(in_folder("cg"), "cg");
	assert_opens(in_folder("cg/a"), "cg/a");
}

static void test_wrong_paths(void **state)
{
	(void)state;
	assert_int_equal(cgroup_folder_open("/none"), -ENOENT);
	/* Folders of another file system */
	assert_int_equal(cgroup_folder_open(in_folder("other")), -ENOENT);
	assert_int_equal(cgroup_folder_open("/../other"), -ENOENT);
	world.type = CGROUP_SUPER_MAGIC;
	assert_int_equal(cgroup_folder_open(in_folder("cg/a")), -EMEDIUMTYPE);
	strcpy(world.mounts, "proc /proc proc rw 0 0\n");
	assert_int_equal(cgroup_folder_open("/a"), -ENODEV);
}

static void test_messages(void **state)
{
	static const struct {
		int err;
		const char *text;
	} rows[] = {
		{ -ENODEV, "cgroup2 is not mounted" },
		{ -EMEDIUMTYPE, "'/a' is a cgroup of v1" },
		{ -ENOENT, "there is no cgroup '/a' below /" },
		{ -EACCES, "cannot open the cgroup '/a': Permission denied" },
	};
	struct capture c;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		capture_begin(&c, STDERR_FILENO);
		cgroup_folder_print_error("/a", rows[i].err);
		assert_sentence(capture_end(&c), rows[i].text);
	}
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(cgroup_folder_name("/system.slice/a.service"), "a.service");
	assert_string_equal(cgroup_folder_name("a"), "a");
	assert_string_equal(cgroup_folder_name("/"), "root");
}

static void write_pids(const char *path, const char *pids)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(pids, f);
	fclose(f);
}

/* The pids that were visited, and after how many of them the visit ends. */
struct visited {
	int sum;
	int nr;
	int max;
};

static bool visit(void *ctx, pid_t pid)
{
	struct visited *v = ctx;

	v->sum += pid;
	return ++v->nr < v->max;
}

/* A cgroup of threads cannot be read, and pid 0 is a process of another namespace. */
static void test_processes(void **state)
{
	struct visited all = { .max = 10 }, two = { .max = 2 };

	(void)state;
	assert_int_equal(mkdir("cg/a/b", 0700), 0);
	assert_int_equal(mkdir("cg/a/threads", 0700), 0);
	assert_int_equal(mkdir("cg/c", 0700), 0);
	write_pids("cg/cgroup.procs", "1000\n");
	write_pids("cg/a/cgroup.procs", "1\n0\n2\n");
	write_pids("cg/a/b/cgroup.procs", "4\n");
	write_pids("cg/c/cgroup.procs", "2000\n");
	assert_int_equal(cgroup_folder_visit("/a", visit, &all), 0);
	assert_int_equal(all.nr, 3);
	assert_int_equal(all.sum, 7);
	assert_int_equal(cgroup_folder_visit("/a", visit, &two), 0);
	assert_int_equal(two.nr, 2);
	assert_int_equal(cgroup_folder_visit("/none", visit, &two), -ENOENT);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_paths),
		TEST(test_wrong_paths),
		TEST(test_messages),
		TEST(test_names),
		TEST(test_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
