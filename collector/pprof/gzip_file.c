// SPDX-License-Identifier: GPL-2.0
/*
 * There are three ways to write:
 *
 *   - A new file is a temporary one in the same folder (open_tmp()). The commit renames it.
 *   - A regular file that is replaced is written in the same way (replace_regular()). If the name
 *     is a symbolic link, the temporary file is beside the file that it points to.
 *   - Standard output, a FIFO or a device is written in place (open_stdout(), open_in_place()).
 *
 * The collector may run as root in a folder where other users can write. So an existing file is
 * opened once with O_PATH. A special file is opened through this descriptor, and a link is resolved
 * by it: no other user can exchange the file after the check.
 */
#include "pprof/gzip_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>

#define GZIP_FILE_MAX_NUMBER	999

/* mkostemp() replaces the X. */
#define TMP_PREFIX	".pprof."
#define TMP_TEMPLATE	TMP_PREFIX "XXXXXX"

struct gzip_file {
	z_stream z;
	unsigned int flags;
	int fd;
	char *path;		/* the requested name; after a commit, the final one */
	char *tmp;		/* the temporary file; NULL if path is written in place */
	unsigned char out[32 << 10];	/* last: gzip_file_open() does not zero it */
};

static void gzip_file_free(struct gzip_file *gz)
{
	if (gz->fd >= 0)
		close(gz->fd);
	if (gz->tmp)
		unlink(gz->tmp);
	deflateEnd(&gz->z);
	free(gz->tmp);
	free(gz->path);
	free(gz);
}

/* Duplicates the descriptor: close() then reports write errors, and standard output stays open. */
static int open_stdout(struct gzip_file *gz)
{
	gz->path = strdup("-");
	if (!gz->path)
		return -ENOMEM;
	gz->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return gz->fd < 0 ? -errno : 0;
}

/*
 * In /tmp a user can make a FIFO with the name that root is about to use. The user could then read
 * a profile that a file of mode 0600 protects. The kernel refuses such a FIFO only if
 * fs.protected_fifos is set. A pipe without a name, as /dev/stdout may be, is in no folder, and is
 * allowed.
 */
static bool is_anothers_fifo(int path_fd, const struct stat *st)
{
	struct statfs fs;

	return S_ISFIFO(st->st_mode) && st->st_uid && st->st_uid != geteuid() &&
	       (fstatfs(path_fd, &fs) || fs.f_type != PIPEFS_MAGIC);
}

/*
 * The open() of a FIFO waits for a reader, perhaps for ever. So the signals that a run blocks are
 * unblocked here, and end the process: no sample is lost yet. O_NONBLOCK was rejected: it fails
 * without a reader, so the reader would have to be started first.
 */
static int open_waiting(const char *path)
{
	sigset_t ends, before;
	int fd;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	pthread_sigmask(SIG_UNBLOCK, &ends, &before);
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		fd = -errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return fd;
}

/*
 * path_fd is an O_PATH descriptor of path, and st is its status. Opens the file of path_fd: path
 * may name another one by now.
 */
static int open_in_place(struct gzip_file *gz, const char *path, int path_fd, const struct stat *st)
{
	char link[32];

	if (is_anothers_fifo(path_fd, st))
		return -EISNAM;
	gz->path = strdup(path);
	if (!gz->path)
		return -ENOMEM;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	gz->fd = open_waiting(link);
	return gz->fd < 0 ? gz->fd : 0;
}

/* In the directory of path: rename() does not cross file systems. */
static int open_tmp(struct gzip_file *gz, const char *path)
{
	int dir_len = basename(path) - path;
	char *tmp;
	int err;

	gz->path = strdup(path);
	if (!gz->path || asprintf(&tmp, "%.*s" TMP_TEMPLATE, dir_len, path) < 0)
		return -ENOMEM;
	gz->fd = mkostemp(tmp, O_CLOEXEC);
	if (gz->fd < 0) {
		err = -errno;
		free(tmp);
		return err;
	}
	gz->tmp = tmp;
	flock(gz->fd, LOCK_EX | LOCK_NB);
	return 0;
}

/*
 * rename() would replace a symbolic link instead of the file that it points to. That file is read
 * from path_fd: in a folder of another user the link may point elsewhere by now.
 */
static int replace_regular(struct gzip_file *gz, const char *path, int path_fd)
{
	char link[32], real[PATH_MAX];
	struct stat st;
	ssize_t len;

	if (lstat(path, &st) || !S_ISLNK(st.st_mode))
		return open_tmp(gz, path);

	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	len = readlink(link, real, sizeof(real) - 1);
	if (len < 0)
		return -errno;
	real[len] = '\0';
	return open_tmp(gz, real);
}

static int open_replacement(struct gzip_file *gz, const char *path)
{
	int path_fd, err = 0;
	struct stat st;

	if (!strcmp(path, "-"))
		return open_stdout(gz);
	path_fd = open(path, O_PATH | O_CLOEXEC);
	if (path_fd < 0)
		return errno == ENOENT ? open_tmp(gz, path) : -errno;
	if (fstat(path_fd, &st))
		err = -errno;
	else if (S_ISREG(st.st_mode))
		err = replace_regular(gz, path, path_fd);
	else
		err = open_in_place(gz, path, path_fd, &st);
	close(path_fd);
	return err;
}

