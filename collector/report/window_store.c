// SPDX-License-Identifier: GPL-2.0
/*
 * The folder is read once, when the store is opened. The list of windows is sorted by time: new
 * windows are appended. All files of a window begin with the same time stamp. It is stored once,
 * and the rest of their names in one block: a day of windows of 10 s with 50 files each takes some
 * 11 MB.
 */
#include "report/window_store.h"

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "pprof/gzip_file.h"
#include "report/output_files.h"

#define STAMP_LEN	16	/* 20261128T120000Z */
#define ENDING		".pb.gz"
#define BLOCK_BYTES	4096
#define NS_PER_SECOND	INT64_C(1000000000)

/* The files of a window. */
struct window {
	char stamp[STAMP_LEN + 1];
	uint64_t bytes;
	struct {
		char *items;	/* each name without the stamp, and a NUL */
		size_t nr;
		size_t room;
	} names;
};

struct window_store {
	const char *path;
	int fd;			/* of the folder, which is locked by it */
	struct window_limits limits;
	uint64_t bytes;		/* of all windows */
	struct {
		struct window *items;
		size_t nr;
		size_t room;
	} windows;
	size_t first;		/* windows before this one are removed */
};

/* Has the name the form of a window's file? */
static bool is_window(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < STAMP_LEN - 1; i++)
		if (i == 8 ? name[i] != 'T' : name[i] < '0' || name[i] > '9')
			return false;
	return name[STAMP_LEN - 1] == 'Z' && name[STAMP_LEN] == '.' &&
	       len > STAMP_LEN + strlen(ENDING) && !strcmp(name + len - strlen(ENDING), ENDING);
}

/*
 * Returns the last window of the list, if name begins with its stamp; else a new window at the end
 * of the list, or NULL if memory is short.
 */
static struct window *get_window(struct window_store *s, const char *name)
{
	struct window new = { 0 };

	if (s->windows.nr > s->first &&
	    !strncmp(s->windows.items[s->windows.nr - 1].stamp, name, STAMP_LEN))
		return &s->windows.items[s->windows.nr - 1];
	memcpy(new.stamp, name, STAMP_LEN);
	return ARRAY_APPEND(s->windows, &new, 1) ? NULL : &s->windows.items[s->windows.nr - 1];
}

/* Without a limit no window is removed. So none is put on the list, which would grow for ever. */
static bool has_limits(const struct window_store *s)
{
	return s->limits.windows || s->limits.bytes || s->limits.seconds;
}

