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

#include "aggregate/profile_types.h"
#include "analysis/regex.h"
#include "device/error_text.h"
#include "procfs/cgroup_folder.h"
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

/* A cgroup that does not exist is a mistake in its name. It may be removed and made again later. */
static int check_cgroup(const char *path)
{
	int fd = cgroup_folder_open(path);

	if (fd < 0) {
		cgroup_folder_print_error(path, fd);
		return -1;
	}
	close(fd);
	return 0;
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
	return settings->cgroup ? check_cgroup(settings->cgroup) : 0;
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

static bool differs(void *pid, pid_t other)
{
	pid_t *wanted = pid;

	if (*wanted == other)
		*wanted = 0;
	return *wanted;
}

static bool is_in_cgroup(const struct serve_targets *t, pid_t pid)
{
	return !cgroup_folder_visit(t->settings->cgroup, differs, &pid) && !pid;
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
	if (t->settings->cgroup)
		return is_in_cgroup(t, pid);
	return t->comm ? has_comm(t, pid) : is_held(t, pid);
}

bool serve_targets_has_whole(const struct serve_targets *t)
{
	return t->settings->all || t->settings->cgroup;
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

/* The processes of a cgroup that are listed. */
struct members {
	pid_t *pids;
	size_t nr;
	size_t max;
};

static bool add_member(void *members, pid_t pid)
{
	struct members *m = members;

	if (m->nr < m->max && !is_kernel_thread(pid))
		m->pids[m->nr++] = pid;
	return m->nr < m->max;
}

static size_t list_by_cgroup(const struct serve_targets *t, pid_t *pids, size_t max)
{
	struct members m = { pids, 0, max };

	cgroup_folder_visit(t->settings->cgroup, add_member, &m);
	qsort(pids, m.nr, sizeof(*pids), by_pid);
	return m.nr;
}

size_t serve_targets_list(const struct serve_targets *t, pid_t *pids, size_t max)
{
	size_t nr = 0;

	if (t->comm)
		return list_by_comm(t, pids, max);
	if (t->settings->cgroup)
		return list_by_cgroup(t, pids, max);
	for (size_t i = 0; i < t->settings->nr_pids && nr < max; i++)
		if (is_alive(t->pidfds[i]))
			pids[nr++] = t->settings->pids[i];
	return nr;
}

void serve_targets_choose(struct settings *s, pid_t *pid)
{
	s->all = !*pid && !s->cgroup;
	if (*pid)
		s->cgroup = NULL;
	s->pids = *pid ? pid : NULL;
	s->nr_pids = !!*pid;
}

const char *serve_targets_refusal(const struct settings *settings, pid_t pid, uint32_t type)
{
	if (pid || type == PROFILE_TYPE_CUSTOM)
		return NULL;
	if (settings->cgroup && !(PROFILE_TYPES_OF_CGROUP & 1U << type))
		return "a cgroup has the types profile, threadcreate, thread and growth alone: ask "
		       "for others of one process, such as /pid/PID/debug/pprof/heap";
	if (type == PROFILE_TYPE_HEAP || type == PROFILE_TYPE_ALLOCS)
		return "heap and allocs slow each call of an allocator, so all processes are too much: "
		       "ask for /pid/PID/debug/pprof/heap";
	return NULL;
}