/* 16 selects a gzip header (zlib.h). Its time is 0, so that equal input gives equal bytes. */
static int start_deflate(struct gzip_file *gz)
{
	if (deflateInit2(&gz->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS,
			 MAX_MEM_LEVEL - 1, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	gz->z.next_out = gz->out;
	gz->z.avail_out = sizeof(gz->out);
	return 0;
}

struct gzip_file *gzip_file_open(const char *path, unsigned int flags)
{
	struct gzip_file *gz = malloc(sizeof(*gz));
	int err;

	if (!gz)
		return NULL;
	memset(gz, 0, offsetof(struct gzip_file, out));
	gz->fd = -1;
	gz->flags = flags;
	err = flags & GZIP_FILE_REPLACE ? open_replacement(gz, path) : open_tmp(gz, path);
	if (!err)
		err = start_deflate(gz);
	if (!err)
		return gz;
	gzip_file_free(gz);
	errno = -err;
	return NULL;
}

bool gzip_file_is_temporary(const char *name)
{
	return strlen(name) == strlen(TMP_TEMPLATE) &&
	       !strncmp(name, TMP_PREFIX, strlen(TMP_PREFIX));
}

int gzip_file_open_folder(const struct gzip_file *gz)
{
	char folder[PATH_MAX] = ".";
	int len, fd;

	if (!gz->tmp)
		return -ENOENT;
	len = basename(gz->tmp) - gz->tmp;
	if (len && snprintf(folder, sizeof(folder), "%.*s", len, gz->tmp) >= PATH_MAX)
		return -ENAMETOOLONG;
	fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int write_all(int fd, const unsigned char *at, const unsigned char *end)
{
	ssize_t n;

	while (at < end) {
		n = write(fd, at, end - at);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			at += n;
	}
	return 0;
}

static int drain(struct gzip_file *gz)
{
	int err = write_all(gz->fd, gz->out, gz->z.next_out);

	gz->z.next_out = gz->out;
	gz->z.avail_out = sizeof(gz->out);
	return err;
}

static int compress_input(struct gzip_file *gz, int flush)
{
	int ret, err;

	do {
		if (!gz->z.avail_out) {
			err = drain(gz);
			if (err)
				return err;
		}
		ret = deflate(&gz->z, flush);
		if (ret == Z_STREAM_ERROR)
			return -EIO;
	} while (flush == Z_FINISH ? ret != Z_STREAM_END : gz->z.avail_in > 0);
	return 0;
}

int gzip_file_write(struct gzip_file *gz, const void *data, size_t len)
{
	const unsigned char *at = data;
	uInt n;
	int err;

	if (gz->flags & GZIP_FILE_PLAIN)
		return write_all(gz->fd, at, at + len);
	for (; len; at += n, len -= n) {
		n = len < 1U << 30 ? len : 1U << 30;	/* avail_in has 32 bits */
		gz->z.next_in = at;
		gz->z.avail_in = n;
		err = compress_input(gz, Z_NO_FLUSH);
		if (err)
			return err;
	}
	return 0;
}

/* Renames, unless the name exists. NFS has no RENAME_NOREPLACE: link() does it in two steps. */
static int move_to_new(const char *from, const char *to)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (link(from, to))
		return -errno;
	unlink(from);
	return 0;
}

/* Returns the requested name with a number, which the caller frees. 0 stands for no number. */
static char *numbered(const struct gzip_file *gz, int number)
{
	const char *path = gz->path, *ending = gz->flags & GZIP_FILE_PLAIN ? ".txt" : ".pb.gz";
	size_t len = strlen(path), suffix = strlen(ending);
	char *name;

	if (!number)
		return strdup(path);
	if (len < suffix || strcmp(path + len - suffix, ending))
		suffix = 0;
	if (asprintf(&name, "%.*s.%03d%s", (int)(len - suffix), path, number,
		     path + len - suffix) < 0)
		return NULL;
	return name;
}

static int move_to_free_name(struct gzip_file *gz)
{
	int number, err = -EEXIST;
	char *name;

	for (number = 0; err == -EEXIST && number <= GZIP_FILE_MAX_NUMBER; number++) {
		name = numbered(gz, number);
		if (!name)
			return -ENOMEM;
		err = move_to_new(gz->tmp, name);
		if (err) {
			free(name);
			continue;
		}
		free(gz->path);
		gz->path = name;
	}
	return err;
}

/* Makes the temporary name the final one. */
static void swap_names(struct gzip_file *gz)
{
	char *path = gz->path;

	gz->path = gz->tmp;
	gz->tmp = path;
}

static int move_into_place(struct gzip_file *gz)
{
	int err;

	if (gz->flags & GZIP_FILE_REPLACE)
		err = rename(gz->tmp, gz->path) ? -errno : 0;
	else
		err = move_to_free_name(gz);
	if (err == -EEXIST) {
		swap_names(gz);
		err = 1;
	}
	if (err >= 0) {
		free(gz->tmp);
		gz->tmp = NULL;
	}
	return err;
}

static int finish(struct gzip_file *gz)
{
	int err = 0;

	if (!(gz->flags & GZIP_FILE_PLAIN))
		err = compress_input(gz, Z_FINISH);
	if (!err)
		err = drain(gz);
	if (!err && gz->tmp && fsync(gz->fd))
		err = -errno;
	if (close(gz->fd) && !err)
		err = -errno;
	gz->fd = -1;
	if (!err && gz->tmp)
		err = move_into_place(gz);
	return err;
}

int gzip_file_commit(struct gzip_file *gz, char **final)
{
	int err = finish(gz);

	if (err >= 0 && final) {
		*final = gz->path;
		gz->path = NULL;
	}
	gzip_file_free(gz);
	return err;
}

void gzip_file_abort(struct gzip_file *gz)
{
	if (gz)
		gzip_file_free(gz);
}
