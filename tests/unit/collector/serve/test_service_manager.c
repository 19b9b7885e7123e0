// SPDX-License-Identifier: GPL-2.0
// sources: collector/serve/service_manager.c
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "serve/service_manager.h"

/* Binds the socket of a manager to an abstract name. Returns: the socket. */
static int manage(char *name, size_t size)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0), len;

	len = snprintf(name, size, "@pprof-test-%d", getpid());
	memcpy(un.sun_path, name, len);
	un.sun_path[0] = 0;
	assert_int_equal(bind(fd, (struct sockaddr *)&un,
			      offsetof(struct sockaddr_un, sun_path) + len), 0);
	return fd;
}

static void assert_told(int fd, const char *want)
{
	char text[128] = "";

	assert_true(recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT) > 0);
	if (strncmp(text, want, strlen(want)))
		fail_msg("'%s' is not '%s'", text, want);
}

static void test_states(void **state)
{
	struct service_manager m;
	char name[64];
	int fd = manage(name, sizeof(name));

	(void)state;
	setenv("NOTIFY_SOCKET", name, 1);
	service_manager_init(&m);
	assert_true(m.fd >= 0);
	assert_int_equal(m.watchdog_ns, 0);
	service_manager_tell(&m, "READY=1");
	service_manager_tell_reload(&m);
	assert_told(fd, "READY=1");
	assert_told(fd, "RELOADING=1\nMONOTONIC_USEC=");
	service_manager_fini(&m);
	close(fd);
	service_manager_init(&m);
	assert_int_equal(m.fd, -1);	/* the manager has gone */
	service_manager_tell(&m, "READY=1");
	service_manager_fini(&m);
	unsetenv("NOTIFY_SOCKET");
}

static void test_no_manager(void **state)
{
	static const char *const names[] = { "", "relative", "@", "/nonexistent/socket" };
	struct service_manager m;

	(void)state;
	service_manager_init(&m);
	assert_int_equal(m.fd, -1);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		setenv("NOTIFY_SOCKET", names[i], 1);
		service_manager_init(&m);
		assert_int_equal(m.fd, -1);
	}
	unsetenv("NOTIFY_SOCKET");
}

static void test_watchdog(void **state)
{
	struct service_manager m;
	char name[64], pid[16];
	int fd = manage(name, sizeof(name));

	(void)state;
	setenv("NOTIFY_SOCKET", name, 1);
	setenv("WATCHDOG_USEC", "3000000", 1);
	service_manager_init(&m);
	assert_int_equal(m.watchdog_ns, 3000000000);
	service_manager_fini(&m);
	setenv("WATCHDOG_PID", "1", 1);
	service_manager_init(&m);
	assert_int_equal(m.watchdog_ns, 0);
	service_manager_fini(&m);
	snprintf(pid, sizeof(pid), "%d", getpid());
	setenv("WATCHDOG_PID", pid, 1);
	service_manager_init(&m);
	assert_int_equal(m.watchdog_ns, 3000000000);
	service_manager_fini(&m);
	close(fd);
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

/* In a child, whose descriptor 3 is a socket. Returns: what service_manager_socket() returned. */
static int passed(const char *nr, bool is_for_child)
{
	int status, ends[2];
	char pid[16];
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	child = fork();
	if (!child) {
		int fd;

		dup2(ends[0], 3);
		snprintf(pid, sizeof(pid), "%d", getpid());
		setenv("LISTEN_PID", is_for_child ? pid : "1", 1);
		setenv("LISTEN_FDS", nr, 1);
		fd = service_manager_socket();
		if (fd == 3 && !(fcntl(3, F_GETFL) & O_NONBLOCK && fcntl(3, F_GETFD) & FD_CLOEXEC))
			fd = 99;
		_exit(fd == -1 ? 100 : fd == -EINVAL ? 101 : fd);
	}
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WEXITSTATUS(status);
}

static void test_sockets(void **state)
{
	(void)state;
	assert_int_equal(service_manager_socket(), -1);
	assert_int_equal(passed("1", true), 3);
	assert_int_equal(passed("2", true), 101);
	assert_int_equal(passed("0", true), 100);
	assert_int_equal(passed("x", true), 100);
	assert_int_equal(passed("1", false), 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_no_manager),
		cmocka_unit_test(test_watchdog),
		cmocka_unit_test(test_sockets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
