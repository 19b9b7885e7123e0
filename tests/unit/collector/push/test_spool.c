// SPDX-License-Identifier: GPL-2.0
// sources: collector/push/spool.c collector/push/byte_buffer.c
// libs: -lxxhash
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "push/backend.h"
#include "push/byte_buffer.h"
#include "push/spool.h"

static char path[64];
static int dir;
static const struct push_backend backend = { .name = "http=http://a", .url = "http://a/x" };

static struct spool_name names[64];
static uint64_t sizes[64];
static size_t nr;

static void take(void *ctx, const struct spool_name *name, uint64_t bytes)
{
	assert_ptr_equal(ctx, names);
	names[nr] = *name;
	sizes[nr++] = bytes;
}

static size_t list(struct spool *s)
{
	nr = 0;
	assert_int_equal(spool_list(s, take, names), 0);
	return nr;
}

static struct spool_name add(struct spool *s, uint64_t now_ns, const char *text)
{
	struct byte_buffer b = { (uint8_t *)text, strlen(text), 0 };
	struct spool_name name;

	assert_int_equal(spool_add(s, now_ns, &b, &name), 0);
	return name;
}

static int reads(struct spool *s, const struct spool_name *name, const char *text)
{
	struct byte_buffer b = { 0 };
	int err = spool_read(s, name, &b);

	if (!err) {
		assert_int_equal(b.nr, strlen(text));
		assert_memory_equal(b.items, text, b.nr);
	}
	free(b.items);
	return err;
}

/* The folder of a backend; the caller closes the descriptor. */
static int open_folder(const char *name)
{
	char folder[160];
	int fd;

	snprintf(folder, sizeof(folder), "%s/%s", path, name);
	fd = open(folder, O_RDONLY | O_DIRECTORY);
	assert_true(fd >= 0);
	return fd;
}

/* printf http://a/x | xxh64sum */
#define FOLDER	"http-5fa10c0b75417777"

static void order(void **state)
{
	struct spool *s = spool_open(dir, &backend);
	struct spool_name a, b, c;

	(void)state;
	assert_non_null(s);
	a = add(s, 1000, "one");
	b = add(s, 1000, "two");
	c = add(s, 7, "three");		/* the clock was set back */
	assert_string_equal(a.text, "00000000000000001000");
	assert_string_equal(b.text, "00000000000000001001");
	assert_string_equal(c.text, "00000000000000001002");
	assert_int_equal(spool_name_ns(&c), 1002);
	spool_close(s);
	s = spool_open(dir, &backend);
	assert_int_equal(list(s), 3);
	assert_string_equal(names[0].text, a.text);
	assert_string_equal(names[2].text, c.text);
	assert_int_equal(sizes[2], 5 + sizeof(uint64_t));
	assert_int_equal(reads(s, &names[1], "two"), 0);
	assert_string_equal(add(s, 7, "four").text, "00000000000000001003");
	spool_remove(s, &b);
	assert_int_equal(reads(s, &b, ""), -ENOENT);
	assert_int_equal(list(s), 3);
	spool_close(s);
}

static void backends(void **state)
{
	const struct push_backend other = { .name = "http=http://a", .url = "http://a/y" };
	const struct push_backend s3 = { .name = "s3=http://a", .url = "http://a/x" };
	struct spool *s = spool_open(dir, &backend), *o, *amazon;

	(void)state;
	assert_null(spool_open(dir, &other));
	assert_int_equal(spool_make(dir, &other), 0);
	assert_int_equal(spool_make(dir, &s3), 0);
	o = spool_open(dir, &other);
	amazon = spool_open(dir, &s3);
	add(s, 1, "x");
	assert_int_equal(list(o), 0);
	assert_int_equal(list(amazon), 0);
	assert_int_equal(list(s), 1);
	spool_close(s);
	spool_close(o);
	spool_close(amazon);
}

/* A crash of the machine leaves entries that are shorter, longer, empty, or have other bytes. */
static void damaged(void **state)
{
	struct spool *s = spool_open(dir, &backend);
	struct spool_name name = add(s, 1, "content");
	int folder = open_folder(FOLDER), fd = openat(folder, name.text, O_RDWR);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 14), 0);
	assert_int_equal(reads(s, &name, ""), -EBADMSG);
	assert_int_equal(ftruncate(fd, 15), 0);
	assert_int_equal(reads(s, &name, ""), -EBADMSG);
	assert_int_equal(pwrite(fd, "t", 1, 14), 1);
	assert_int_equal(reads(s, &name, "content"), 0);
	assert_int_equal(ftruncate(fd, 16), 0);
	assert_int_equal(reads(s, &name, ""), -EBADMSG);
	assert_int_equal(ftruncate(fd, 8), 0);
	assert_int_equal(reads(s, &name, ""), -EBADMSG);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(reads(s, &name, ""), -EBADMSG);
	close(fd);
	close(folder);
	spool_close(s);
}

static void foreign_files(void **state)
{
	struct spool *s = spool_open(dir, &backend);
	int folder = open_folder(FOLDER);

	(void)state;
	close(openat(folder, "README", O_CREAT, 0600));
	close(openat(folder, "0000000000000000100x", O_CREAT, 0600));
	assert_int_equal(mkdirat(folder, "00000000000000001000", 0700), 0);
	assert_int_equal(symlinkat("README", folder, "00000000000000001001"), 0);
	assert_int_equal(list(s), 0);
	assert_int_equal(unlinkat(folder, "00000000000000001000", AT_REMOVEDIR), 0);
	close(folder);
	spool_close(s);
}

/* Runs spool_add() in a child, and kills it before its call number `calls`. */
static bool kill_at(int calls)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct spool *s = spool_open(dir, &backend);

		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		add(s, 5000, "whole");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	for (int i = 0; i < 2 * calls && !WIFEXITED(status); i++) {
		ptrace(PTRACE_SYSCALL, pid, 0, 0);
		waitpid(pid, &status, 0);
	}
	if (WIFEXITED(status))
		return false;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return true;
}

/* Whenever the process is killed, the entry is there as a whole, or not at all. */
static void killed(void **state)
{
	int calls = 0, nr_whole = 0, nr_none = 0;
	bool was_killed;

	(void)state;
	do {
		struct spool *s;
		int folder;

		was_killed = kill_at(calls++);
		s = spool_open(dir, &backend);
		folder = open_folder(FOLDER);
		assert_int_equal(faccessat(folder, "new", F_OK, 0), -1);
		close(folder);
		if (list(s)) {
			assert_int_equal(nr, 1);
			assert_int_equal(reads(s, &names[0], "whole"), 0);
			spool_remove(s, &names[0]);
			nr_whole++;
		} else {
			nr_none++;
		}
		spool_close(s);
	} while (was_killed);
	assert_true(nr_none >= 4);	/* open, write, write, close */
	assert_true(nr_whole >= 1);
}

static int setup(void **state)
{
	(void)state;
	strcpy(path, "/tmp/test_spool.XXXXXX");
	if (!mkdtemp(path))
		return -1;
	dir = open(path, O_RDONLY | O_DIRECTORY);
	return dir < 0 || spool_make(dir, &backend) || spool_make(dir, &backend);
}

static int teardown(void **state)
{
	char command[96];

	(void)state;
	close(dir);
	snprintf(command, sizeof(command), "rm -r %s", path);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(order, setup, teardown),
		cmocka_unit_test_setup_teardown(backends, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged, setup, teardown),
		cmocka_unit_test_setup_teardown(foreign_files, setup, teardown),
		cmocka_unit_test_setup_teardown(killed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
