// SPDX-License-Identifier: GPL-2.0
// sources: collector/process/command.c collector/base/regular_file.c
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "folder.h"
#include "process/command.h"

#define PATIENCE_MS	60000	/* longer than any program here runs */

static struct command_start at_start;

/* Waits for the end of p, and does not reap it. Returns the exit code, or the negative signal. */
static int wait_for(const struct command *p)
{
	struct pollfd fd = { .fd = command_fd(p), .events = POLLIN };
	siginfo_t info;

	assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
	assert_int_equal(waitid(P_PID, command_pid(p), &info, WEXITED | WNOWAIT), 0);
	return info.si_code == CLD_EXITED ? info.si_status : -info.si_status;
}

static struct command *start(const char *script)
{
	static char *argv[4] = { (char *)"sh", (char *)"-c", NULL, NULL };
	struct command *p;

	argv[2] = (char *)script;
	p = command_new(argv, &at_start);
	assert_non_null(p);
	return p;
}

static void test_runs_after_go(void **state)
{
	struct command *p = start("echo ran > ran; exit 7");
	char ours[PATH_MAX] = "", its[PATH_MAX] = "", link[32];

	(void)state;
	/* before command_go() the child executes the program of this test */
	snprintf(link, sizeof(link), "/proc/%d/exe", command_pid(p));
	assert_true(readlink("/proc/self/exe", ours, sizeof(ours) - 1) > 0);
	assert_true(readlink(link, its, sizeof(its) - 1) > 0);
	assert_string_equal(its, ours);
	assert_int_equal(waitpid(command_pid(p), NULL, WNOHANG), 0);
	assert_int_equal(command_go(p), 0);
	assert_int_equal(wait_for(p), 7);
	assert_int_equal(access("ran", F_OK), 0);
	command_free(p);
	command_free(NULL);
}

/* Has the process mapped code of a file? file is the end of a line of its maps. */
static bool has_code(pid_t pid, const char *file)
{
	char path[32], line[PATH_MAX + 100];
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = 0;
		found |= strstr(line, " r-xp ") && strlen(line) > strlen(file) &&
			 !strcmp(line + strlen(line) - strlen(file), file);
	}
	fclose(maps);
	return found;
}

static bool held_has_code(const char *name, const char *file)
{
	char *argv[2] = { (char *)name, NULL };
	struct command *p = command_new(argv, &at_start);
	bool has;

	assert_non_null(p);
	has = has_code(command_pid(p), file);
	command_free(p);
	return has;
}

/* Before its exec the child maps an ELF program as code. A script is not mapped. */
static void test_its_file_is_seen(void **state)
{
	char path[PATH_MAX];

	(void)state;
	write_file("script", "#!/bin/sh\n");
	assert_int_equal(chmod("script", 0700), 0);
	assert_true(command_find("sleep", path));
	assert_true(held_has_code("sleep", "/sleep"));
	assert_true(held_has_code(path, "/sleep"));
	assert_false(has_code(getpid(), "/sleep"));
	assert_false(held_has_code("./script", "/script"));
	assert_false(held_has_code("no-such-program", "no-such-program"));
}

/* command_go() returns the errno of the exec. */
static void test_not_executable(void **state)
{
	static const struct {
		const char *name;
		int err;
	} cases[] = {
		{ "no-such-program", -ENOENT }, { "./no/such", -ENOENT }, { "./plain", -EACCES },
		{ "./", -EACCES }, { "", -ENOENT },
	};

	(void)state;
	write_file("plain", "text");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *argv[2] = { (char *)cases[i].name, NULL };
		struct command *p = command_new(argv, &at_start);

		assert_non_null(p);
		assert_int_equal(command_go(p), cases[i].err);
		assert_int_equal(wait_for(p), 127);
		command_free(p);
	}
}

static void test_ended_before_go(void **state)
{
	struct command *p = start("exit 0");

	(void)state;
	kill(command_pid(p), SIGKILL);
	assert_int_equal(wait_for(p), -SIGKILL);
	assert_int_equal(command_go(p), -EPIPE);
	command_free(p);
}

