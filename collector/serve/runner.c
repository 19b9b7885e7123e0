// SPDX-License-Identifier: GPL-2.0
#include "serve/runner.h"

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aggregate/profile_types.h"
#include "http/profile_request.h"
#include "serve/collection.h"
#include "serve/messages.h"
#include "serve/recorder.h"
#include "serve/targets.h"
#include "serve/work.h"
#include "session/settings.h"

/* The limit of profiles, and the same limit of other work. */
#define MAX_CHILDREN	(2 * SERVE_RUNNER_MAX)

/* A file in memory larger than this ends the work. It is far above any profile. */
#define MAX_OUTPUT	((rlim_t)1 << 30)

/* A piece of work. */
struct child {
	uint64_t id;
	pid_t pid;
	int pidfd;		/* -1: the slot is free */
	int out_fd;
	int err_fd;
};

/* The recorder of a target. */
struct recording {
	pid_t pid;				/* of the target; 0: all together */
	struct serve_recorder recorder;		/* its socket is -1 in a free slot */
};

struct runner {
	const struct serve_targets *targets;
	int socket;
	struct child children[MAX_CHILDREN];
	struct recording recordings[SERVE_RUNNER_MAX_RECORDERS];
};

/* A message of the runner. The descriptors of the output and of the messages come with it. */
struct reply {
	uint64_t id;
	int32_t status;
};

int serve_runner_send(int runner, const struct serve_collection *c, int text_fd)
{
	return serve_message_send(runner, c, sizeof(*c), &text_fd, text_fd >= 0);
}

int serve_runner_receive(int runner, struct serve_result *result)
{
	struct reply reply;
	int fds[SERVE_MESSAGE_FDS];
	ssize_t len = serve_message_receive(runner, &reply, sizeof(reply), fds);

	if (len != sizeof(reply))
		return len < 0 ? (int)len : -EPIPE;
	*result = (struct serve_result){ reply.id, reply.status, fds[0], fds[1] };
	return 0;
}

/* The child */

static void limit_files(void)
{
	const struct rlimit output = { MAX_OUTPUT, MAX_OUTPUT };

	setrlimit(RLIMIT_FSIZE, &output);
}

static void __attribute__((noreturn))
run_child(const struct runner *r, const struct child *child, const struct serve_collection *c,
	  int fd, pid_t parent)
{
	int code = SERVE_FAILED;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(r->socket);
	for (size_t i = 0; i < MAX_CHILDREN; i++)
		if (r->children[i].pidfd >= 0)
			close(r->children[i].pidfd);
	if (getppid() == parent && dup2(child->out_fd, STDOUT_FILENO) >= 0 &&
	    dup2(child->err_fd, STDERR_FILENO) >= 0) {
		limit_files();
		code = serve_work(c, r->targets->settings, fd);
	}
	if (fflush(stdout) && code == SERVE_DONE)
		code = SERVE_FAILED;
	_exit(code);
}

/* Opens all that a child needs, and forks it. Returns: 0, or a negative errno. */
static int fork_child(struct runner *r, struct child *child, const struct serve_collection *c,
		      int fd)
{
	pid_t parent = getpid();

	child->out_fd = memfd_create("output", MFD_CLOEXEC);
	child->err_fd = memfd_create("messages", MFD_CLOEXEC);
	if (child->out_fd < 0 || child->err_fd < 0)
		return -errno;
	child->pid = fork();
	if (child->pid < 0)
		return -errno;
	if (!child->pid)
		run_child(r, child, c, fd, parent);
	child->pidfd = syscall(SYS_pidfd_open, child->pid, 0);
	if (child->pidfd >= 0)
		return 0;
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
	return -EMFILE;
}

/* The recorders */

