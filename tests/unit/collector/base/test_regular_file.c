// SPDX-License-Identifier: GPL-2.0
// sources: collector/base/regular_file.c
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include "folder.h"
#include "opened.h"
#include "base/regular_file.h"

static void test_regular(void **state)
{
	char text[8] = "";
	int fd;

	(void)state;
	write_file("file", "text");
	assert_int_equal(symlink("file", "link"), 0);
	fd = regular_open("link");
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, text, sizeof(text), 0), 4);
	assert_string_equal(text, "text");
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	assert_int_equal(regular_open("none"), -ENOENT);
	assert_int_equal(regular_open("file/none"), -ENOTDIR);
	assert_int_equal(regular_open("."), -ENOENT);
}

/* The effect of open() on a FIFO or a device cannot be undone: see opened.h. */
static void test_others_are_not_opened(void **state)
{
	int watch;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	watch = opened_watch("fifo");
	assert_int_equal(regular_open("fifo"), -ENOENT);
	assert_false(opened_since(watch));
	close(open("fifo", O_RDONLY | O_NONBLOCK));
	assert_true(opened_since(watch));
	close(watch);
	assert_int_equal(regular_open("/dev/null"), -ENOENT);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* The kernel sends SIGIO to the holder of a lease. The test ignores it. */
static void test_a_lease_is_not_waited_for(void **state)
{
	double start = seconds();
	int holder;

	(void)state;
	write_file("leased", "text");
	holder = open("leased", O_RDWR);
	signal(SIGIO, SIG_IGN);
	assert_int_equal(fcntl(holder, F_SETLEASE, F_WRLCK), 0);
	assert_int_equal(regular_open("leased"), -EWOULDBLOCK);
	assert_true(seconds() - start < 30);	/* the kernel waits for 45 */
	close(holder);
}

static void test_reopened(void **state)
{
	char text[8] = "";
	int path_fd, fd;

	(void)state;
	write_file("old", "old");
	path_fd = open("old", O_PATH);
	write_file("new", "new");
	assert_int_equal(rename("new", "old"), 0);
	fd = regular_reopen(path_fd);
	assert_int_equal(pread(fd, text, sizeof(text), 0), 3);
	assert_string_equal(text, "old");
	close(fd);
	close(path_fd);
	assert_int_equal(regular_reopen(path_fd), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_regular),
		cmocka_unit_test(test_others_are_not_opened),
		cmocka_unit_test(test_a_lease_is_not_waited_for),
		cmocka_unit_test(test_reopened),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