/* Starts a program from a process that ends without command_go(). Returns the pid. */
static pid_t start_orphan(void)
{
	int pipe_fds[2];
	pid_t starter, pid;

	assert_int_equal(pipe(pipe_fds), 0);
	starter = fork();
	if (!starter) {
		struct command *p = start("echo orphan > orphan");

		pid = command_pid(p);
		_exit(write(pipe_fds[1], &pid, sizeof(pid)) != sizeof(pid));
	}
	assert_int_equal(read(pipe_fds[0], &pid, sizeof(pid)), sizeof(pid));
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	waitpid(starter, NULL, 0);
	return pid;
}

static void test_ends_with_us(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	pid = start_orphan();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 127);
	assert_int_not_equal(access("orphan", F_OK), 0);
}

static void wait_for_end(int fd)
{
	struct pollfd end = { .fd = fd, .events = POLLIN };

	assert_int_equal(poll(&end, 1, PATIENCE_MS), 1);
	close(fd);
}

/* Before and after command_go(). Signals that are blocked here are not blocked in the program. */
static void test_free_terminates(void **state)
{
	sigset_t term;

	(void)state;
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	for (int go = 0; go < 2; go++) {
		struct command *p = start("exec sleep 1000");
		int fd = dup(command_fd(p));

		if (go)
			assert_int_equal(command_go(p), 0);
		command_free(p);
		wait_for_end(fd);
	}
	sigprocmask(SIG_UNBLOCK, &term, NULL);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static int read_number(const char *path)
{
	FILE *f = fopen(path, "r");
	int n = -1;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%i", &n), 1);
	fclose(f);
	return n;
}

/* The program has as many open descriptors as a child of system(). */
static void test_descriptors_are_closed(void **state)
{
	struct command *p;

	(void)state;
	assert_int_equal(system("ls /proc/self/fd | wc -l > others"), 0);
	p = start("ls /proc/self/fd | wc -l > its");
	assert_int_equal(command_go(p), 0);
	assert_int_equal(wait_for(p), 0);
	command_free(p);
	assert_int_equal(read_number("its"), read_number("others"));
}

static void set_max_files(rlim_t max)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void run_to_its_end(char **argv, const struct command_start *as)
{
	struct command *p = command_new(argv, as);

	assert_non_null(p);
	assert_int_equal(command_go(p), 0);
	assert_int_equal(wait_for(p), 0);
	command_free(p);
}

/*
 * The program gets the limit and the signal mask of command_start_now(), without later changes. A
 * shell unblocks all signals, so sed reads the mask.
 */
static void test_starts_as_we_did(void **state)
{
	static char *const limit[] = {
		(char *)"sh", (char *)"-c", (char *)"ulimit -n >limit", NULL,
	};
	static char *const blocked[] = {
		(char *)"sed", (char *)"-n", (char *)"s/^SigBlk:.*0//w blocked",
		(char *)"/proc/self/status", NULL,
	};
	static char *const ignored[] = {
		(char *)"sed", (char *)"-n", (char *)"s/^SigIgn:\\s*/0x/w ignored",
		(char *)"/proc/self/status", NULL,
	};
	struct command_start noted;
	sigset_t set, old;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &old);
	set_max_files(123);
	command_start_now(&noted);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	set_max_files(234);
	run_to_its_end((char **)limit, &noted);
	run_to_its_end((char **)blocked, &noted);
	run_to_its_end((char **)ignored, &noted);
	sigprocmask(SIG_SETMASK, &old, NULL);
	assert_int_equal(read_number("limit"), 123);
	assert_int_equal(read_number("blocked"), 1 << (SIGHUP - 1));
	assert_int_equal(read_number("ignored") & 1 << (SIGCHLD - 1), 1 << (SIGCHLD - 1));
}

static int setup(void **state)
{
	command_start_now(&at_start);
	return enter_folder(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_starts_as_we_did),
		cmocka_unit_test(test_runs_after_go),
		cmocka_unit_test(test_its_file_is_seen),
		cmocka_unit_test(test_not_executable),
		cmocka_unit_test(test_ended_before_go),
		cmocka_unit_test(test_ends_with_us),
		cmocka_unit_test(test_free_terminates),
		cmocka_unit_test(test_descriptors_are_closed),
	};

	return cmocka_run_group_tests(tests, setup, leave_folder);
}
