// SPDX-License-Identifier: GPL-2.0
// sources: collector/base/write_folders.c
/* A limit has no way back, so it is set in a child. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/write_folders.h"

#define CHILD_CHECK(condition) do { if (!(condition)) _exit(__LINE__ % 255 + 1); } while (0)
#define CHILD_REFUSED(call) do { errno = 0; CHILD_CHECK((call) < 0 && errno == EACCES); } while (0)

#define NO_LANDLOCK	254

static char folder[32];

/* In the folder: "in" and "out" are folders, "out/old" is a file. */
static int begin(void **state)
{
	int fd;

	(void)state;
	strcpy(folder, "/tmp/write_folders.XXXXXX");
	if (!mkdtemp(folder) || chdir(folder) || mkdir("in", 0700) || mkdir("out", 0700))
		return -1;
	fd = open("out/old", O_WRONLY | O_CREAT, 0600);
	return fd < 0 || write(fd, "text", 4) != 4 || close(fd);
}

static int end(void **state)
{
	(void)state;
	unlink("out/old");
	unlink("in/new");
	return rmdir("in") || rmdir("out") || chdir("/") || rmdir(folder);
}

static void limit(void)
{
	const int folders[] = { open("in", O_PATH | O_DIRECTORY), -1 };
	int err = write_folders_only(folders, 2);

	if (err == -EOPNOTSUPP)
		_exit(NO_LANDLOCK);
	CHILD_CHECK(!err);
	CHILD_CHECK(!close(folders[0]));
}

static void in_child(void (*fn)(pid_t other))
{
	pid_t other = getpid(), pid = fork();
	int status = -1;

	assert_true(pid >= 0);
	if (!pid) {
		fn(other);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_LANDLOCK)
		skip();
	assert_int_equal(status, 0);
}

/* As an output file and a cache file are written. */
static void writes_in_the_folder(pid_t other)
{
	int fd;

	(void)other;
	limit();
	for (int i = 0; i < 2; i++) {	/* the second file replaces the first one */
		fd = open("in/tmp", O_RDWR | O_CREAT | O_EXCL, 0600);
		CHILD_CHECK(fd >= 0 && write(fd, "x", 1) == 1 && !close(fd));
		CHILD_CHECK(!rename("in/tmp", "in/new"));
	}
	fd = open("in/tmp", O_RDWR | O_CREAT | O_EXCL, 0600);
	CHILD_CHECK(fd >= 0 && !close(fd));
	CHILD_CHECK(renameat2(AT_FDCWD, "in/tmp", AT_FDCWD, "in/new", RENAME_NOREPLACE) < 0);
	CHILD_CHECK(errno == EEXIST);
	CHILD_CHECK(!link("in/tmp", "in/free") && !unlink("in/tmp") && !unlink("in/free"));
}

static void writes_nowhere_else(pid_t other)
{
	char *const argv[] = { (char *)"/bin/true", NULL };
	char path[64];
	int old = open("out/old", O_WRONLY), null = open("/dev/null", O_WRONLY);

	limit();
	CHILD_REFUSED(open("out/old", O_WRONLY));
	CHILD_REFUSED(open("out/old", O_RDWR));
	CHILD_REFUSED(open("out/new", O_WRONLY | O_CREAT, 0600));
	CHILD_REFUSED(open("/dev/null", O_WRONLY));
	CHILD_REFUSED(rename("out/old", "out/new"));
	CHILD_REFUSED(unlink("out/old"));
	CHILD_REFUSED(mkdir("out/folder", 0700));
	CHILD_REFUSED(mkdir("in/folder", 0700));
	CHILD_REFUSED(symlink("x", "in/link"));
	CHILD_CHECK(rename("out/old", "in/new") < 0 && (errno == EXDEV || errno == EACCES));
	CHILD_REFUSED(execv(argv[0], argv));
	snprintf(path, sizeof(path), "/proc/%d/mem", other);
	CHILD_REFUSED(open(path, O_RDONLY));
	CHILD_REFUSED(open(path, O_WRONLY));
	/* Descriptors that are open already, and reads. */
	CHILD_CHECK(write(old, "text", 4) == 4 && write(null, "x", 1) == 1);
	CHILD_CHECK(open("out/old", O_RDONLY) >= 0 && open("/proc/self/maps", O_RDONLY) >= 0);
}

static void test_writes_in_the_folder(void **state)
{
	(void)state;
	in_child(writes_in_the_folder);
}

static void test_writes_nowhere_else(void **state)
{
	(void)state;
	in_child(writes_nowhere_else);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_writes_in_the_folder, begin, end),
		cmocka_unit_test_setup_teardown(test_writes_nowhere_else, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
