// SPDX-License-Identifier: GPL-2.0
/*
 * The server is two processes. This one speaks HTTP. The other one starts the work: see
 * serve_runner.h. The order of cmd_serve_run() matters:
 *
 * 1. What can be wrong with the command line is found first: files, the address, the targets.
 * 2. The runner is forked, while this process still has the rights that the work needs.
 * 3. This process gives up its rights before it reads the first byte from the network.
 */
#include "cli/cmd_serve.h"

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stop_signals.h"
#include "cli/privileges.h"
#include "cli/serve_pages.h"
#include "cli/serve_runner.h"
#include "cli/serve_settings.h"
#include "cli/serve_targets.h"
#include "http/listen_address.h"
#include "http/server.h"
#include "http/tls_files.h"
#include "http/token.h"
#include "session/settings.h"

struct serve {
	const struct serve_settings *settings;
	struct serve_targets targets;
	struct tls_files tls;
	char *token;
	int listen_fd;
	int runner;
	int stop_fd;
	struct serve_pages *pages;
	struct http_server *http;
};

static int read_token(struct serve *s)
{
	const char *path = s->settings->token_file;
	int err = path ? token_read(path, &s->token) : 0;

	if (err == -ENODATA || err == -E2BIG)
		warnx("the first line of %s is empty or over 1,000 bytes: write a token into it", path);
	else if (err)
		warnx("cannot read %s: %s: name another --token-file", path, strerror(-err));
	return err;
}

static int read_tls_files(struct serve *s)
{
	char why[TLS_FILES_WHY];
	int err = 0;

	if (s->settings->tls_cert)
		err = tls_files_read(&s->tls, s->settings->tls_cert, s->settings->tls_key, why);
	if (err)
		warnx("%s", why);
	return err;
}

static const char *place(const struct serve *s)
{
	return s->settings->unix_path ? s->settings->unix_path : s->settings->listen;
}

static int listen_there(struct serve *s)
{
	s->listen_fd = listen_address_open(&s->settings->address);
	if (s->listen_fd >= 0)
		return 0;
	warnx("cannot listen on %s: %s: %s", place(s), strerror(-s->listen_fd),
	      s->listen_fd == -EADDRINUSE ? "end the program that uses it, or name another address" :
					    "name another address");
	return -1;
}

static int start_runner(struct serve *s)
{
	s->runner = serve_runner_start(&s->targets, s->settings->unix_path);
	return s->runner < 0 ? -1 : 0;
}

static int start_http(struct serve *s)
{
	struct http_server_settings settings = {
		.listen_fd = s->listen_fd,
		.checks_host = !s->settings->unix_path,
		.host_names = s->settings->hosts,
		.token = s->token,
		.tls_cert = s->tls.cert, .tls_key = s->tls.key,
		.handle = serve_pages_handle, .gone = serve_pages_gone,
	};

	s->pages = serve_pages_new(&s->targets, s->runner);
	settings.ctx = s->pages;
	s->http = s->pages ? http_server_new(&settings) : NULL;
	if (s->http)
		return 0;
	warnx("cannot start the server: out of memory: free memory");
	return -1;
}

static int prepare(struct serve *s, const struct settings *settings)
{
	if (read_token(s) || read_tls_files(s))
		return -1;
	if (serve_targets_init(&s->targets, settings, s->settings->comm) || listen_there(s) ||
	    start_runner(s))
		return -1;
	return privileges_seal_server() || start_http(s) ? -1 : 0;
}

/* Returns: 1 at the end; 0 to go on; or -1 after it printed the cause. */
static int step(struct serve *s)
{
	struct pollfd fds[HTTP_SERVER_MAX_FDS + 2] = {
		{ .fd = s->stop_fd, .events = POLLIN },
		{ .fd = s->runner, .events = POLLIN },
	};
	nfds_t nr = http_server_fill(s->http, fds + 2);
	struct serve_result result;

	if (poll(fds, nr + 2, http_server_timeout_ms(s->http)) < 0 && errno != EINTR) {
		warnx("cannot wait for requests: %s: start it again", strerror(errno));
		return -1;
	}
	if (fds[0].revents)
		return 1;
	if (fds[1].revents) {
		if (serve_runner_receive(s->runner, &result)) {
			warnx("the process that takes profiles has ended: start the server again");
			return -1;
		}
		serve_pages_take(s->pages, &result);
	}
	http_server_run(s->http, fds + 2, nr);
	return 0;
}

static void finish(struct serve *s)
{
	http_server_free(s->http);
	serve_pages_free(s->pages);
	if (s->runner >= 0)
		close(s->runner);
	if (s->listen_fd >= 0)
		close(s->listen_fd);
	serve_targets_fini(&s->targets);
	tls_files_free(&s->tls);
	free(s->token);
}

int cmd_serve_run(const struct settings *settings, const struct serve_settings *serve, int stop_fd)
{
	struct serve s = { .settings = serve, .listen_fd = -1, .runner = -1, .stop_fd = stop_fd };
	int over = -1;

	signal(SIGPIPE, SIG_IGN);
	s.targets.settings = settings;
	if (!prepare(&s, settings)) {
		warnx("serving on %s%s", s.tls.cert ? "https://" : serve->unix_path ? "" : "http://",
		      place(&s));
		do
			over = step(&s);
		while (!over);
	}
	finish(&s);
	return over > 0 ? 0 : -1;
}
