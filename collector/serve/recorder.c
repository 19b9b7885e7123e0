// SPDX-License-Identifier: GPL-2.0
#include "serve/recorder.h"

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aggregate/aggregator.h"
#include "aggregate/locations.h"
#include "aggregate/profile_types.h"
#include "base/stop_signals.h"
#include "device/device.h"
#include "pprof/gzip_file.h"
#include "run/changed_files.h"
#include "run/naming_privileges.h"
#include "run/profile_loop.h"
#include "run/profile_output.h"
#include "run/profile_prepare.h"
#include "run/profile_run.h"
#include "serve/collection.h"
#include "serve/messages.h"
#include "serve/targets.h"
#include "session/settings.h"
#include "session/unwind_tables.h"

#define OTHER_TYPES	(1U << PROFILE_TYPE_BLOCK | 1U << PROFILE_TYPE_MUTEX |	\
			 1U << PROFILE_TYPE_THREADCREATE | 1U << PROFILE_TYPE_GROWTH)
#define HEAP_TYPES	(1U << PROFILE_TYPE_HEAP | 1U << PROFILE_TYPE_ALLOCS)

/* The descriptors of a request, in their order. */
enum { OUT, ERRORS, REPLY };

struct request {
	uint32_t type;
	uint32_t debug;
};

unsigned int serve_recorder_counts(const struct settings *settings, pid_t pid)
{
	unsigned int types = settings->profile_types & (OTHER_TYPES | HEAP_TYPES);

	for (uint32_t type = 0; type < PROFILE_TYPE_NR; type++)
		if (serve_targets_refusal(settings, pid, type))
			types &= ~(1U << type);
	return types;
}

/* The child that writes a profile. It also writes the new unwind tables to the cache. */

struct answer {
	struct profile_run *r;
	const struct request *request;
	const int *fds;
	pid_t recorder;
	struct new_tables tables;
};

static bool never(void *ctx)
{
	(void)ctx;
	return false;
}

/* The child writes to standard output, so it needs no folder. */
static int give_up_rights(void)
{
	int folder;

	return naming_privileges_keep(&folder, 0);
}

static void add_comment(struct profile_comments *c, const char *text)
{
	if (c->nr == PROFILE_COMMENTS_MAX)
		return;
	c->list[c->nr] = text;
	c->list[++c->nr] = NULL;
}

static int write_profile(struct profile_run *r, const struct request *request)
{
	struct gzip_file *gz = gzip_file_open("-", GZIP_FILE_REPLACE |
					      (request->debug ? GZIP_FILE_PLAIN : 0));
	struct profile_output output;
	int err;

	if (!gz)
		return -errno;
	profile_output_fill(&output, r, request->type, NULL, 0);
	add_comment(&output.comments, "counted from the start of the server or of the first request");
	output.in.text = request->debug;
	err = profile_export_write(&output.in, gz);
	if (!err)
		return gzip_file_commit(gz, NULL);
	gzip_file_abort(gz);
	return err;
}

static int finish(struct profile_run *r)
{
	aggregator_end(r->aggregator, time_span_end(&r->span, 0));
	if (aggregator_finish(r->aggregator)) {
		warnx("cannot count the samples: out of memory: give a smaller --max-stacks");
		return -1;
	}
	return 0;
}

/*
 * An open session is a right to the memory of its targets, and the socket one to the requests of
 * others. This process reads files that anyone has written.
 */
static void leave_recorder(const struct profile_run *r)
{
	close(device_fd(r->dev));
	close(r->request_fd);
}

/* The rings of the session are not mapped here: their counters were read before the fork. */
static int write_answer(const struct answer *a)
{
	int err;

	leave_recorder(a->r);
	if (give_up_rights())
		return SERVE_FAILED;
	new_tables_write(&a->tables);
	if (finish(a->r))
		return SERVE_FAILED;
	locations_name_all(a->r->locations, never, NULL);
	err = write_profile(a->r, a->request);
	if (err < 0)
		warnx("cannot write the profile: %s: ask again", strerror(-err));
	return err < 0 ? SERVE_FAILED : SERVE_DONE;
}

static void __attribute__((noreturn)) run_answer(const struct answer *a)
{
	uint8_t code = SERVE_FAILED;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == a->recorder && dup2(a->fds[OUT], STDOUT_FILENO) >= 0 &&
	    dup2(a->fds[ERRORS], STDERR_FILENO) >= 0)
		code = write_answer(a);
	/* If this byte does not come, the asker takes it for a crash. */
	_exit(write(a->fds[REPLY], &code, sizeof(code)) == sizeof(code) ? 0 : 1);
}

