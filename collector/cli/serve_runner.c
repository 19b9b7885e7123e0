// SPDX-License-Identifier: GPL-2.0
#include "cli/serve_runner.h"

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
#include "cli/serve_collection.h"
#include "cli/serve_targets.h"
#include "cli/serve_work.h"
#include "http/profile_request.h"
#include "session/settings.h"

/* Profiles, and as many pieces of other work. */
#define MAX_CHILDREN	(2 * SERVE_RUNNER_MAX)

/* A file in memory larger than this ends the work. It is far above any profile. */
#define MAX_OUTPUT	((rlim_t)1 << 30)

struct child {
	uint64_t id;
	pid_t pid;
	int pidfd;		/* -1: the slot is free */
	int out_fd;
	int err_fd;
};

struct runner {
	const struct serve_targets *targets;
	int socket;
	struct child children[MAX_CHILDREN];
};

/* What the runner sends; the descriptors come with it. */
struct reply {
	uint64_t id;
	int32_t status;
};

/* Messages */

/* Room for two descriptors. */
union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(2 * sizeof(int))];
};

static int send_message(int socket, void *data, size_t len, const int *fds, size_t nr_fds)
{
	struct iovec part = { data, len };
	union control control = { 0 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (nr_fds) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(nr_fds * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(nr_fds * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, nr_fds * sizeof(int));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Fills fds, of two, with the descriptors that came, or -1. Returns: the length, or -errno. */
static ssize_t receive_message(int socket, void *data, size_t len, int *fds)
{
	struct iovec part = { data, len };
	union control control = { 0 };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);

	fds[0] = fds[1] = -1;
	if (got < 0)
		return -errno;
	if (message.msg_controllen && control.header.cmsg_type == SCM_RIGHTS)
		memcpy(fds, CMSG_DATA(&control.header), control.header.cmsg_len - CMSG_LEN(0));
	return got;
}

int serve_runner_send(int runner, const struct serve_collection *c, int text_fd)
{
	struct serve_collection copy = *c;

	return send_message(runner, &copy, sizeof(copy), &text_fd, text_fd >= 0);
}

int serve_runner_receive(int runner, struct serve_result *result)
{
	struct reply reply;
	int fds[2];
	ssize_t len = receive_message(runner, &reply, sizeof(reply), fds);

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
	  int text_fd, pid_t parent)
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
		code = serve_work(c, r->targets->settings, text_fd);
	}
	if (fflush(stdout) && code == SERVE_DONE)
		code = SERVE_FAILED;
	_exit(code);
}

/* Opens all that a child needs, and forks it. Returns: 0, or a negative errno. */
static int fork_child(struct runner *r, struct child *child, const struct serve_collection *c,
		      int text_fd)
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
		run_child(r, child, c, text_fd, parent);
	child->pidfd = syscall(SYS_pidfd_open, child->pid, 0);
	if (child->pidfd >= 0)
		return 0;
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
	return -EMFILE;
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

	send_message(r->socket, &message, sizeof(message), fds, child ? 2 : 0);
}

/* The process that speaks HTTP may be the victim of an attack: it must not widen its rights. */
static bool is_allowed(const struct runner *r, const struct serve_collection *c)
{
	if (c->type >= PROFILE_TYPE_NR || c->seconds > PROFILE_REQUEST_MAX_SECONDS ||
	    c->debug > 2 || c->custom[sizeof(c->custom) - 1])
		return false;
	if (c->kind == SERVE_PROFILE && !c->seconds &&
	    (c->type == PROFILE_TYPE_CPU || c->type == PROFILE_TYPE_WALL))
		return false;
	return c->pid ? serve_targets_has(r->targets, c->pid) : r->targets->settings->all;
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

	if (child && !fork_child(r, child, c, text_fd)) {
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
	int fds[2];
	ssize_t len = receive_message(r->socket, &c, sizeof(c), fds);

	if (len == sizeof(c) && c.kind == SERVE_CANCEL)
		cancel(r, c.id);
	else if (len == sizeof(c))
		start(r, &c, fds[0]);
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return len > 0 || len == -EINTR ? 0 : -1;
}

static int step(struct runner *r)
{
	struct pollfd fds[MAX_CHILDREN + 1] = { { .fd = r->socket, .events = POLLIN } };

	for (size_t i = 0; i < MAX_CHILDREN; i++)
		fds[i + 1] = (struct pollfd){ .fd = r->children[i].pidfd, .events = POLLIN };
	if (poll(fds, MAX_CHILDREN + 1, -1) < 0)
		return errno == EINTR ? 0 : -1;
	for (size_t i = 0; i < MAX_CHILDREN; i++)
		if (fds[i + 1].revents)
			finish(r, &r->children[i]);
	return fds[0].revents ? take_message(r) : 0;
}

static void __attribute__((noreturn))
run(const struct serve_targets *targets, const char *unix_path, int socket)
{
	struct runner r = { .targets = targets, .socket = socket };

	for (size_t i = 0; i < MAX_CHILDREN; i++)
		r.children[i] = (struct child){ .pidfd = -1, .out_fd = -1, .err_fd = -1 };
	while (!step(&r))
		;
	if (unix_path)
		unlink(unix_path);
	_exit(0);
}

int serve_runner_start(const struct serve_targets *targets, const char *unix_path)
{
	int sockets[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return -1;
	pid = fork();
	if (!pid) {
		close(sockets[0]);
		run(targets, unix_path, sockets[1]);
	}
	close(sockets[1]);
	if (pid > 0)
		return sockets[0];
	close(sockets[0]);
	return -1;
}
