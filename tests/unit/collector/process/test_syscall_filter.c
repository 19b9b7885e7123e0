// SPDX-License-Identifier: GPL-2.0
// sources: collector/process/syscall_filter.c
// libs: -pthread
// flags: -O1 -g
/* A filter has no way back, so each test runs in a child. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "process/syscall_filter.h"

/* The child ends with the line that failed, or 0. */
#define CHILD_CHECK(condition) do { if (!(condition)) _exit(__LINE__ % 255 + 1); } while (0)
#define CHILD_REFUSED(call) do { errno = 0; CHILD_CHECK((call) < 0 && errno == EPERM); } while (0)

static void in_child(void (*fn)(void))
{
	int status = -1;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), 0);
}

/* Reads the number behind `name` in the status of a thread of this process. */
static int read_status(pid_t tid, const char *name)
{
	char path[64], line[256];
	int value = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			value = atoi(line + strlen(name));
	if (f)
		fclose(f);
	return value;
}

/* Ends with the test. */
static pid_t start_sleeper(void)
{
	pid_t parent = getpid(), pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == parent)
			pause();
		_exit(0);
	}
	return pid;
}

static void refuses_calls_to_others(void)
{
	char *const argv[] = { (char *)"/bin/true", NULL };
	pid_t other = start_sleeper();
	struct rlimit limit;
	char byte;
	struct iovec here = { &byte, 1 }, there = { &byte, 1 };

	CHILD_CHECK(other > 0);
	CHILD_CHECK(!syscall_filter_collector(0, false));
	CHILD_REFUSED(execv(argv[0], argv));
	CHILD_REFUSED(syscall(SYS_execveat, AT_FDCWD, argv[0], argv, NULL, 0));
	CHILD_REFUSED(ptrace(PTRACE_SEIZE, other, NULL, NULL));
	CHILD_REFUSED(process_vm_readv(other, &here, 1, &there, 1, 0));
	CHILD_REFUSED(process_vm_writev(other, &here, 1, &there, 1, 0));
	CHILD_REFUSED(kill(other, 0));
	CHILD_REFUSED(kill(0, 0));
	CHILD_REFUSED(kill(-1, 0));
	CHILD_REFUSED(syscall(SYS_tkill, other, 0));
	CHILD_REFUSED(syscall(SYS_tgkill, other, other, 0));
	CHILD_REFUSED(syscall(SYS_prlimit64, other, RLIMIT_NOFILE, NULL, &limit));
	CHILD_REFUSED(syscall(SYS_pidfd_send_signal, 0, 0, NULL, 0));
	CHILD_REFUSED(syscall(SYS_pidfd_getfd, 0, 0, 0));
}

static void refuses_calls_to_system(void)
{
	CHILD_CHECK(!syscall_filter_collector(0, false));
	CHILD_REFUSED(socket(AF_INET, SOCK_STREAM, 0));
	CHILD_REFUSED(socket(AF_UNIX, SOCK_STREAM, 0));
	CHILD_REFUSED(socket(AF_PACKET, SOCK_RAW, 0));
	CHILD_REFUSED(unshare(CLONE_NEWUSER));
	CHILD_REFUSED(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, 0));
	CHILD_REFUSED(syscall(SYS_setns, 0, 0));
	CHILD_REFUSED(syscall(SYS_mount, "none", "/", "tmpfs", 0, NULL));
	CHILD_REFUSED(syscall(SYS_bpf, 0, NULL, 0));
	CHILD_REFUSED(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
	CHILD_REFUSED(syscall(SYS_io_uring_setup, 1, NULL));
	CHILD_REFUSED(syscall(SYS_open_by_handle_at, AT_FDCWD, NULL, 0));
	CHILD_REFUSED(syscall(SYS_init_module, NULL, 0, ""));
	CHILD_REFUSED(chmod("/proc/self/exe", 04755));
	CHILD_REFUSED(fchmod(STDERR_FILENO, 0600));
	CHILD_REFUSED(chown("/proc/self/exe", 0, 0));
	CHILD_REFUSED(ioctl(STDIN_FILENO, TIOCSTI, "x"));
}

/* libc, libdw and the end of a run need these. */
static void allows_calls_of_the_collector(void)
{
	pid_t program = start_sleeper(), child;
	struct rlimit limit;
	int fd, status;

	CHILD_CHECK(program > 0);
	CHILD_CHECK(!syscall_filter_collector(program, false));
	CHILD_CHECK(read_status(getpid(), "Seccomp:") == 2);
	CHILD_CHECK(read_status(getpid(), "NoNewPrivs:") == 1);
	fd = open("/proc/self/maps", O_RDONLY);
	CHILD_CHECK(fd >= 0 && !close(fd));
	CHILD_CHECK(!getrlimit(RLIMIT_NOFILE, &limit));
	fd = socket(AF_NETLINK, SOCK_RAW, 16);
	CHILD_CHECK(fd >= 0 && !close(fd));
	child = fork();
	if (!child)
		_exit(7);
	CHILD_CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
	CHILD_CHECK(!kill(program, SIGTERM));
	CHILD_CHECK(waitpid(program, &status, 0) == program && WTERMSIG(status) == SIGTERM);
	CHILD_CHECK(kill(getppid(), 0) < 0 && errno == EPERM);
}

