// SPDX-License-Identifier: GPL-2.0
// sources: collector/symbol/perf_map.c collector/base/regular_file.c collector/procfs/live_thread.c
// libs: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "fail_alloc.h"
#include "folder.h"
#include "symbol/perf_map.h"
#include "waiting.h"

/* The profile begins behind all of it. */
static struct perf_map *read_bytes(const char *bytes, size_t len)
{
	int fd = memfd_create("map", MFD_CLOEXEC);
	struct perf_map *m;
	int err;

	assert_int_equal(write(fd, bytes, len), len);
	m = perf_map_read(fd, len);
	err = errno;
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	errno = err;
	return m;
}

static struct perf_map *read_text(const char *text)
{
	struct perf_map *m = read_bytes(text, strlen(text));

	assert_non_null(m);
	return m;
}

static void assert_name(const struct perf_map *m, uint64_t addr, const char *want)
{
	const char *before, *name = perf_map_find(m, addr, &before);

	if (!want) {
		assert_null(name);
		return;
	}
	assert_non_null(name);
	assert_string_equal(name, want);
}

static void test_names(void **state)
{
	struct perf_map *m = read_text("2000 80 second one\n"
				       "1000 100 JS:^first /a b.js:1:2\n"
				       "1100 10 touches\n");

	(void)state;
	assert_name(m, 0xfff, NULL);
	assert_name(m, 0x1000, "JS:^first /a b.js:1:2");
	assert_name(m, 0x10ff, "JS:^first /a b.js:1:2");
	assert_name(m, 0x1100, "touches");
	assert_name(m, 0x110f, "touches");
	assert_name(m, 0x1110, NULL);
	assert_name(m, 0x1fff, NULL);
	assert_name(m, 0x2000, "second one");
	assert_name(m, 0x207f, "second one");
	assert_name(m, 0x2080, NULL);
	assert_name(m, 0, NULL);
	assert_name(m, UINT64_MAX, NULL);
	perf_map_free(m);
	perf_map_free(NULL);
}

static void test_forms_of_numbers(void **state)
{
	struct perf_map *m = read_text("0x00007f0000001000 0x0000000000000010 java\n"
				       "00007F00ABCD0000 1B dotnet\n"
				       "fffffffffffffff0 f last\n");

	(void)state;
	assert_name(m, 0x7f0000001008, "java");
	assert_name(m, 0x7f00abcd001a, "dotnet");
	assert_name(m, 0x7f00abcd001b, NULL);
	assert_name(m, 0xfffffffffffffffe, "last");
	assert_name(m, 0xffffffffffffffff, NULL);
	perf_map_free(m);
}

static void test_other_lines_are_skipped(void **state)
{
	static const char *const lines[] = {
		"", " ", "1000", "1000 ", "1000 10", "1000 10 ", "1000  10 two spaces",
		" 1000 10 space", "1000 0 empty", "-1000 10 sign", "1000 -10 sign", "1000 +10 sign",
		"1000\t10\ttabs", "1000 10\tx", "x1000 10 x", "1000 x10 x", "0x 10 x", "1000h 10 x",
		"fffffffffffffff0 11 over the end", "1000 ffffffffffffffff over the end",
		"11111111111111111 10 too large", "1000 11111111111111111 too large",
	};
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct perf_map *m;

		snprintf(text, sizeof(text), "3000 10 before\n%s\n4000 10 after\n", lines[i]);
		m = read_text(text);
		assert_name(m, 0x1000, NULL);
		assert_name(m, 0xfffffffffffffff8, NULL);
		assert_name(m, 0x3000, "before");
		assert_name(m, 0x4000, "after");
		perf_map_free(m);
	}
}

/* A line that is being written may lack a part of its name. */
static void test_half_a_line(void **state)
{
	struct perf_map *m = read_text("1000 10 whole\n2000 10 hal");

	(void)state;
	assert_name(m, 0x1000, "whole");
	assert_name(m, 0x2000, NULL);
	perf_map_free(m);
	m = read_text("1000 10 nothing else");
	assert_name(m, 0x1000, NULL);
	perf_map_free(m);
	m = read_text("");
	assert_name(m, 0x1000, NULL);
	perf_map_free(m);
}

