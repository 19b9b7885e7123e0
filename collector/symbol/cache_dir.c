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

/* In $CACHE_DIRECTORY there may be what is not ours. */
#define SUFFIX		".names"
#define NAME_BYTES	64

/* How exactly it is known when a file was used last. */
#define USED_SECONDS	(24 * 60 * 60)

#define WRITE		0022

/* The folder */

/* And no rights that others have in it are among these. */
static bool is_ours(int fd, mode_t others)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & others);
}

/*
 * Negative if there is none. around may be, too; it is closed. Of sudo root may have a
 * user's HOME: there nothing is made, which the user could not remove, nor looked for,
 * as he decides where that leads.
 */
static int open_in(int around, const char *name, int flags)
{
	int fd = -1;

	if (around < 0)
		return around;
	flags |= O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	if (is_ours(around, 0)) {
		fd = openat(around, name, flags);
		if (fd < 0 && errno == ENOENT && !mkdirat(around, name, 0700))
			fd = openat(around, name, flags);
	}
	close(around);
	return fd;
}

/* NULL if the variable names no place that is the same from everywhere. */
static const char *path_in(const char *variable)
{
	const char *path = getenv(variable);

	return path && *path == '/' ? path : NULL;
}

static int open_any(void)
{
	const char *given = path_in("CACHE_DIRECTORY"), *caches = path_in("XDG_CACHE_HOME");
	const char *home = path_in("HOME");
	const int flags = O_DIRECTORY | O_CLOEXEC;
	int around = -1;

	if (given)
		return open(given, O_RDONLY | O_NOFOLLOW | flags);
	if (caches)
		around = open(caches, O_PATH | flags);
	else if (home)
		around = open_in(open(home, O_PATH | flags), ".cache", 0);
	return open_in(around, "pprof-collect", O_NOFOLLOW);
}

static int open_folder(void)
{
	int fd = open_any();

	if (fd < 0 || is_ours(fd, WRITE))
		return fd;
	close(fd);
	return -1;
}

/* Reading */

static void set_name(const struct file_identity *id, char name[NAME_BYTES])
{
	snprintf(name, NAME_BYTES, "%lx-%lx" SUFFIX, (unsigned long)id->dev,
		 (unsigned long)id->ino);
}

/* Those that were not used for long go first. */
static void note_use(int fd, const struct stat *st)
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

/* Not by mapping it: a file of ours may still become shorter, and a copy can't. */
static struct symbol_cache_file *read_name(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct symbol_cache_file *n = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && is_ours(fd, WRITE) && st.st_size > 0 &&
	    (size_t)st.st_size <= SYMBOL_CACHE_FILE_MAX_BYTES)
		n = read_all(fd, st.st_size);
	if (n)
		note_use(fd, &st);
	close(fd);
	return n;
}

struct symbol_cache_file *symbol_cache_read(const struct file_identity *id)
{
	struct symbol_cache_file *n = NULL;
	int folder = open_folder();
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

struct census {
	int nr;
	uint64_t bytes;
	char oldest[NAME_BYTES];	/* that has not been used for longest */
	struct timespec used;
};

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static void count_file(struct census *c, const char *name, const struct stat *st)
{
	if (!c->nr++ || is_before(&st->st_mtim, &c->used)) {
		strcpy(c->oldest, name);
		c->used = st->st_mtim;
	}
	c->bytes += st->st_size;
}

static struct census count_files(DIR *dir)
{
	const struct dirent *entry;
	struct census c = { 0 };
	struct stat st;

	rewinddir(dir);
	while ((entry = readdir(dir)))
		if (has_suffix(entry->d_name) &&
		    !fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode))
			count_file(&c, entry->d_name, &st);
	return c;
}

/* For so many more. What a crash has left goes in its turn, too. */
static void make_room(int folder, int nr, size_t bytes)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct census c;

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

/* Beyond this limit a write() is not refused: it kills. */
static bool may_be_written(size_t bytes)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && bytes <= limit.rlim_cur;
}

/* Without fsync(): what a crash of the machine leaves of it has another hash. */
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
	int folder = open_folder();
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
