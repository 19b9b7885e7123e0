// SPDX-License-Identifier: GPL-2.0
#include "symbol/cache_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "symbol/cache_file.h"

/* $CACHE_DIRECTORY may contain other files: only files with this suffix count. */
#define SUFFIX		".names"
#define NAME_BYTES	64

/* The mtime of a cache file is the time of its last use, with this precision. */
#define USED_SECONDS	(24 * 60 * 60)

/* Write permission of the group and of other users. */
#define OTHERS_WRITE	0022

/* The folder */

/* Does the file belong to this user, with none of the given permission bits set? */
static bool is_owned(int fd, mode_t forbidden)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & forbidden);
}

/*
 * Opens or creates the folder `name` in the folder `parent`, and closes parent. parent may be
 * negative. Under sudo, HOME may still be the user's: then root creates nothing there, since the
 * user could not remove it. Root opens nothing there either, since the user could put a link
 * there.
 * Returns: a descriptor, or -1.
 */
static int open_in(int parent, const char *name, int flags)
{
	int fd = -1;

	if (parent < 0)
		return parent;
	flags |= O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	if (is_owned(parent, 0)) {
		fd = openat(parent, name, flags);
		if (fd < 0 && errno == ENOENT && !mkdirat(parent, name, 0700))
			fd = openat(parent, name, flags);
	}
	close(parent);
	return fd;
}

/* Returns the path in an environment variable, or NULL if it is not absolute. */
static const char *path_in(const char *variable)
{
	const char *path = getenv(variable);

	return path && *path == '/' ? path : NULL;
}

/* Returns fd. If other users can write to the folder, it closes fd and returns -1. -1 stays -1. */
static int trusted(int fd)
{
	if (fd < 0 || is_owned(fd, OTHERS_WRITE))
		return fd;
	close(fd);
	return -1;
}

int cache_dir_open_in(int parent, const char *name)
{
	return trusted(open_in(parent, name, O_NOFOLLOW));
}

int cache_dir_open(const char *name)
{
	const char *caches = path_in("XDG_CACHE_HOME"), *home = path_in("HOME");
	const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
	int parent = -1;

	if (caches)
		parent = open(caches, flags);
	else if (home)
		parent = open_in(open(home, flags), ".cache", 0);
	return cache_dir_open_in(parent, name);
}

int symbol_cache_open_folder(void)
{
	const char *given = path_in("CACHE_DIRECTORY");

	if (!given)
		return cache_dir_open("pprof-collect");
	return trusted(open(given, O_RDONLY | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC));
}

/* Reading */

static void set_name(const struct file_identity *id, char name[NAME_BYTES])
{
	snprintf(name, NAME_BYTES, "%lx-%lx" SUFFIX, (unsigned long)id->dev,
		 (unsigned long)id->ino);
}

/* Sets the mtime. make_room() removes the file with the oldest mtime first. */
static void update_mtime(int fd, const struct stat *st)
{
	const struct timespec times[] = { { .tv_nsec = UTIME_OMIT }, { .tv_nsec = UTIME_NOW } };

	if (time(NULL) - st->st_mtim.tv_sec > USED_SECONDS)
		futimens(fd, times);
}

static struct symbol_cache_file *read_all(int fd, size_t bytes)
{
	void *image = malloc(bytes);

	if (image && read(fd, image, bytes) == (ssize_t)bytes)
		return symbol_cache_file_parse(image, bytes);
	free(image);
	return NULL;
}

/* The file is copied, not mapped: it may become shorter at any time, the copy cannot. */
static struct symbol_cache_file *read_name(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct symbol_cache_file *n = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && is_owned(fd, OTHERS_WRITE) &&
	    st.st_size > 0 && (size_t)st.st_size <= SYMBOL_CACHE_FILE_MAX_BYTES)
		n = read_all(fd, st.st_size);
	if (n)
		update_mtime(fd, &st);
	close(fd);
	return n;
}

struct symbol_cache_file *symbol_cache_read(const struct file_identity *id)
{
	struct symbol_cache_file *n = NULL;
	int folder = symbol_cache_open_folder();
	char name[NAME_BYTES];

	if (folder < 0)
		return NULL;
	set_name(id, name);
	n = read_name(folder, name);
	close(folder);
	return n;
}

/* Making room */

static bool has_suffix(const char *name)
{
	size_t len = strlen(name), suffix = strlen(SUFFIX);

	return len > suffix && len < NAME_BYTES && !strcmp(name + len - suffix, SUFFIX);
}

/* The cache files in the folder, and the one whose last use is the longest ago. */
struct totals {
	int nr;
	uint64_t bytes;
	char oldest[NAME_BYTES];
	struct timespec used;		/* the last use of oldest */
};

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static void count_file(struct totals *c, const char *name, const struct stat *st)
{
	if (!c->nr++ || is_before(&st->st_mtim, &c->used)) {
		strcpy(c->oldest, name);
		c->used = st->st_mtim;
	}
	c->bytes += st->st_size;
}

static struct totals count_files(DIR *dir)
{
	const struct dirent *entry;
	struct totals c = { 0 };
	struct stat st;

	rewinddir(dir);
	while ((entry = readdir(dir)))
		if (has_suffix(entry->d_name) &&
		    !fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode))
			count_file(&c, entry->d_name, &st);
	return c;
}

/*
 * Removes the oldest files, until nr more files with this many bytes fit. Temporary files that a
 * crash left have the same suffix, so they are removed in the same order.
 */
static void make_room(int folder, int nr, size_t bytes)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct totals c;

	if (!dir) {
		if (copy >= 0)
			close(copy);
		return;
	}
	do
		c = count_files(dir);
	while (c.nr &&
	       (c.nr + nr > SYMBOL_CACHE_MAX_FILES || c.bytes + bytes > SYMBOL_CACHE_MAX_BYTES) &&
	       !unlinkat(folder, c.oldest, 0));
	closedir(dir);
}

/* Writing */

static bool write_all(int fd, const char *data, size_t bytes)
{
	ssize_t done;

	for (; bytes; data += done, bytes -= done) {
		done = write(fd, data, bytes);
		if (done <= 0)
			return false;
	}
	return true;
}

/* A write() beyond RLIMIT_FSIZE does not just fail: SIGXFSZ kills the process. */
static bool may_be_written(size_t bytes)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && bytes <= limit.rlim_cur;
}

/*
 * Writes a temporary file and renames it. No fsync(): if the machine crashes, the content may be
 * incomplete. Then its hash is wrong, and the file is not used.
 */
static void write_name(int folder, const char *name, const void *image, size_t bytes)
{
	char tmp[NAME_BYTES];
	struct timespec now;
	bool done;
	int fd;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(tmp, sizeof(tmp), "new.%d.%lx.%lx" SUFFIX, getpid(), (long)now.tv_sec,
		 now.tv_nsec);
	fd = openat(folder, tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	done = write_all(fd, image, bytes);
	if (close(fd) || !done || renameat(folder, tmp, folder, name))
		unlinkat(folder, tmp, 0);
}

void symbol_cache_write(const struct file_identity *id, const void *image, size_t bytes)
{
	int folder = symbol_cache_open_folder();
	char name[NAME_BYTES];

	if (folder < 0)
		return;
	set_name(id, name);
	if (may_be_written(bytes)) {
		make_room(folder, !!faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW), bytes);
		write_name(folder, name, image, bytes);
	}
	close(folder);
}