static void test_any_bytes(void **state)
{
	static const char bytes[] = "1000 10 \xff\xfe\x01\n\0\0\0\n2000 10 cut\0off\n\n3000 10 x\n";
	struct perf_map *m = read_bytes(bytes, sizeof(bytes) - 1);

	(void)state;
	assert_non_null(m);
	assert_name(m, 0x1000, "\xff\xfe\x01");
	assert_name(m, 0x2000, "cut");
	assert_name(m, 0x3000, "x");
	perf_map_free(m);
}

/* Reused memory has the name that was written last. */
static void test_later_lines_win(void **state)
{
	struct perf_map *m = read_text("1000 100 old\n"
				       "1040 10 old and inside\n"
				       "2000 10 hidden\n"
				       "1080 100 across its end\n"
				       "1ff0 30 over it\n"
				       "1fe0 18 across its start\n"
				       "1000 1 first byte\n");

	(void)state;
	assert_name(m, 0x1000, "first byte");
	assert_name(m, 0x1001, "old");
	assert_name(m, 0x103f, "old");
	assert_name(m, 0x1040, "old and inside");
	assert_name(m, 0x1050, "old");
	assert_name(m, 0x107f, "old");
	assert_name(m, 0x1080, "across its end");
	assert_name(m, 0x117f, "across its end");
	assert_name(m, 0x1180, NULL);
	assert_name(m, 0x1ff7, "across its start");
	assert_name(m, 0x1ff8, "over it");
	assert_name(m, 0x2000, "over it");
	perf_map_free(m);
}

static void assert_names(const struct perf_map *m, uint64_t addr, const char *want,
			 const char *want_before)
{
	const char *before;

	assert_string_equal(perf_map_find(m, addr, &before), want);
	if (want_before)
		assert_string_equal(before, want_before);
	else
		assert_null(before);
}

/* The lines say not when code was replaced, so an address has two names. */
static void test_memory_that_is_reused_in_the_profile(void **state)
{
	static const char old[] = "1000 10 gone\n1000 10 first\n2000 10 same\n3000 20 wide\n";
	static const char new[] = "1000 10 middle\n1000 8 last\n2000 10 same\n3010 20 over\n"
				  "4000 10 one\n4000 10 two\n";
	int fd = memfd_create("map", MFD_CLOEXEC);
	struct perf_map *m;

	(void)state;
	assert_int_equal(write(fd, old, strlen(old)), strlen(old));
	assert_int_equal(write(fd, new, strlen(new)), strlen(new));
	m = perf_map_read(fd, strlen(old));
	assert_names(m, 0x1000, "last", "first");
	assert_names(m, 0x1008, "middle", "first");
	assert_names(m, 0x2000, "same", NULL);
	assert_names(m, 0x3000, "wide", NULL);
	assert_names(m, 0x3010, "over", "wide");
	assert_names(m, 0x3020, "over", NULL);
	assert_names(m, 0x4000, "two", "one");
	perf_map_free(m);
}

/* Compares with a linear search, with many lines that overlap in all ways. */
static void test_like_the_rule(void **state)
{
	enum { NR = 2000, SPACE = 3000 };
	static char text[NR * 32];
	static int owner[SPACE];
	size_t len = 0;
	struct perf_map *m;
	char want[16];

	(void)state;
	srand(1);
	for (int i = 1; i <= NR; i++) {
		int start = rand() % SPACE, size = 1 + rand() % (rand() % 20 ? 9 : 900);

		len += sprintf(text + len, "%x %x f%d\n", start, size, i);
		for (int at = start; at < start + size && at < SPACE; at++)
			owner[at] = i;
	}
	m = read_text(text);
	for (int at = 0; at < SPACE; at++) {
		snprintf(want, sizeof(want), "f%d", owner[at]);
		assert_name(m, at, owner[at] ? want : NULL);
	}
	perf_map_free(m);
}

/* Of too many lines the last ones count. */
static void test_too_many_lines(void **state)
{
	static const char line[] = "1 1 x\n";
	size_t len = sizeof(line) - 1, nr = PERF_MAP_MAX_LINES + 1;
	char *text = malloc(nr * len + 1);
	struct perf_map *m;

	(void)state;
	for (size_t i = 0; i < nr; i++)
		strcpy(text + i * len, line);
	text[0] = '2';
	text[len] = '3';
	m = read_text(text);
	assert_name(m, 1, "x");
	assert_name(m, 2, NULL);
	assert_name(m, 3, "x");
	perf_map_free(m);
	free(text);
}

