// SPDX-License-Identifier: GPL-2.0
// sources: collector/http/listen_address.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "http/listen_address.h"

static void assert_address(const char *text, const char *host, int port, bool is_local)
{
	struct listen_address a;
	char found[INET6_ADDRSTRLEN] = "";

	if (listen_address_read(&a, text))
		fail_msg("%s is refused", text);
	if (a.addr.ss_family == AF_INET) {
		const struct sockaddr_in *in = (struct sockaddr_in *)&a.addr;

		inet_ntop(AF_INET, &in->sin_addr, found, sizeof(found));
		assert_int_equal(ntohs(in->sin_port), port);
	} else {
		const struct sockaddr_in6 *in = (struct sockaddr_in6 *)&a.addr;

		inet_ntop(AF_INET6, &in->sin6_addr, found, sizeof(found));
		assert_int_equal(ntohs(in->sin6_port), port);
	}
	assert_string_equal(found, host);
	assert_int_equal(listen_address_is_local(&a), is_local);
}

static void test_read(void **state)
{
	(void)state;
	assert_address("127.0.0.1:6060", "127.0.0.1", 6060, true);
	assert_address("127.9.9.9:1", "127.9.9.9", 1, true);
	assert_address("localhost:6060", "127.0.0.1", 6060, true);
	assert_address("0.0.0.0:65535", "0.0.0.0", 65535, false);
	assert_address("192.0.2.1:80", "192.0.2.1", 80, false);
	assert_address("[::1]:6060", "::1", 6060, true);
	assert_address("[::]:6060", "::", 6060, false);
}

static void test_refused(void **state)
{
	static const char *const texts[] = {
		"", "6060", ":6060", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536",
		"127.0.0.1:80x", "127.0.0.1:-1", "127.0.0.1:+1", "example.com:80", "::1:6060",
		"[::1:6060", "[]:1", "[::1]6060", "[127.0.0.1]:80", "300.1.1.1:80",
		"[1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb:cccc]:80",
	};
	struct listen_address a;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (listen_address_read(&a, texts[i]) != -EINVAL)
			fail_msg("'%s' is taken", texts[i]);
}

static void test_port_in_use(void **state)
{
	struct listen_address a;
	int first, second;

	(void)state;
	assert_int_equal(listen_address_read(&a, "127.0.0.1:1"), 0);
	((struct sockaddr_in *)&a.addr)->sin_port = 0;
	first = listen_address_open(&a);
	assert_true(first >= 0);
	assert_int_equal(getsockname(first, (struct sockaddr *)&a.addr, &a.len), 0);
	second = listen_address_open(&a);
	assert_int_equal(second, -EADDRINUSE);
	close(first);
}

static int try_connect(const struct listen_address *a)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	int err = connect(fd, (const struct sockaddr *)&a->addr, a->len) ? -errno : 0;

	close(fd);
	return err;
}

/* A socket whose server was killed is replaced. A socket in use is not, nor is another file. */
static void test_unix(void **state)
{
	char folder[] = "/tmp/listen.XXXXXX", path[64], file[64];
	struct listen_address a, other;
	struct stat st;
	int first;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/s", folder);
	snprintf(file, sizeof(file), "%s/f", folder);
	assert_int_equal(listen_address_unix(&a, path), 0);
	assert_true(listen_address_is_local(&a));
	first = listen_address_open(&a);
	assert_true(first >= 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(try_connect(&a), 0);
	assert_int_equal(listen_address_open(&a), -EADDRINUSE);
	close(first);
	assert_int_equal(try_connect(&a), -ECONNREFUSED);
	first = listen_address_open(&a);
	assert_true(first >= 0);
	close(first);
	fclose(fopen(file, "w"));
	assert_int_equal(listen_address_unix(&other, file), 0);
	assert_int_equal(listen_address_open(&other), -EADDRINUSE);
	assert_int_equal(unlink(file), 0);
	unlink(path);
	rmdir(folder);
}

static void test_long_path(void **state)
{
	struct listen_address a;
	char path[109];

	(void)state;
	memset(path, 'x', sizeof(path));
	path[108] = 0;
	assert_int_equal(listen_address_unix(&a, path), -ENAMETOOLONG);
	path[107] = 0;
	assert_int_equal(listen_address_unix(&a, path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_port_in_use),
		cmocka_unit_test(test_unix),
		cmocka_unit_test(test_long_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
