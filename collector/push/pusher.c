// SPDX-License-Identifier: GPL-2.0
#include "push/pusher.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "push/item_codec.h"
#include "push/push_item.h"
#include "push/push_settings.h"
#include "push/sender.h"

struct pusher {
	pid_t pid;
	int socket;
	struct outbox_counts *counts;	/* shared with the child */
	size_t nr;
};

/* Closes all descriptors but the standard ones, low and high. low is not larger than high. */
static void close_others(int low, int high)
{
	if (low > STDERR_FILENO + 1)
		close_range(STDERR_FILENO + 1, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0U, 0);
}

/*
 * The child closes the descriptors of other parts of the program. If it kept them open, the child
 * for -- COMMAND, for instance, would not see that the parent of both has ended.
 * Returns: the exit code.
 */
static int run_child(const struct pusher *p, const struct push_settings *settings, int socket,
		     int folder, int (*seal)(int folder))
{
	int other = folder < 0 ? socket : folder;

	close_others(socket < other ? socket : other, socket < other ? other : socket);
	prctl(PR_SET_NAME, "pprof-push");
	signal(SIGPIPE, SIG_IGN);	/* the reader of standard error may be gone */
	if (sender_prepare(settings, folder) || seal(folder))
		return 1;
	return sender_run(settings, socket, folder, p->counts) ? 1 : 0;
}

/* Returns: a descriptor with a lock; -1 if there is no spool; or -2 after it printed the cause. */
static int open_spool(const char *path)
{
	int fd;

	if (!path)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	if (fd >= 0 && errno == EWOULDBLOCK)
		warnx("%s is in use by another run: give another --push-spool", path);
	else
		warnx("cannot open %s: %s: give another --push-spool", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -2;
}

static struct pusher *new_pusher(size_t nr)
{
	struct pusher *p = malloc(sizeof(*p));
	void *counts = mmap(NULL, nr * sizeof(struct outbox_counts), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p && counts != MAP_FAILED) {
		*p = (struct pusher){ .socket = -1, .counts = counts, .nr = nr };
		return p;
	}
	free(p);
	errno = ENOMEM;
	return NULL;
}

static void free_pusher(struct pusher *p)
{
	if (!p)
		return;
	munmap(p->counts, p->nr * sizeof(*p->counts));
	if (p->socket >= 0)
		close(p->socket);
	free(p);
}

/* Returns: 0, or a negative errno. */
static int start(struct pusher *p, const struct push_settings *settings, int folder,
		 int (*seal)(int folder))
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	p->pid = fork();
	if (!p->pid)
		_exit(run_child(p, settings, fds[1], folder, seal));
	close(fds[1]);
	p->socket = fds[0];
	return p->pid < 0 ? -errno : 0;
}

struct pusher *pusher_start(const struct push_settings *settings, int (*seal)(int folder))
{
	int folder = open_spool(settings->spool), err;
	struct pusher *p;

	if (folder < -1)
		return NULL;
	p = new_pusher(settings->nr);
	err = p ? start(p, settings, folder, seal) : -ENOMEM;
	if (folder >= 0)
		close(folder);
	if (!err)
		return p;
	warnx("cannot start the process that sends profiles: %s: end other processes, or raise "
	      "'ulimit -u'", strerror(-err));
	free_pusher(p);
	return NULL;
}

static int send_message(const struct pusher *p, const struct byte_buffer *data, int fd)
{
	char type = SENDER_PROFILE;
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec parts[] = { { &type, 1 }, { data->items, data->nr } };
	struct msghdr message = {
		.msg_iov = parts, .msg_iovlen = 2,
		.msg_control = &control, .msg_controllen = sizeof(control.bytes),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);

	*c = (struct cmsghdr){
		.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(fd)),
	};
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(p->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int pusher_hand_over(struct pusher *p, const struct push_item *item, int fd)
{
	struct byte_buffer data = { 0 };
	int err = item_codec_encode(item, &data);

	if (!err && data.nr >= SENDER_MAX_MESSAGE)
		err = -EMSGSIZE;
	if (!err)
		err = send_message(p, &data, fd);
	free(data.items);
	return err;
}

int pusher_fd(const struct pusher *p)
{
	return p->socket;
}

const struct outbox_counts *pusher_counts(const struct pusher *p, size_t backend)
{
	return &p->counts[backend];
}

void pusher_ask_end(struct pusher *p, bool at_once)
{
	char type = at_once ? SENDER_END_NOW : SENDER_END;

	send(p->socket, &type, 1, MSG_NOSIGNAL);
}

int pusher_end(struct pusher *p)
{
	int status = 0;

	if (!p)
		return 0;
	pusher_ask_end(p, false);
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	free_pusher(p);
	return status ? -1 : 0;
}