/* Of too many bytes the last ones count, from the first complete line on. */
static void test_too_many_bytes(void **state)
{
	static const char first[] = "1000 10 first\n", last[] = "\n2000 10 last\n";
	int fd = memfd_create("map", MFD_CLOEXEC);
	off_t end = sizeof(first) + PERF_MAP_MAX_BYTES;
	struct perf_map *m;

	(void)state;
	assert_int_equal(pwrite(fd, first, sizeof(first) - 1, 0), sizeof(first) - 1);
	/* the part that is read begins at its 4: the end of another line */
	assert_int_equal(pwrite(fd, "34000 10 cut\n", 13, end - PERF_MAP_MAX_BYTES - 1), 13);
	assert_int_equal(pwrite(fd, "5000 10 whole\n", 14, end - PERF_MAP_MAX_BYTES + 12), 14);
	assert_int_equal(pwrite(fd, last, sizeof(last) - 1, end - sizeof(last) + 1),
			 sizeof(last) - 1);
	m = perf_map_read(fd, 0);
	assert_non_null(m);
	assert_name(m, 0x1000, NULL);
	assert_name(m, 0x4000, NULL);
	assert_name(m, 0x34000, NULL);
	assert_name(m, 0x5000, "whole");
	assert_name(m, 0x2000, "last");
	perf_map_free(m);
}

static void test_unreadable(void **state)
{
	int fds[2];

	(void)state;
	assert_null(perf_map_read(-1, 0));
	assert_int_equal(errno, EBADF);
	assert_null(perf_map_read(open("/", O_RDONLY), 0));
	assert_int_equal(errno, EISDIR);
	assert_int_equal(pipe(fds), 0);
	assert_null(perf_map_read(fds[0], 0));
	assert_int_equal(errno, ESPIPE);
	close(fds[1]);
}

static void test_every_allocation_may_fail(void **state)
{
	static const char text[] = "1000 10 a\n2000 10 b\n";
	struct perf_map *m = NULL;
	int nr_failures = 0;

	(void)state;
	for (long n = 0; !m; n++) {
		allocations_left = n;
		m = read_bytes(text, sizeof(text) - 1);
		allocations_left = -1;
		assert_true(m || errno == ENOMEM);
		nr_failures += !m;
	}
	assert_int_equal(nr_failures, 4);
	perf_map_free(m);
}

/* perf_map_open(). The process is a child, since it may have another root. */

static char path[PERF_MAP_PATH_MAX];

static const char *own_path(void)
{
	static char own[PERF_MAP_PATH_MAX];

	snprintf(own, sizeof(own), "/tmp/perf-%d.map", getpid());
	return own;
}

static int remove_own(void **state)
{
	(void)state;
	remove(own_path());
	return 0;
}

static void test_open(void **state)
{
	struct perf_map *m;
	int fd;

	(void)state;
	assert_int_equal(perf_map_open(getpid(), path), -ENOENT);
	write_file(own_path(), "1000 10 own\n");
	fd = perf_map_open(getpid(), path);
	assert_true(fd >= 0);
	assert_string_equal(path, own_path());
	m = perf_map_read(fd, 0);
	assert_name(m, 0x1000, "own");
	perf_map_free(m);
	assert_int_equal(perf_map_open(0x40000001, path), -ESRCH);
}

/* Runs the child until it stops itself. Then it is ready for the test. */
static pid_t start_child(void (*become)(void))
{
	pid_t child = fork();
	int status;

	if (!child) {
		become();
		raise(SIGSTOP);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	assert_true(WIFSTOPPED(status));
	return child;
}

/* An older process with this pid left the file. */
static void test_not_from_before_its_start(void **state)
{
	const struct timespec old[] = { { .tv_nsec = UTIME_NOW }, { .tv_sec = time(NULL) - 3600 } };
	int fd;

	(void)state;
	write_file(own_path(), "1000 10 a\n");
	assert_int_equal(utimensat(AT_FDCWD, own_path(), old, 0), 0);
	assert_int_equal(perf_map_open(getpid(), path), -ESTALE);
	write_file(own_path(), "1000 10 b\n");
	fd = perf_map_open(getpid(), path);
	assert_true(fd >= 0);
	close(fd);
}

/* It writes the map at once. Its name has the characters that end the name in /proc/PID/stat. */
static void become_writer(void)
{
	if (prctl(PR_SET_NAME, "a) b (c) d"))
		_exit(1);
	write_file(own_path(), "1000 10 a\n");
}

static void test_from_its_start(void **state)
{
	pid_t child = start_child(become_writer);
	int fd;

	(void)state;
	fd = perf_map_open(child, path);
	unlink(path);
	waiting_end(child);
	assert_true(fd >= 0);
	close(fd);
}

static void test_only_a_regular_file(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(own_path(), 0600), 0);
	assert_int_equal(perf_map_open(getpid(), path), -ENOENT);
	remove_own(NULL);
	write_file("elsewhere", "1000 10 elsewhere\n");
	assert_int_equal(symlink(in_folder("elsewhere"), own_path()), 0);
	assert_int_equal(perf_map_open(getpid(), path), -ENOENT);
	remove_own(NULL);
	assert_int_equal(mkdir(own_path(), 0700), 0);
	assert_int_equal(perf_map_open(getpid(), path), -ENOENT);
}

