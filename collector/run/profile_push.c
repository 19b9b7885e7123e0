// SPDX-License-Identifier: GPL-2.0
#include "run/profile_push.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aggregate/profile_types.h"
#include "base/stop_signals.h"
#include "procfs/procfs.h"
#include "push/push_item.h"
#include "push/push_settings.h"
#include "push/pusher.h"
#include "run/privileges.h"
#include "session/settings.h"

struct profile_push {
	struct pusher *pusher;
	const struct push_settings *settings;
	char host[HOST_NAME_MAX + 1];
	char comm[PPROF_COMM_LEN + 1];	/* of the target; "": all processes */
	pid_t pid;			/* of the target; 0: there are several */
	bool has_heap;			/* the run has heap profiles */
	uint64_t nr_failed;		/* files that were not passed to the pusher */
};

static int seal(int folder)
{
	return privileges_seal_sender(false, &folder, 1);
}

static void find_target(struct profile_push *p, const struct settings *s, pid_t pid)
{
	if (s->program)
		snprintf(p->comm, sizeof(p->comm), "%s", basename(s->program[0]));
	else if (pid)
		procfs_comm(pid, p->comm, sizeof(p->comm));
	p->pid = s->nr_pids > 1 ? 0 : pid;
	p->has_heap = s->profile_types & 1U << PROFILE_TYPE_HEAP;
	gethostname(p->host, sizeof(p->host) - 1);
}

struct profile_push *profile_push_start(const struct push_settings *push,
					const struct settings *settings, pid_t pid)
{
	struct profile_push *p = calloc(1, sizeof(*p));

	if (!p) {
		warnx("cannot send profiles: out of memory: free memory");
		return NULL;
	}
	p->settings = push;
	find_target(p, settings, pid);
	if (!push_settings_check(push))
		p->pusher = pusher_start(push, seal);
	if (p->pusher)
		return p;
	free(p);
	return NULL;
}

/* Sets a label, unless the value is empty. */
static int set(struct push_labels *l, const char *name, const char *value)
{
	return value && *value ? push_labels_set(l, name, value) : 0;
}

static int set_labels(const struct profile_push *p, const struct profile_push_file *file,
		      struct push_labels *l)
{
	pid_t pid = file->pid ? file->pid : p->pid;
	const char *comm = file->comm && *file->comm ? file->comm : p->comm;
	bool is_of_comm = pid || comm != p->comm;
	char text[16];
	int err = set(l, "service_name", *comm ? comm : "all");

	if (!err && is_of_comm)
		err = set(l, "comm", comm);
	if (!err && pid) {
		snprintf(text, sizeof(text), "%d", pid);
		err = set(l, "pid", text);
	}
	if (!err)
		err = set(l, "host", p->host);
	return err ? err : push_labels_set_all(l, &p->settings->labels);
}

static int hand_over(struct profile_push *p, const struct profile_push_file *file, int fd)
{
	struct push_item *item = push_item_new();
	int err = item ? set_labels(p, file, &item->labels) : -ENOMEM;

	if (!err) {
		item->type = strdup(file->type);
		item->time_ns = file->time_ns;
		item->is_exact = file->profile_type != PROFILE_TYPE_CUSTOM;
		item->is_in_heap = file->profile_type == PROFILE_TYPE_ALLOCS && p->has_heap;
		err = item->type ? pusher_hand_over(p->pusher, item, fd) : -ENOMEM;
	}
	push_item_put(item);
	return err;
}

/* O_NONBLOCK: a FIFO would wait for a writer. The pusher refuses a FIFO. */
void profile_push_add(struct profile_push *p, const struct profile_push_file *file)
{
	int fd, err;

	if (!p)
		return;
	fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	err = fd < 0 ? -errno : hand_over(p, file, fd);
	if (fd >= 0)
		close(fd);
	if (err && !p->nr_failed++)
		warnx("%s is not sent: %s: send it later with 'pprof-collect push'", file->path,
		      err == -EAGAIN ? "too many profiles wait" : strerror(-err));
}

/* Waits until the pusher has ended. After a signal it is asked to send nothing more. */
static void wait_for_end(const struct profile_push *p, struct stop *stop)
{
	struct pollfd fds[] = {
		{ .fd = pusher_fd(p->pusher), .events = POLLIN },
		{ .fd = stop->fd, .events = POLLIN },
	};

	while (poll(fds, 2, -1) >= 0 && !fds[0].revents)
		if (stop_is_asked_anew(stop))
			pusher_ask_end(p->pusher, true);
}

int profile_push_end(struct profile_push *p, struct stop *stop, bool at_once)
{
	int err;

	if (!p)
		return 0;
	pusher_ask_end(p->pusher, at_once);
	wait_for_end(p, stop);
	err = pusher_end(p->pusher);
	if (p->nr_failed)
		err = -1;
	free(p);
	return err;
}
