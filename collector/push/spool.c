// SPDX-License-Identifier: GPL-2.0
#include "push/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/array.h"
#include "push/backend.h"
#include "push/byte_buffer.h"
#include "push/push_item.h"

#define NR_DIGITS	20
#define TEMPORARY	"new"
/* Limit of an entry: an item with its labels, and the hash. */
#define MAX_BYTES	(PUSH_ITEM_MAX_BYTES + (1U << 20))

struct spool {
	int fd;
	uint64_t last_ns;	/* of the entry that was added last */
};

static void folder_name(char name[64], const struct push_backend *b)
{
	snprintf(name, 64, "%.*s-%016" PRIx64, (int)strcspn(b->name, "="), b->name,
		 (uint64_t)XXH64(b->url, strlen(b->url), 0));
}

int spool_make(int dir, const struct push_backend *b)
{
	char name[64];

	folder_name(name, b);
	return mkdirat(dir, name, 0700) && errno != EEXIST ? -errno : 0;
}

struct spool *spool_open(int dir, const struct push_backend *b)
{
	struct spool *s = calloc(1, sizeof(*s));
	char name[64];

	if (!s)
		return NULL;
	folder_name(name, b);
	s->fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->fd >= 0) {
		unlinkat(s->fd, TEMPORARY, 0);
		return s;
	}
	free(s);
	return NULL;
}

void spool_close(struct spool *s)
{
	if (s)
		close(s->fd);
	free(s);
}

static int is_entry(const struct dirent *entry)
{
	return strlen(entry->d_name) == NR_DIGITS &&
		strspn(entry->d_name, "0123456789") == NR_DIGITS;
}

int spool_list(struct spool *s, void (*take)(void *ctx, const struct spool_name *name,
					     uint64_t bytes), void *ctx)
{
	struct dirent **entries;
	int nr = scandirat(s->fd, ".", &entries, is_entry, alphasort);

	if (nr < 0)
		return -errno;
	for (int i = 0; i < nr; i++) {
		struct spool_name name;
		struct stat st;

		memcpy(name.text, entries[i]->d_name, NR_DIGITS + 1);
		free(entries[i]);
		if (fstatat(s->fd, name.text, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		if (s->last_ns < spool_name_ns(&name))
			s->last_ns = spool_name_ns(&name);
		take(ctx, &name, st.st_size);
	}
	free(entries);
	return 0;
}

static int write_all(int fd, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		ssize_t nr = write(fd, at, len);

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0)
			return -errno;
		at += nr;
		len -= nr;
	}
	return 0;
}

static int write_entry(int fd, const struct byte_buffer *data)
{
	const uint64_t hash = XXH64(data->items, data->nr, 0);
	int err = write_all(fd, &hash, sizeof(hash));

	return err ? err : write_all(fd, data->items, data->nr);
}

int spool_add(struct spool *s, uint64_t now_ns, const struct byte_buffer *data,
	      struct spool_name *name)
{
	int fd = openat(s->fd, TEMPORARY, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), err;

	if (fd < 0)
		return -errno;
	err = write_entry(fd, data);
	if (close(fd) && !err)
		err = -errno;
	s->last_ns = now_ns > s->last_ns ? now_ns : s->last_ns + 1;
	snprintf(name->text, sizeof(name->text), "%0*" PRIu64, NR_DIGITS, s->last_ns);
	if (!err && renameat(s->fd, TEMPORARY, s->fd, name->text))
		err = -errno;
	if (err)
		unlinkat(s->fd, TEMPORARY, 0);
	return err;
}

/* Appends len bytes of the file to b. Returns: 0, -EBADMSG if it is shorter, or another errno. */
static int read_all(int fd, size_t len, struct byte_buffer *b)
{
	uint8_t *items = array_grow(b->items, &b->room, b->nr + len, 1);
	ssize_t nr = 1;

	if (!items)
		return -ENOMEM;
	b->items = items;
	for (; len && nr > 0; len -= nr, b->nr += nr) {
		nr = read(fd, items + b->nr, len);
		if (nr < 0)
			return -errno;
	}
	return len ? -EBADMSG : 0;
}

static int read_entry(int fd, struct byte_buffer *b)
{
	size_t begin = b->nr;
	struct stat st;
	uint64_t hash;
	int err;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_size <= (off_t)sizeof(hash) || st.st_size > MAX_BYTES)
		return -EBADMSG;
	if (read(fd, &hash, sizeof(hash)) != sizeof(hash))
		return -EBADMSG;
	err = read_all(fd, st.st_size - sizeof(hash), b);
	if (err)
		return err;
	return hash == XXH64(b->items + begin, b->nr - begin, 0) ? 0 : -EBADMSG;
}

int spool_read(const struct spool *s, const struct spool_name *name, struct byte_buffer *b)
{
	int fd = openat(s->fd, name->text, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = read_entry(fd, b);
	close(fd);
	return err;
}

void spool_remove(const struct spool *s, const struct spool_name *name)
{
	unlinkat(s->fd, name->text, 0);
}

uint64_t spool_name_ns(const struct spool_name *name)
{
	return strtoull(name->text, NULL, 10);
}
