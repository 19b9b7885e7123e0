// SPDX-License-Identifier: GPL-2.0
#include "serve/targets.h"

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analysis/regex.h"
#include "device/error_text.h"
#include "procfs/procfs.h"
#include "session/settings.h"
#include "pprof.h"

static int hold(struct serve_targets *t, size_t i)
{
	pid_t pid = t->settings->pids[i];

	t->pidfds[i] = syscall(SYS_pidfd_open, pid, 0);
	if (t->pidfds[i] >= 0)
		return 0;
	device_error_print_attach(pid, errno == EINVAL ? -ESRCH : -errno);
	return -1;
}

int serve_targets_init(struct serve_targets *t, const struct settings *settings,
		       struct regex *comm)
{
	*t = (struct serve_targets){ .settings = settings, .comm = comm };
	t->pidfds = calloc(settings->nr_pids + 1, sizeof(*t->pidfds));
	if (!t->pidfds) {
		warnx("cannot watch the processes: out of memory: free memory");
		return -1;
	}
	for (size_t i = 0; i < settings->nr_pids; i++)
		t->pidfds[i] = -1;
	for (size_t i = 0; i < settings->nr_pids; i++)
		if (hold(t, i))
			return -1;
	return 0;
}

void serve_targets_fini(struct serve_targets *t)
{
	for (size_t i = 0; t->pidfds && i < t->settings->nr_pids; i++)
		if (t->pidfds[i] >= 0)
			close(t->pidfds[i]);
	free(t->pidfds);
}

static bool is_alive(int pidfd)
{
	struct pollfd fd = { .fd = pidfd, .events = POLLIN };

	return poll(&fd, 1, 0) == 0;
}

static bool is_held(const struct serve_targets *t, pid_t pid)
{
	for (size_t i = 0; i < t->settings->nr_pids; i++)
		if (t->settings->pids[i] == pid)
			return is_alive(t->pidfds[i]);
	return false;
}

static bool has_comm(const struct serve_targets *t, pid_t pid)
{
	char comm[PPROF_COMM_LEN + 1] = "";

	procfs_comm(pid, comm, sizeof(comm));
	return comm[0] && regex_find(t->comm, comm, strlen(comm)) > 0;
}

/* The process that speaks HTTP may not call kill(). */
static bool exists(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return !access(path, F_OK);
}

bool serve_targets_has(const struct serve_targets *t, pid_t pid)
{
	if (pid <= 0)
		return false;
	if (t->settings->all)
		return exists(pid);
	return t->comm ? has_comm(t, pid) : is_held(t, pid);
}

/* A kernel thread has no command line, and nothing to profile. */
static bool is_kernel_thread(pid_t pid)
{
	char path[8];

	return procfs_exe(pid, path, sizeof(path)) == -ENOENT;
}

static int by_pid(const void *left, const void *right)
{
	const pid_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static size_t list_by_comm(const struct serve_targets *t, pid_t *pids, size_t max)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	size_t nr = 0;
	pid_t pid;

	if (!proc)
		return 0;
	while (nr < max && (entry = readdir(proc))) {
		pid = strtol(entry->d_name, NULL, 10);
		if (pid > 0 && has_comm(t, pid) && !is_kernel_thread(pid))
			pids[nr++] = pid;
	}
	closedir(proc);
	qsort(pids, nr, sizeof(*pids), by_pid);
	return nr;
}

size_t serve_targets_list(const struct serve_targets *t, pid_t *pids, size_t max)
{
	size_t nr = 0;

	if (t->comm)
		return list_by_comm(t, pids, max);
	for (size_t i = 0; i < t->settings->nr_pids && nr < max; i++)
		if (is_alive(t->pidfds[i]))
			pids[nr++] = t->settings->pids[i];
	return nr;
}
