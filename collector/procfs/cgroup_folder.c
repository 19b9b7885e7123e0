// SPDX-License-Identifier: GPL-2.0
#include "procfs/cgroup_folder.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Returns: the type of the file system, as linux/magic.h has it. */
static int open_folder(const char *path, long *type)
{
	struct statfs file_system;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	*type = 0;
	if (fd < 0)
		return -errno;
	if (!fstatfs(fd, &file_system))
		*type = file_system.f_type;
	return fd;
}

/* Copies the first mount point of cgroup2 to root, of PATH_MAX bytes. Returns false without one. */
static bool find_root(char *root)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *mount;
	bool found = false;

	while (mounts && !found && (mount = getmntent(mounts))) {
		found = !strcmp(mount->mnt_type, "cgroup2") && strlen(mount->mnt_dir) < PATH_MAX;
		if (found)
			strcpy(root, mount->mnt_dir);
	}
	if (mounts)
		endmntent(mounts);
	return found;
}

static int open_below_root(const char *path)
{
	char root[PATH_MAX], full[2 * PATH_MAX];
	long type;
	int fd;

	if (!find_root(root))
		return -ENODEV;
	if (snprintf(full, sizeof(full), "%s/%s", root, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	fd = open_folder(full, &type);
	if (fd < 0 || type == CGROUP2_SUPER_MAGIC)
		return fd;
	close(fd);
	return -ENOENT;
}

int cgroup_folder_open(const char *path)
{
	long type;
	int fd = open_folder(path, &type), below;

	if (fd >= 0 && type == CGROUP2_SUPER_MAGIC)
		return fd;
	below = open_below_root(path);
	if (fd >= 0)
		close(fd);
	if (below < 0 && fd >= 0 && type == CGROUP_SUPER_MAGIC)
		return -EMEDIUMTYPE;
	return below;
}

void cgroup_folder_print_error(const char *path, int err)
{
	char root[PATH_MAX] = "";

	switch (-err) {
	case ENODEV:
		warnx("cgroup2 is not mounted, so --cgroup finds nothing: mount it, or name processes "
		      "with --pid");
		break;
	case EMEDIUMTYPE:
		warnx("'%s' is a cgroup of v1, which is not supported: give one "
		      "of cgroup2, or name processes with --pid", path);
		break;
	case ENOENT:
	case ENOTDIR:
		find_root(root);
		warnx("there is no cgroup '%s' below %s: give a path as in /proc/PID/cgroup", path,
		      root);
		break;
	default:
		warnx("cannot open the cgroup '%s': %s: give a path as in /proc/PID/cgroup", path,
		      strerror(-err));
	}
}

/* Returns: false after visit() did. A cgroup of threads lists no processes. */
static bool visit_folder(const char *folder, bool (*visit)(void *ctx, pid_t pid), void *ctx)
{
	char path[PATH_MAX];
	bool goes_on = true;
	FILE *pids;
	int pid;

	if (snprintf(path, sizeof(path), "%s/cgroup.procs", folder) >= (int)sizeof(path))
		return true;
	pids = fopen(path, "re");
	while (pids && goes_on && fscanf(pids, "%d", &pid) == 1)
		goes_on = pid <= 0 || visit(ctx, pid);	/* 0: a process of another namespace */
	if (pids)
		fclose(pids);
	return goes_on;
}

int cgroup_folder_visit(const char *path, bool (*visit)(void *ctx, pid_t pid), void *ctx)
{
	char root[32], *paths[] = { root, NULL };
	int fd = cgroup_folder_open(path);
	const FTSENT *entry;
	FTS *folders;

	if (fd < 0)
		return fd;
	snprintf(root, sizeof(root), "/proc/self/fd/%d", fd);
	folders = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	while (folders && (entry = fts_read(folders)))
		if (entry->fts_info == FTS_D && !visit_folder(entry->fts_path, visit, ctx))
			break;
	if (folders)
		fts_close(folders);
	close(fd);
	return folders ? 0 : -ENOMEM;
}

const char *cgroup_folder_name(const char *path)
{
	const char *name = basename(path);

	return *name ? name : "root";
}
