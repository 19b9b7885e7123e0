// SPDX-License-Identifier: GPL-2.0
// sources: collector/http/server.c collector/http/answer.c collector/http/host_header.c
// sources: collector/http/query.c collector/http/token.c collector/http/listen_address.c
// sources: collector/http/tls_files.c
// sources: collector/base/library.c collector/base/libgnutls.c collector/http/libmicrohttpd.c
/* This thread is both the server and its clients. LeakSanitizer checks what is left at the end. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "http/libmicrohttpd.h"
#include "http/listen_address.h"
#include "http/metrics.h"
#include "http/server.h"

static struct {
	char folder[32], path[64];
	struct listen_address address;
	struct http_server_settings settings;
	struct http_server *server;
	struct http_request *kept;
	char text[4096];	/* what the last request had */
	unsigned int nr_gone;
} world;

/* Requests for /keep are answered later, or never. The others get what they were. */
static void handle(void *ctx, struct http_request *r)
{
	struct answer a;

	assert_ptr_equal(ctx, &world);
	snprintf(world.text, sizeof(world.text), "%d %s ? %s [%.*s]", r->method, r->path, r->query,
		 (int)r->body_len, r->body);
	if (!strcmp(r->path, "/keep")) {
		world.kept = r;
		return;
	}
	answer_ok(&a, ANSWER_PLAIN);
	snprintf(a.text, sizeof(a.text), "done");
	if (r->method == HTTP_HEAD)
		http_answer_head(r, &a);
	else
		http_answer_text(r, &a);
}

static void gone(void *ctx, struct http_request *r)
{
	assert_ptr_equal(ctx, &world);
	assert_ptr_equal(r, world.kept);
	world.kept = NULL;
	world.nr_gone++;
}

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	signal(SIGPIPE, SIG_IGN);
	strcpy(world.folder, "/tmp/server.XXXXXX");
	assert_non_null(mkdtemp(world.folder));
	snprintf(world.path, sizeof(world.path), "%s/s", world.folder);
	assert_int_equal(listen_address_unix(&world.address, world.path), 0);
	world.settings = (struct http_server_settings){
		.listen_fd = listen_address_open(&world.address), .checks_host = true,
		.handle = handle, .gone = gone, .ctx = &world,
	};
	assert_true(world.settings.listen_fd >= 0);
	return 0;
}

static void start(void)
{
	assert_int_equal(libmicrohttpd_load(), 0);
	world.server = http_server_new(&world.settings);
	assert_non_null(world.server);
}

static int end(void **state)
{
	(void)state;
	http_server_free(world.server);
	close(world.settings.listen_fd);
	unlink(world.path);
	return rmdir(world.folder);
}

/* Lets the server do what is due, until there is nothing more for some time. */
static void serve(void)
{
	struct pollfd fds[HTTP_SERVER_MAX_FDS];
	bool is_due;
	nfds_t nr;

	do {
		nr = http_server_fill(world.server, fds);
		is_due = !http_server_timeout_ms(world.server);
		is_due |= poll(fds, nr, is_due ? 0 : 20) > 0;
		http_server_run(world.server, fds, nr);
	} while (is_due);
}

static int connect_client(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&world.address.addr, world.address.len), 0);
	return fd;
}

static void say(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	serve();
}

/* Returns what the server has sent, and closes the client. */
static const char *hear(int fd)
{
	static char text[16384];
	ssize_t len = 0, got;

	while ((got = recv(fd, text + len, sizeof(text) - 1 - len, MSG_DONTWAIT)) > 0)
		len += got;
	text[len] = 0;
	close(fd);
	serve();
	return text;
}

static const char *ask(const char *text)
{
	int fd = connect_client();

	say(fd, text);
	return hear(fd);
}

static void assert_status(const char *request, const char *status)
{
	const char *text = ask(request);

	if (strncmp(text, "HTTP/1.1 ", 9) || strncmp(text + 9, status, 3))
		fail_msg("%s: %s", request, text);
}

static void test_get(void **state)
{
	const char *text;

	(void)state;
	start();
	text = ask("GET /a%20b?x=%31 HTTP/1.1\r\nHost: localhost\r\n\r\n");
	assert_string_equal(world.text, "0 /a b ? x=%31 []");
	assert_non_null(strstr(text, "\r\nCache-Control: no-store\r\n"));
	assert_non_null(strstr(text, "\r\nX-Content-Type-Options: nosniff\r\n"));
	assert_non_null(strstr(text, "\r\n\r\ndone"));
	ask("GET /a%00b HTTP/1.1\r\nHost: localhost\r\n\r\n");
	assert_string_equal(world.text, "0  ?  []");
	ask("GET /%zz?a HTTP/1.1\r\nHost: localhost\r\n\r\n");
	assert_string_equal(world.text, "0  ? a []");
}