/* Returns: the recording, or NULL after the cause was printed. */
static struct recording *start_recording(struct runner *r, pid_t pid)
{
	for (size_t i = 0; i < SERVE_RUNNER_MAX_RECORDERS; i++) {
		struct recording *recording = &r->recordings[i];

		if (recording->recorder.socket >= 0)
			continue;
		recording->pid = pid;
		if (!serve_recorder_start(&recording->recorder, r->targets->settings, pid))
			return recording;
		recording->recorder.socket = -1;
		return NULL;
	}
	warnx("cannot count events of process %d: those of %d others are counted: name fewer "
	      "processes", pid, SERVE_RUNNER_MAX_RECORDERS);
	return NULL;
}

/* Does the profile count events since the start? */
static bool is_recorded(const struct runner *r, const struct serve_collection *c)
{
	return c->kind == SERVE_PROFILE && !c->seconds && c->type < PROFILE_TYPE_NR &&
	       serve_recorder_counts(r->targets->settings, c->pid) & 1U << c->type;
}

/*
 * Returns the socket of the recorder of a target, or -1 after the cause was printed. A process that
 * was no target at the start gets its recorder now. The work that asks it waits until it is ready.
 */
static int find_recorder(struct runner *r, pid_t pid)
{
	struct recording *recording;

	for (size_t i = 0; i < SERVE_RUNNER_MAX_RECORDERS; i++)
		if (r->recordings[i].recorder.socket >= 0 && r->recordings[i].pid == pid)
			return r->recordings[i].recorder.socket;
	recording = start_recording(r, pid);
	return recording ? recording->recorder.socket : -1;
}

/* Starts the recorders of all targets. Returns: 0, or -1 after the cause was printed. */
static int start_recordings(struct runner *r)
{
	pid_t pids[SERVE_RUNNER_MAX_RECORDERS + 1];
	size_t nr = 1;

	pids[0] = 0;
	if (!serve_targets_has_whole(r->targets))
		nr = serve_targets_list(r->targets, pids, SERVE_RUNNER_MAX_RECORDERS + 1);
	for (size_t i = 0; i < nr; i++) {
		struct recording *recording;

		if (!serve_recorder_counts(r->targets->settings, pids[i]))
			continue;
		recording = start_recording(r, pids[i]);
		if (!recording || serve_recorder_wait(&recording->recorder))
			return -1;
	}
	return 0;
}

/* The runner */

static void close_child(struct child *child)
{
	if (child->pidfd >= 0)
		close(child->pidfd);
	if (child->out_fd >= 0)
		close(child->out_fd);
	if (child->err_fd >= 0)
		close(child->err_fd);
	*child = (struct child){ .pidfd = -1, .out_fd = -1, .err_fd = -1 };
}

static void reply(struct runner *r, uint64_t id, int status, const struct child *child)
{
	struct reply message = { .id = id, .status = status };
	int fds[2] = { child ? child->out_fd : -1, child ? child->err_fd : -1 };

	serve_message_send(r->socket, &message, sizeof(message), fds, child ? 2 : 0);
}

/* The process that speaks HTTP may be under an attacker's control: each field is checked. */
static bool is_allowed(const struct runner *r, const struct serve_collection *c)
{
	if (c->type >= PROFILE_TYPE_NR || c->seconds > PROFILE_REQUEST_MAX_SECONDS ||
	    c->debug > 2 || c->custom[sizeof(c->custom) - 1])
		return false;
	if (c->kind == SERVE_PROFILE && !c->seconds &&
	    (c->type == PROFILE_TYPE_CPU || c->type == PROFILE_TYPE_WALL))
		return false;
	return c->pid ? serve_targets_has(r->targets, c->pid) : serve_targets_has_whole(r->targets);
}

static struct child *find_child(struct runner *r, uint64_t id)
{
	for (size_t i = 0; i < MAX_CHILDREN; i++)
		if (r->children[i].pidfd >= 0 && r->children[i].id == id)
			return &r->children[i];
	return NULL;
}

static struct child *find_slot(struct runner *r)
{
	for (size_t i = 0; i < MAX_CHILDREN; i++)
		if (r->children[i].pidfd < 0)
			return &r->children[i];
	return NULL;
}

/* The session of the work ends with its process. */
static void cancel(struct runner *r, uint64_t id)
{
	struct child *child = find_child(r, id);

	if (!child)
		return;
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
	close_child(child);
}