static void allows_sockets_to_servers(void)
{
	int fd;

	CHILD_CHECK(!syscall_filter_collector(0, true));
	fd = socket(AF_INET, SOCK_STREAM, 0);
	CHILD_CHECK(fd >= 0);
	fd = memfd_create("file", 0);
	CHILD_CHECK(fd >= 0 && !fchmod(fd, 0400));
	CHILD_REFUSED(unshare(CLONE_NEWUSER));
}

static void *set_flag(void *flag)
{
	*(int *)flag = 1;
	return NULL;
}

/* clone3() fails with ENOSYS, and libc falls back to clone(). */
static void allows_threads(void)
{
	pthread_t thread;
	int flag = 0;

	CHILD_CHECK(!syscall_filter_collector(0, false));
	CHILD_CHECK(!pthread_create(&thread, NULL, set_flag, &flag));
	CHILD_CHECK(!pthread_join(thread, NULL) && flag);
}

struct parser {
	int fd, event, other;
	pid_t tid;
	int failed_line;
};

#define THREAD_CHECK(condition) do {					\
	if (!(condition) && !p->failed_line)				\
		p->failed_line = __LINE__ % 255 + 1;			\
} while (0)
#define THREAD_REFUSED(call) do { errno = 0; THREAD_CHECK((call) < 0 && errno == EPERM); } while (0)

static void *parse(void *arg)
{
	static const uint32_t requests[] = { 0x1234, 0x1236 };
	struct parser *p = arg;
	struct stat st;
	char text[4];
	char *copy;

	p->tid = syscall(SYS_gettid);
	THREAD_CHECK(!syscall_filter_parser(p->event, requests, 2));
	THREAD_CHECK(!fstat(p->fd, &st) && pread(p->fd, text, 4, 0) == 4);
	THREAD_CHECK(mmap(NULL, 4, PROT_READ, MAP_PRIVATE, p->fd, 0) != MAP_FAILED);
	copy = malloc(64 << 20);	/* is mapped, and unmapped again */
	THREAD_CHECK(copy);
	free(copy);
	THREAD_CHECK(!eventfd_write(p->event, 1));
	THREAD_REFUSED(write(p->other, text, 4));
	THREAD_REFUSED(write(STDERR_FILENO, text, 4));
	THREAD_REFUSED(open("/dev/null", O_RDONLY));
	THREAD_REFUSED(syscall(SYS_openat2, AT_FDCWD, "/", NULL, 0));
	THREAD_REFUSED(ioctl(p->fd, 0x1235));
	THREAD_CHECK(ioctl(p->fd, 0x1234) < 0 && errno == ENOTTY);
	THREAD_CHECK(ioctl(p->fd, 0x1236) < 0 && errno == ENOTTY);
	THREAD_REFUSED(socket(AF_UNIX, SOCK_STREAM, 0));
	THREAD_REFUSED(fork());
	THREAD_REFUSED(syscall(SYS_process_vm_writev, getppid(), NULL, 0, NULL, 0, 0));
	THREAD_CHECK(!close(p->fd));
	return NULL;
}

/* The filter of one thread is not that of another one. */
static void limits_the_parser_alone(void)
{
	struct parser p = {
		.fd = memfd_create("file", 0), .event = eventfd(0, 0),
		.other = memfd_create("other", 0),
	};
	pthread_t thread;

	CHILD_CHECK(write(p.fd, "text", 4) == 4);
	CHILD_CHECK(!pthread_create(&thread, NULL, parse, &p));
	CHILD_CHECK(!pthread_join(thread, NULL));
	if (p.failed_line)
		_exit(p.failed_line);
	CHILD_CHECK(p.tid != getpid());
	CHILD_CHECK(read_status(getpid(), "Seccomp:") == 0);
	CHILD_CHECK(write(p.other, "text", 4) == 4);
}

#define IN_CHILD(name) static void test_##name(void **state) { (void)state; in_child(name); }

IN_CHILD(refuses_calls_to_others)
IN_CHILD(refuses_calls_to_system)
IN_CHILD(allows_calls_of_the_collector)
IN_CHILD(allows_sockets_to_servers)
IN_CHILD(allows_threads)
IN_CHILD(limits_the_parser_alone)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refuses_calls_to_others),
		cmocka_unit_test(test_refuses_calls_to_system),
		cmocka_unit_test(test_allows_calls_of_the_collector),
		cmocka_unit_test(test_allows_sockets_to_servers),
		cmocka_unit_test(test_allows_threads),
		cmocka_unit_test(test_limits_the_parser_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
