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

/* $CACHE_DIRECTORY may contain other files: only files with these suffixes count. */
static const char *const suffixes[] = {
	[CACHE_DIR_NAMES] = ".names",
	[CACHE_DIR_TABLES] = ".table",
};

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

int cache_dir_open_folder(void)
{
	const char *given = path_in("CACHE_DIRECTORY");

	if (!given)
		return cache_dir_open("pprof-collect");
	return trusted(open(given, O_RDONLY | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC));
}

/* Reading */

static void set_name(enum cache_dir_kind kind, const struct file_identity *id,
		     char name[NAME_BYTES])
{
	snprintf(name, NAME_BYTES, "%lx-%lx%s", (unsigned long)id->dev, (unsigned long)id->ino,
		 suffixes[kind]);
}

/* Sets the mtime. make_room() removes the file with the oldest mtime first. */
static void update_mtime(int fd, const struct stat *st)
{
	const struct timespec times[] = { { .tv_nsec = UTIME_OMIT }, { .tv_nsec = UTIME_NOW } };

	if (time(NULL) - st->st_mtim.tv_sec > USED_SECONDS)
		futimens(fd, times);
}

/* Returns fd, or closes it and returns -1 if the file is not a file of the cache. */
static int check_file(int fd)
{
	struct stat st;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && is_owned(fd, OTHERS_WRITE)) {
		update_mtime(fd, &st);
		return fd;
	}
	close(fd);
	return -1;
}

int cache_dir_open_file(enum cache_dir_kind kind, const struct file_identity *id)
{
	int folder = cache_dir_open_folder(), fd;
	char name[NAME_BYTES];

	if (folder < 0)
		return -1;
	set_name(kind, id, name);
	fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	close(folder);
	return fd < 0 ? -1 : check_file(fd);
}

/* The file is copied, not mapped: it may become shorter at any time, the copy cannot. */
static struct symbol_cache_file *read_all(int fd, size_t bytes)
{
	void *image = malloc(bytes);

	if (image && read(fd, image, bytes) == (ssize_t)bytes)
		return symbol_cache_file_parse(image, bytes);
	free(image);
	return NULL;
}

struct symbol_cache_file *symbol_cache_read(const struct file_identity *id)
{
	int fd = cache_dir_open_file(CACHE_DIR_NAMES, id);
	struct symbol_cache_file *n = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && st.st_size > 0 &&
	    (size_t)st.st_size <= SYMBOL_CACHE_FILE_MAX_BYTES)
		n = read_all(fd, st.st_size);
	close(fd);
	return n;
}

/* Making room */

static bool is_of_kind(const char *name, enum cache_dir_kind kind)
{
	size_t len = strlen(name), suffix = strlen(suffixes[kind]);

	return len > suffix && len < NAME_BYTES && !strcmp(name + len - suffix, suffixes[kind]);
}

/* The cache files of a kind in the folder, and the one whose last use is the longest ago. */
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

static struct totals count_files(DIR *dir, enum cache_dir_kind kind)
{
	const struct dirent *entry;
	struct totals c = { 0 };
	struct stat st;

	rewinddir(dir);
	while ((entry = readdir(dir)))
		if (is_of_kind(entry->d_name, kind) &&
		    !fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode))
			count_file(&c, entry->d_name, &st);
	return c;
}

static bool fits(const struct totals *c, int nr, size_t bytes)
{
	return c->nr + nr <= CACHE_DIR_MAX_FILES && c->bytes + bytes <= CACHE_DIR_MAX_BYTES;
}

/*
 * Removes the oldest files of a kind, until nr more files with this many bytes fit. Temporary files
 * that a crash left have the same suffix, so they are removed in the same order.
 * Returns: false if the folder cannot be read; else *c is what is left.
 */
static bool remove_oldest(int folder, enum cache_dir_kind kind, int nr, size_t bytes,
			  struct totals *c)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);

	if (!dir) {
		if (copy >= 0)
			close(copy);
		return false;
	}
	*c = count_files(dir, kind);
	while (c->nr && !fits(c, nr, bytes) && !unlinkat(folder, c->oldest, 0))
		*c = count_files(dir, kind);
	closedir(dir);
	return true;
}

/*
 * The files of a kind as this process last counted them, and what it has added since. A replaced
 * file counts twice, so this is too much rather than too little. A child counts anew, since its
 * parent may have done this long ago.
 */
struct counted {
	struct totals totals;
	pid_t pid;		/* 0: not counted */
	ino_t folder;
	int nr_left;		/* files until the next count */
};

static _Thread_local struct counted counted[sizeof(suffixes) / sizeof(*suffixes)];

/* To count hundreds of files takes 0.7 ms. A window may write ten. */
static void make_room(int folder, enum cache_dir_kind kind, int nr, size_t bytes)
{
	struct counted *c = &counted[kind];
	struct stat st;

	if (fstat(folder, &st))
		return;
	if (c->pid != getpid() || c->folder != st.st_ino || !c->nr_left ||
	    !fits(&c->totals, nr, bytes)) {
		*c = (struct counted){ .folder = st.st_ino, .nr_left = CACHE_DIR_MAX_UNCOUNTED };
		if (!remove_oldest(folder, kind, nr, bytes, &c->totals))
			return;
		c->pid = getpid();
	}
	c->nr_left--;
	c->totals.nr += nr;
	c->totals.bytes += bytes;
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
static void write_name(int folder, enum cache_dir_kind kind, const char *name, const void *image,
		       size_t bytes)
{
	char tmp[NAME_BYTES];
	struct timespec now;
	bool done;
	int fd;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(tmp, sizeof(tmp), "new.%d.%lx.%lx%s", getpid(), (long)now.tv_sec, now.tv_nsec,
		 suffixes[kind]);
	fd = openat(folder, tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	done = write_all(fd, image, bytes);
	if (close(fd) || !done || renameat(folder, tmp, folder, name))
		unlinkat(folder, tmp, 0);
}

void cache_dir_write_file(enum cache_dir_kind kind, const struct file_identity *id,
			  const void *image, size_t bytes)
{
	int folder = cache_dir_open_folder();
	char name[NAME_BYTES];

	if (folder < 0)
		return;
	set_name(kind, id, name);
	if (may_be_written(bytes)) {
		make_room(folder, kind, !!faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW),
			  bytes);
		write_name(folder, kind, name, image, bytes);
	}
	close(folder);
}