static void start(struct runner *r, const struct serve_collection *c, int text_fd)
{
	struct child *child = is_allowed(r, c) ? find_slot(r) : NULL;
	int fd = is_recorded(r, c) ? find_recorder(r, c->pid) : text_fd;

	if (child && !fork_child(r, child, c, fd)) {
		child->id = c->id;
		return;
	}
	if (child)
		close_child(child);
	reply(r, c->id, SERVE_FAILED << 8, NULL);
}

static void finish(struct runner *r, struct child *child)
{
	int status = SERVE_FAILED << 8;

	waitpid(child->pid, &status, 0);
	reply(r, child->id, status, child);
	close_child(child);
}

/* Returns: 0, or -1 after the socket was closed. */
static int take_message(struct runner *r)
{
	struct serve_collection c;
	int fds[SERVE_MESSAGE_FDS];
	ssize_t len = serve_message_receive(r->socket, &c, sizeof(c), fds);

	if (len == sizeof(c) && c.kind == SERVE_CANCEL)
		cancel(r, c.id);
	else if (len == sizeof(c))
		start(r, &c, fds[0]);
	serve_message_close(fds);
	return len > 0 || len == -EINTR ? 0 : -1;
}

static int step(struct runner *r)
{
	struct pollfd fds[1 + MAX_CHILDREN + SERVE_RUNNER_MAX_RECORDERS];
	struct pollfd *of_children = fds + 1, *of_recorders = of_children + MAX_CHILDREN;

	fds[0] = (struct pollfd){ .fd = r->socket, .events = POLLIN };
	for (size_t i = 0; i < MAX_CHILDREN; i++)
		of_children[i] = (struct pollfd){ .fd = r->children[i].pidfd, .events = POLLIN };
	for (size_t i = 0; i < SERVE_RUNNER_MAX_RECORDERS; i++)
		of_recorders[i] = (struct pollfd){ .fd = r->recordings[i].recorder.socket };
	if (poll(fds, sizeof(fds) / sizeof(*fds), -1) < 0)
		return errno == EINTR ? 0 : -1;
	for (size_t i = 0; i < MAX_CHILDREN; i++)
		if (of_children[i].revents)
			finish(r, &r->children[i]);
	for (size_t i = 0; i < SERVE_RUNNER_MAX_RECORDERS; i++)
		if (of_recorders[i].revents)
			serve_recorder_end(&r->recordings[i].recorder);
	return fds[0].revents ? take_message(r) : 0;
}

static void __attribute__((noreturn))
run(const struct serve_targets *targets, const char *unix_path, int socket)
{
	struct runner r = { .targets = targets, .socket = socket };
	int err;

	for (size_t i = 0; i < MAX_CHILDREN; i++)
		r.children[i] = (struct child){ .pidfd = -1, .out_fd = -1, .err_fd = -1 };
	for (size_t i = 0; i < SERVE_RUNNER_MAX_RECORDERS; i++)
		r.recordings[i].recorder.socket = -1;
	err = start_recordings(&r);
	reply(&r, 0, err, NULL);
	while (!err && !step(&r))
		;
	if (unix_path)
		unlink(unix_path);
	_exit(0);
}

int serve_runner_start(const struct serve_targets *targets, const char *unix_path,
		       int listen_fd)
{
	struct serve_result first = { 0 };
	int sockets[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets)) {
		warnx("cannot start a process: %s: raise 'ulimit -n'", strerror(errno));
		return -1;
	}
	pid = fork();
	if (!pid) {
		close(sockets[0]);
		close(listen_fd);
		run(targets, unix_path, sockets[1]);
	}
	close(sockets[1]);
	if (pid < 0)
		warnx("cannot start a process: %s: end other processes, or raise 'ulimit -u'",
		      strerror(errno));
	else if (!serve_runner_receive(sockets[0], &first) && !first.status)
		return sockets[0];
	close(sockets[0]);
	return -1;
}