/* The recorder */

static bool is_counted(const struct profile_run *r, const struct request *request)
{
	return request->type < PROFILE_TYPE_NR &&
	       r->settings->profile_types & 1U << request->type;
}

/*
 * If fork() fails, the asker sees that its pipe is closed. The tables are taken before: the thread
 * that compiles may hold their lock during fork().
 */
static void start_answer(struct profile_run *r, const struct request *request, const int *fds)
{
	struct answer a = {
		.r = r, .request = request, .fds = fds, .recorder = getpid(),
		.tables = unwind_tables_take_new(r->tables),
	};

	if (!fork())
		run_answer(&a);
	new_tables_fini(&a.tables);
}

/* A profile_run callback. */
static int take_request(struct profile_run *r)
{
	int fds[SERVE_MESSAGE_FDS];
	struct request request;
	ssize_t len = serve_message_receive(r->request_fd, &request, sizeof(request), fds);

	if (len == sizeof(request) && fds[REPLY] >= 0 && is_counted(r, &request)) {
		if (changed_files_update(r))
			return -1;
		profile_run_count(r);
		/* Their CPU time counts once they are waited for. */
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		start_answer(r, &request, fds);
	}
	serve_message_close(fds);
	return len > 0 || len == -EINTR ? 0 : -1;
}

static void fill_settings(struct settings *s, const struct settings *from, pid_t *pid)
{
	*s = *from;
	s->quiet = true;
	serve_targets_choose(s, pid);
	s->profile_types = serve_recorder_counts(from, *pid);
	s->duration_ns = 0;
	s->flame = NULL;
	s->output = "/dev/null";	/* there is no file at the end of this run */
}

/* Runs until the last target ends, or a signal comes. */
static int record(const struct settings *from, pid_t pid, int socket, int stop_fd)
{
	struct settings s;
	struct profile_run r;
	int err;

	fill_settings(&s, from, &pid);
	profile_run_init(&r, &s, stop_fd, NULL);
	r.on_request = take_request;
	r.request_fd = socket;
	err = profile_prepare(&r);
	if (!err && send(socket, "", 1, MSG_NOSIGNAL) != 1)
		err = -1;
	if (!err)
		err = profile_loop(&r);
	profile_run_fini(&r);
	return err;
}

static void __attribute__((noreturn))
run_recorder(const struct settings *settings, pid_t pid, int socket, pid_t parent)
{
	int stop_fd = stop_open();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	_exit(record(settings, pid, socket, stop_fd) ? 1 : 0);
}

int serve_recorder_start(struct serve_recorder *recorder, const struct settings *settings,
			 pid_t pid)
{
	pid_t parent = getpid();
	int sockets[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets)) {
		warnx("cannot start a recorder: %s: raise 'ulimit -n'", strerror(errno));
		return -1;
	}
	recorder->socket = sockets[0];
	recorder->child = fork();
	if (!recorder->child) {
		close(sockets[0]);
		run_recorder(settings, pid, sockets[1], parent);
	}
	close(sockets[1]);
	if (recorder->child > 0)
		return 0;
	warnx("cannot start a recorder: %s: raise 'ulimit -u'", strerror(errno));
	close(sockets[0]);
	return -1;
}

/* A recorder that is prepared sends a byte. One that has failed closes the socket. */
int serve_recorder_wait(const struct serve_recorder *recorder)
{
	char byte;

	return recv(recorder->socket, &byte, 1, 0) == 1 ? 0 : -1;
}

void serve_recorder_end(struct serve_recorder *recorder)
{
	close(recorder->socket);
	kill(recorder->child, SIGKILL);
	waitpid(recorder->child, NULL, 0);
	recorder->socket = -1;
}

/* The asker */

int serve_recorder_ask(int socket, uint32_t type, uint32_t debug, int out_fd, int err_fd)
{
	const struct request request = { type, debug };
	uint8_t code = SERVE_FAILED;
	int reply[2], err;
	ssize_t len;

	if (pipe(reply)) {
		warnx("cannot ask for the profile: %s: ask again", strerror(errno));
		return SERVE_FAILED;
	}
	err = serve_message_send(socket, &request, sizeof(request),
				 (int[]){ [OUT] = out_fd, [ERRORS] = err_fd, [REPLY] = reply[1] },
				 SERVE_MESSAGE_FDS);
	close(reply[1]);
	len = err ? 0 : read(reply[0], &code, sizeof(code));
	close(reply[0]);
	if (len == sizeof(code))
		return code;
	warnx("the session of the process has ended: start pprof-collect serve again");
	return SERVE_FAILED;
}
