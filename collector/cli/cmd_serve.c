// SPDX-License-Identifier: GPL-2.0
/*
 * The server is two processes. This one speaks HTTP. The other one, the runner, starts the
 * processes that take profiles: see serve/runner.h. The order of steps matters:
 *
 * 1. The targets and the address are checked first: if they are wrong, no session is opened, which
 *    would slow programs down in vain.
 * 2. The runner is forked, while this process still has the rights that the work needs. The work
 *    reads files of other users, so no secret may be in the memory that it inherits.
 * 3. The token and the TLS key are read.
 * 4. This process gives up its rights before it reads the first byte from the network.
 */
#include "cli/cmd_serve.h"

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/stop_signals.h"
#include "http/listen_address.h"
#include "http/libmicrohttpd.h"
#include "http/server.h"
#include "http/tls_files.h"
#include "http/token.h"
#include "run/privileges.h"
#include "serve/module_state.h"
#include "serve/pages.h"
#include "serve/runner.h"
#include "serve/service_manager.h"
#include "serve/settings.h"
#include "serve/targets.h"
#include "session/session_totals.h"
#include "session/settings.h"

struct serve {
	const struct serve_settings *settings;
	struct settings of_runs;
	struct serve_targets targets;
	struct service_manager manager;
	struct listen_address address;
	char *token;
	bool is_passed;		/* the service manager has opened the socket */
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
		warnx("the first line of %s is empty or over 1,000 bytes: write a token into it",
		      path);
	else if (err)
		warnx("cannot read %s: %s: name another --token-file", path, strerror(-err));
	return err;
}

static int load_library(void)
{
	if (!libmicrohttpd_load())
		return 0;
	warnx("cannot load the library libmicrohttpd: install libmicrohttpd12");
	return -1;
}

static int read_tls_files(const struct serve *s)
{
	char why[TLS_FILES_WHY];
	int err = 0;

	if (s->settings->tls_cert)
		err = tls_files_read(s->settings->tls_cert, s->settings->tls_key, why);
	if (err)
		warnx("%s", why);
	return err;
}

static bool is_unix(const struct serve *s)
{
	return s->address.addr.ss_family == AF_UNIX;
}

static const char *place(const struct serve *s)
{
	if (s->is_passed)
		return "the socket of the service manager";
	return is_unix(s) ? s->settings->unix_path : s->settings->listen;
}

/* The service manager has chosen the address of the socket: --listen is ignored. */
static int take_socket(struct serve *s)
{
	const struct serve_settings *set = s->settings;

	if (listen_address_of(&s->address, s->listen_fd)) {
		warnx("cannot use the socket of the service manager: %s: give it one stream socket",
		      strerror(errno));
		return -1;
	}
	if (listen_address_is_local(&s->address) || set->tls_cert || set->token_file ||
	    set->is_insecure)
		return 0;
	warnx("other machines reach the socket of the service manager: give --token-file and "
	      "--tls-cert, or --insecure to let everyone in");
	return -1;
}

static int listen_there(struct serve *s)
{
	s->listen_fd = service_manager_socket();
	s->is_passed = s->listen_fd != -1;
	if (s->listen_fd >= 0)
		return take_socket(s);
	if (s->is_passed) {
		warnx("the service manager passes several sockets: give it one");
		return -1;
	}
	s->listen_fd = listen_address_open(&s->address);
	if (s->listen_fd >= 0)
		return 0;
	warnx("cannot listen on %s: %s: %sname another address", place(s), strerror(-s->listen_fd),
	      s->listen_fd == -EADDRINUSE ? "end the program that uses it, or " : "");
	return -1;
}

static int start_runner(struct serve *s)
{
	s->runner = serve_runner_start(&s->targets, s->settings->unix_path, s->listen_fd);
	return s->runner < 0 ? -1 : 0;
}

static int start_http(struct serve *s)
{
	struct http_server_settings settings = {
		.listen_fd = s->listen_fd,
		.checks_host = !is_unix(s),
		.host_names = s->settings->hosts,
		.token = s->token,
		.has_tls = s->settings->tls_cert,
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

/* All processes that take profiles are children of the runner, and share the counters. */
static int share_totals(struct serve *s)
{
	s->of_runs.totals = session_totals_new();
	if (s->of_runs.totals)
		return 0;
	warnx("cannot start the server: out of memory: free memory");
	return -1;
}

static int prepare(struct serve *s)
{
	if (share_totals(s) || serve_targets_init(&s->targets, &s->of_runs, s->settings->comm) ||
	    listen_there(s) || start_runner(s))
		return -1;
	if (load_library() || read_token(s) || read_tls_files(s))
		return -1;
	session_totals_seal(s->of_runs.totals);
	return privileges_seal_server() || start_http(s) ? -1 : 0;
}

/*
 * Returns how long to wait at most, in ms; negative: without a limit. The service manager must get
 * WATCHDOG=1 within watchdog_ns. It gets it twice in that time.
 */
static int timeout_ms(const struct serve *s)
{
	int ms = http_server_timeout_ms(s->http);
	uint64_t watchdog_ms = s->manager.watchdog_ns / 2000000;

	return watchdog_ms && (ms < 0 || watchdog_ms < (uint64_t)ms) ? (int)watchdog_ms : ms;
}

/*
 * After SIGHUP the TLS files are read again, if there are any. If the new files are wrong, the old
 * ones stay in use. A service manager asks for a reload by SIGHUP, so it never ends a service, even
 * one without TLS.
 * Returns: 1 if the signal ends the server; 0 if not; or -1 after it printed the cause.
 */
static int take_signal(struct serve *s)
{
	struct signalfd_siginfo signal;

	if (read(s->stop_fd, &signal, sizeof(signal)) != sizeof(signal)) {
		warnx("cannot read a signal: %s: start it again", strerror(errno));
		return -1;
	}
	if (signal.ssi_signo != SIGHUP || (!s->settings->tls_cert && s->manager.fd < 0))
		return 1;
	service_manager_tell_reload(&s->manager);
	read_tls_files(s);
	service_manager_tell(&s->manager, "READY=1");
	return 0;
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

	module_state_watch();
	service_manager_tell(&s->manager, "WATCHDOG=1");
	if (poll(fds, nr + 2, timeout_ms(s)) < 0 && errno != EINTR) {
		warnx("cannot wait for requests: %s: start it again", strerror(errno));
		return -1;
	}
	if (fds[0].revents) {
		int over = take_signal(s);

		if (over)
			return over;
	}
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
	tls_files_free();
	service_manager_fini(&s->manager);
	free(s->token);
}

int cmd_serve_run(const struct settings *settings, const struct serve_settings *serve, int stop_fd)
{
	struct serve s = {
		.settings = serve, .of_runs = *settings, .address = serve->address,
		.listen_fd = -1, .runner = -1, .stop_fd = stop_fd,
	};
	int over = -1;

	signal(SIGPIPE, SIG_IGN);
	s.targets.settings = &s.of_runs;
	service_manager_init(&s.manager);
	if (!prepare(&s)) {
		warnx("serving on %s%s", serve->tls_cert && !s.is_passed ? "https://" :
		      is_unix(&s) || s.is_passed ? "" : "http://", place(&s));
		service_manager_tell(&s.manager, "READY=1");
		do
			over = step(&s);
		while (!over);
		service_manager_tell(&s.manager, "STOPPING=1");
	}
	finish(&s);
	return over > 0 ? 0 : -1;
}