static void test_head(void **state)
{
	const char *text;

	(void)state;
	start();
	text = ask("HEAD /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
	assert_memory_equal(text, "HTTP/1.1 200", 12);
	assert_string_equal(strstr(text, "\r\n\r\n"), "\r\n\r\n");
}

static void test_body_in_pieces(void **state)
{
	int fd;

	(void)state;
	start();
	fd = connect_client();
	say(fd, "POST /s HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 5\r\n\r\n");
	say(fd, "ab");
	assert_string_equal(world.text, "");
	say(fd, "cde");
	assert_string_equal(world.text, "2 /s ?  [abcde]");
	assert_non_null(strstr(hear(fd), "done"));
	ask("POST /s HTTP/1.1\r\nHost: [::1]\r\nTransfer-Encoding: chunked\r\n\r\n"
	    "2\r\nxy\r\n1\r\nz\r\n0\r\n\r\n");
	assert_string_equal(world.text, "2 /s ?  [xyz]");
}

static void test_answer_later(void **state)
{
	struct answer a;
	int fd;

	(void)state;
	start();
	fd = connect_client();
	say(fd, "GET /keep HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
	assert_non_null(world.kept);
	answer_error(&a, 500, "why");
	http_answer_text(world.kept, &a);
	serve();
	assert_int_equal(world.nr_gone, 0);
	/* The connection serves the next request. */
	say(fd, "GET /next HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
	assert_string_equal(world.text, "0 /next ?  []");
	assert_non_null(strstr(hear(fd), "\r\n\r\nwhy\n"));
}

static void test_file_and_bytes(void **state)
{
	FILE *file = tmpfile();
	struct answer a;
	const char *text;
	int fd;

	(void)state;
	start();
	fputs("content", file);
	fflush(file);
	answer_ok(&a, ANSWER_BINARY);
	answer_name_file(&a, "heap", "-delta");
	fd = connect_client();
	say(fd, "GET /keep HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
	http_answer_file(world.kept, &a, dup(fileno(file)));
	serve();
	say(fd, "GET /keep HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
	http_answer_bytes(world.kept, &a, strdup("bytes"), 5);
	serve();
	text = hear(fd);
	assert_non_null(strstr(text, "filename=\"heap-delta\"\r\n"));
	assert_non_null(strstr(text, "\r\nContent-Length: 7\r\n"));
	assert_non_null(strstr(text, "\r\n\r\ncontent"));
	assert_non_null(strstr(text, "\r\n\r\nbytes"));
	fclose(file);
}

/* A client may close the connection, or only its sending half. */
static void test_clients_that_go(void **state)
{
	int fd;

	(void)state;
	start();
	fd = connect_client();
	say(fd, "GET /keep HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
	close(fd);
	serve();
	assert_int_equal(world.nr_gone, 1);
	fd = connect_client();
	say(fd, "GET /keep HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
	shutdown(fd, SHUT_WR);
	serve();
	assert_int_equal(world.nr_gone, 2);
	close(fd);
}

/* The server ends while a client waits, others send, and one has only connected. */
static void test_end_of_the_server(void **state)
{
	static const char *const texts[] = {
		"GET /keep HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "GET /a HTTP/1.1\r\nHo", "GE", "",
		"POST /a HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nabc",
	};
	int fds[5];

	(void)state;
	start();
	for (size_t i = 0; i < 5; i++) {
		fds[i] = connect_client();
		say(fds[i], texts[i]);
	}
	http_server_free(world.server);
	world.server = NULL;
	assert_int_equal(world.nr_gone, 1);
	for (size_t i = 0; i < 5; i++)
		close(fds[i]);
}

static void test_refused_heads(void **state)
{
	char long_url[9000];

	(void)state;
	world.settings.token = "secret";
	start();
	assert_status("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", "403");
	/* Of HTTP/1.1 libmicrohttpd 1.0 refuses it itself, with 400. */
	assert_status("GET / HTTP/1.0\r\n\r\n", "403");
	assert_status("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "401");
	assert_status("GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\n\r\n",
		      "200");
	assert_status("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048577\r\n\r\n", "413");
	memset(long_url, 'a', sizeof(long_url));
	snprintf(long_url + 8300, 64, " HTTP/1.1\r\nHost: localhost\r\n\r\n");
	memcpy(long_url, "GET /", 5);
	assert_status(long_url, "414");
	assert_string_equal(world.text, "0 / ?  []");
}

static void test_names_of_hosts(void **state)
{
	(void)state;
	world.settings.host_names = "a.example";
	start();
	assert_status("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", "200");
	assert_status("GET / HTTP/1.1\r\nHost: b.example\r\n\r\n", "403");
}

static void test_figures(void **state)
{
	struct metrics m;
	int fd;

	(void)state;
	start();
	ask("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
	ask("GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n");
	fd = connect_client();
	say(fd, "GET");
	http_server_measure(world.server, &m);
	assert_int_equal(m.answers[2], 1);
	assert_int_equal(m.answers[4], 1);
	assert_int_equal(m.nr_connections, 1);
	hear(fd);
	http_server_measure(world.server, &m);
	assert_int_equal(m.nr_connections, 0);
}

/* A connection without a request is ended after 10 s at the latest. */
static void test_timeout(void **state)
{
	int fd;

	(void)state;
	start();
	assert_int_equal(http_server_timeout_ms(world.server), -1);
	fd = connect_client();
	serve();
	assert_true(http_server_timeout_ms(world.server) > 5000);
	assert_true(http_server_timeout_ms(world.server) <= 10001);
	close(fd);
	serve();
	assert_int_equal(http_server_timeout_ms(world.server), -1);
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_get),
		TEST(test_head),
		TEST(test_body_in_pieces),
		TEST(test_answer_later),
		TEST(test_file_and_bytes),
		TEST(test_clients_that_go),
		TEST(test_end_of_the_server),
		TEST(test_refused_heads),
		TEST(test_names_of_hosts),
		TEST(test_figures),
		TEST(test_timeout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
