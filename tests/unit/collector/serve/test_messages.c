// SPDX-License-Identifier: GPL-2.0
// sources: collector/serve/messages.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/messages.h"

static int sockets[2];

static int begin(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets);
}

static int end(void **state)
{
	(void)state;
	close(sockets[0]);
	close(sockets[1]);
	return 0;
}

static void test_descriptors(void **state)
{
	int ends[2], fds[SERVE_MESSAGE_FDS];
	char text[8];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(serve_message_send(sockets[0], "ab", 2, &ends[1], 1), 0);
	close(ends[1]);
	assert_int_equal(serve_message_receive(sockets[1], text, sizeof(text), fds), 2);
	assert_memory_equal(text, "ab", 2);
	assert_int_equal(write(fds[0], "c", 1), 1);
	assert_int_equal(read(ends[0], text, 1), 1);
	assert_int_equal(fds[1], -1);
	assert_int_equal(fds[2], -1);
	assert_true(fcntl(fds[0], F_GETFD) & FD_CLOEXEC);
	serve_message_close(fds);
	assert_int_equal(read(ends[0], text, 1), 0);	/* the other end is closed */
	close(ends[0]);
}

static void test_three_descriptors(void **state)
{
	int fds[SERVE_MESSAGE_FDS];
	char byte;

	(void)state;
	assert_int_equal(serve_message_send(sockets[0], "a", 1, (int[]){ 0, 1, 2 }, 3), 0);
	assert_int_equal(serve_message_receive(sockets[1], &byte, 1, fds), 1);
	for (int i = 0; i < 3; i++)
		assert_true(fds[i] >= 3);
	serve_message_close(fds);
}

static void test_none_and_end(void **state)
{
	int fds[SERVE_MESSAGE_FDS];
	char byte;

	(void)state;
	assert_int_equal(serve_message_send(sockets[0], "a", 1, NULL, 0), 0);
	assert_int_equal(serve_message_receive(sockets[1], &byte, 1, fds), 1);
	assert_int_equal(fds[0], -1);
	shutdown(sockets[0], SHUT_RDWR);
	assert_int_equal(serve_message_receive(sockets[1], &byte, 1, fds), 0);
	assert_true(serve_message_send(sockets[1], "a", 1, NULL, 0) < 0);	/* no SIGPIPE */
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_descriptors),
		TEST(test_three_descriptors),
		TEST(test_none_and_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