static void skip_unless_root(void)
{
	if (geteuid())
		skip();
}

static void become_other_user(void)
{
	if (setresgid(4242, 4242, 4242) || setresuid(4242, 4242, 4242))
		_exit(1);
}

static void test_only_its_users_file_or_roots(void **state)
{
	static const struct { uid_t uid; bool good; } owners[] = {
		{ 0, true }, { 4242, true }, { 4243, false },
	};
	char file[PERF_MAP_PATH_MAX];
	pid_t child;

	(void)state;
	skip_unless_root();
	child = start_child(become_other_user);
	snprintf(file, sizeof(file), "/tmp/perf-%d.map", child);
	write_file(file, "1000 10 a\n");
	for (size_t i = 0; i < sizeof(owners) / sizeof(*owners); i++) {
		int fd;

		assert_int_equal(chown(file, owners[i].uid, 0), 0);
		fd = perf_map_open(child, path);
		assert_true(owners[i].good ? fd >= 0 : fd == -EPERM);
		if (fd >= 0)
			close(fd);
	}
	assert_int_equal(unlink(file), 0);
	waiting_end(child);
}

static void become_own_root(void)
{
	if (chroot("root"))
		_exit(1);
}

/* Its /tmp is a link. It is resolved in the root of the child, not in that of the test. */
static void test_in_its_root(void **state)
{
	char file[64];
	struct perf_map *m;
	pid_t child;

	(void)state;
	skip_unless_root();
	assert_int_equal(mkdir("root", 0700) | mkdir("root/jail", 0700), 0);
	assert_int_equal(symlink("/jail", "root/tmp"), 0);
	child = start_child(become_own_root);
	assert_int_equal(perf_map_open(child, path), -ENOENT);
	snprintf(file, sizeof(file), "root/jail/perf-%d.map", child);
	write_file(file, "1000 10 inside\n");
	m = perf_map_read(perf_map_open(child, path), 0);
	assert_non_null(m);
	assert_name(m, 0x1000, "inside");
	perf_map_free(m);
	waiting_end(child);
}

/* In a pid namespace of its own, of which the child is the first process. */
static void test_number_in_its_namespace(void **state)
{
	static const char file[] = "/tmp/perf-1.map";
	pid_t child;
	int fd, ns;

	(void)state;
	skip_unless_root();
	if (!access(file, F_OK))
		skip();
	ns = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	assert_int_equal(unshare(CLONE_NEWPID), 0);
	child = waiting_start();
	assert_int_equal(setns(ns, CLONE_NEWPID), 0);
	close(ns);
	write_file(file, "1000 10 a\n");
	fd = perf_map_open(child, path);
	assert_int_equal(unlink(file), 0);
	waiting_end(child);
	assert_true(fd >= 0);
	assert_string_equal(path, file);
	close(fd);
}

#define WITH_FILE(test)	cmocka_unit_test_teardown(test, remove_own)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_forms_of_numbers),
		cmocka_unit_test(test_other_lines_are_skipped),
		cmocka_unit_test(test_half_a_line),
		cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_later_lines_win),
		cmocka_unit_test(test_memory_that_is_reused_in_the_profile),
		cmocka_unit_test(test_like_the_rule),
		cmocka_unit_test(test_too_many_lines),
		cmocka_unit_test(test_too_many_bytes),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_every_allocation_may_fail),
		WITH_FILE(test_open),
		WITH_FILE(test_not_from_before_its_start),
		cmocka_unit_test(test_from_its_start),
		WITH_FILE(test_only_a_regular_file),
		cmocka_unit_test(test_only_its_users_file_or_roots),
		cmocka_unit_test(test_in_its_root),
		cmocka_unit_test(test_number_in_its_namespace),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