static int add(struct window_store *s, const char *name)
{
	const char *rest = name + STAMP_LEN;
	struct window *w;
	struct stat st;
	uint64_t bytes;

	if (!has_limits(s))
		return 0;
	w = get_window(s, name);
	if (!w || ARRAY_APPEND(w->names, rest, strlen(rest) + 1))
		return -ENOMEM;
	if (fstatat(s->fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	bytes = (st.st_size + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
	w->bytes += bytes;
	s->bytes += bytes;
	return 0;
}

/* Removes a temporary file that no run is writing. Such a file would be locked: see gzip_file.h. */
static void remove_if_stale(const struct window_store *s, const char *name)
{
	int fd = openat(s->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		unlinkat(s->fd, name, 0);
	close(fd);
}

static int take_entry(struct window_store *s, const char *name)
{
	if (gzip_file_is_temporary(name))
		remove_if_stale(s, name);
	return is_window(name) ? add(s, name) : 0;
}

/* alphasort() would compare by the locale. The names of windows sort by time as bytes. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int list(struct window_store *s)
{
	struct dirent **entries;
	int err = 0, nr = scandirat(s->fd, ".", &entries, NULL, by_name);

	if (nr < 0)
		return -errno;
	for (int i = 0; i < nr; i++) {
		if (!err)
			err = take_entry(s, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return err;
}

static void remove_window(struct window_store *s)
{
	struct window *w = &s->windows.items[s->first++];
	char name[STAMP_LEN + NAME_MAX + 1];

	for (size_t at = 0; at < w->names.nr; at += strlen(w->names.items + at) + 1) {
		snprintf(name, sizeof(name), "%s%s", w->stamp, w->names.items + at);
		unlinkat(s->fd, name, 0);
	}
	s->bytes -= w->bytes;
	free(w->names.items);
	w->names.items = NULL;
}

/* Takes the removed windows out of the list, once they are more than half of it. */
static void compact(struct window_store *s)
{
	if (s->first <= s->windows.nr / 2)
		return;
	s->windows.nr -= s->first;
	memmove(s->windows.items, s->windows.items + s->first,
		s->windows.nr * sizeof(*s->windows.items));
	s->first = 0;
}

/* Returns the start of a window, in s since the epoch. */
static int64_t begin_of(const struct window *w)
{
	struct tm tm = { 0 };

	return strptime(w->stamp, "%Y%m%dT%H%M%SZ", &tm) ? timegm(&tm) : 0;
}

static bool is_over(const struct window_store *s, int64_t now_ns)
{
	const struct window_limits *l = &s->limits;
	int64_t age = now_ns / NS_PER_SECOND - begin_of(&s->windows.items[s->first]);

	return (l->windows && s->windows.nr - s->first > l->windows) ||
	       (l->bytes && s->bytes > l->bytes) ||
	       (l->seconds && age > 0 && (uint64_t)age > l->seconds);
}

void window_store_trim(struct window_store *s, int64_t now_ns)
{
	while (s->windows.nr - s->first > 1 && is_over(s, now_ns))
		remove_window(s);
	compact(s);
}

int window_store_add(struct window_store *s, const char *path)
{
	size_t len = strlen(s->path);
	const char *name;

	if (strncmp(path, s->path, len) || path[len] != '/')
		return -EINVAL;
	name = path + len + 1;
	return strchr(name, '/') || !is_window(name) ? -EINVAL : add(s, name);
}

char *window_store_path(const struct window_store *s, int64_t time_ns, const char *comm, pid_t pid,
			const char *profile_type)
{
	time_t seconds = time_ns / NS_PER_SECOND;
	char *name = output_files_name(comm, pid, profile_type), *path = NULL;
	char stamp[STAMP_LEN + 1];
	struct tm tm;

	if (!name)
		return NULL;
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", gmtime_r(&seconds, &tm));
	if (asprintf(&path, "%s/%s.%s" ENDING, s->path, stamp, name) < 0)
		path = NULL;
	free(name);
	return path;
}

int window_store_sync(const struct window_store *s)
{
	return fsync(s->fd) ? -errno : 0;
}

int window_store_open_folder(const struct window_store *s)
{
	int fd = open(s->path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/*
 * The lock belongs to the open file description, which a child shares with its parent. So the child
 * opens the folder anew, without a lock.
 */
void window_store_release(struct window_store *s)
{
	close(s->fd);
	s->fd = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Makes a file in the folder, and removes it. Returns: 0, or a negative errno. */
static int try_folder(const struct window_store *s)
{
	char *path = window_store_path(s, 0, NULL, 0, "test");
	struct gzip_file *gz = path ? gzip_file_open(path, GZIP_FILE_KEEP) : NULL;
	int err = gz ? 0 : path ? -errno : -ENOMEM;

	gzip_file_abort(gz);
	free(path);
	return err;
}

/* Returns: 0, or a negative errno: -EWOULDBLOCK if another run has the lock. */
static int open_store(struct window_store *s)
{
	int err;

	s->fd = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->fd < 0 || flock(s->fd, LOCK_EX | LOCK_NB))
		return -errno;
	err = list(s);
	return err ? err : try_folder(s);
}

struct window_store *window_store_open(const char *folder, const struct window_limits *limits)
{
	struct window_store *s = calloc(1, sizeof(*s));
	int err = -ENOMEM;

	if (s) {
		*s = (struct window_store){ .path = folder, .fd = -1, .limits = *limits };
		err = open_store(s);
	}
	if (!err)
		return s;
	if (err == -EWOULDBLOCK)
		warnx("cannot use %s: another pprof-collect writes windows there: give another "
		      "--dir", folder);
	else
		warnx("cannot write into %s: %s: make that folder, or give another --dir", folder,
		      strerror(-err));
	window_store_free(s);
	return NULL;
}

void window_store_free(struct window_store *s)
{
	if (!s)
		return;
	for (size_t i = s->first; i < s->windows.nr; i++)
		free(s->windows.items[i].names.items);
	free(s->windows.items);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}
