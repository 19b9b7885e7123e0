// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/live_thread.c
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "procfs/live_thread.h"

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* A child with two threads. The first thread ends at once. */
static pid_t start_headless(void)
{
	pid_t pid = fork();
	pthread_t thread;

	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pthread_create(&thread, NULL, wait_for_ever, NULL))
		_exit(1);
	pthread_exit(NULL);
}

static char state_of(pid_t pid)
{
	char path[32], line[256], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	assert_int_equal(sscanf(strrchr(line, ')'), ") %c", &state), 1);
	fclose(f);
	return state;
}

static void test_first_thread_lives(void **state)
{
	(void)state;
	assert_int_equal(live_thread(getpid()), getpid());
}

static void test_first_thread_ended(void **state)
{
	pid_t pid = start_headless(), task;
	char path[32], ours[512] = "", its[512] = "";

	(void)state;
	while (state_of(pid) != 'Z')
		usleep(1000);
	task = live_thread(pid);
	assert_int_not_equal(task, pid);
	snprintf(path, sizeof(path), "/proc/%d/exe", task);
	assert_true(readlink(path, its, sizeof(its) - 1) > 0);
	assert_true(readlink("/proc/self/exe", ours, sizeof(ours) - 1) > 0);
	assert_string_equal(its, ours);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_all_threads_ended(void **state)
{
	siginfo_t info;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (!pid)
		_exit(0);
	assert_int_equal(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(live_thread(pid), pid);
	waitpid(pid, NULL, 0);
	assert_int_equal(live_thread(pid), pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_thread_lives),
		cmocka_unit_test(test_first_thread_ended),
		cmocka_unit_test(test_all_threads_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
