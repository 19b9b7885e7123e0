// SPDX-License-Identifier: GPL-2.0
#include "session/table_cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/array.h"
#include "elf/build_id.h"
#include "symbol/build_identity.h"
#include "symbol/cache_dir.h"
#include "unwind/compile.h"
#include "pprof_table.h"

/* A change of the format needs another magic number. */
#define MAGIC		UINT64_C(0x31656c6261747070)

/* Limit of a list of new tables. The last one may exceed it. */
#define MAX_NEW_BYTES	(UINT64_C(64) << 20)

/* The head of a cache file. The table follows. */
struct head {
	uint64_t magic;
	uint64_t hash;		/* of all that follows */
	struct table_cache_origin origin;
};

#define MAX_IMAGE_BYTES	(sizeof(struct head) + PPROF_TABLE_MAX_BYTES)

static uint64_t hash_of(const struct head *h, size_t bytes)
{
	size_t start = offsetof(struct head, origin);

	return XXH3_64bits((const char *)h + start, bytes - start);
}

/*
 * Returns fd, or closes it and returns -1 if half of the descriptors are in use. Mapped files need
 * the others: a file that cannot be opened has no table at all.
 */
static int leave_descriptors(int fd)
{
	struct rlimit limit;

	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &limit) || (rlim_t)fd < limit.rlim_cur / 2)
		return fd;
	close(fd);
	return -1;
}

void table_cache_find(int fd, struct table_cache_file *f)
{
	*f = (struct table_cache_file){ .fd = -1 };
	if (file_identity_read(fd, &f->origin.file) || file_identity_is_recent(&f->origin.file))
		return;
	f->origin.build_identity = build_identity();
	f->is_cacheable = true;
	f->fd = leave_descriptors(cache_dir_open_file(CACHE_DIR_TABLES, &f->origin.file));
}

/* Has the file that st describes not changed since id was read? */
static bool is_unchanged(const struct file_identity *id, const struct stat *st)
{
	return id->dev == st->st_dev && id->ino == st->st_ino &&
	       id->size == (uint64_t)st->st_size && id->ctime_s == st->st_ctim.tv_sec &&
	       id->ctime_ns == st->st_ctim.tv_nsec;
}

/* The file is copied, not mapped: it may become shorter at any time, the copy cannot. */
static struct head *read_image(int fd, size_t *bytes)
{
	struct head *image;
	struct stat st;

	if (fstat(fd, &st) || st.st_size <= (off_t)sizeof(*image) ||
	    (size_t)st.st_size > MAX_IMAGE_BYTES)
		return NULL;
	*bytes = st.st_size;
	image = malloc(*bytes);
	if (image && pread(fd, image, *bytes, 0) == (ssize_t)*bytes)
		return image;
	free(image);
	return NULL;
}

bool table_cache_read(const struct table_cache_file *f, const struct stat *st, struct cfi *out)
{
	struct head *image;
	size_t bytes;

	if (f->fd < 0 || !is_unchanged(&f->origin.file, st))
		return false;
	image = read_image(f->fd, &bytes);
	if (!image || image->magic != MAGIC || image->hash != hash_of(image, bytes) ||
	    memcmp(&image->origin, &f->origin, sizeof(f->origin))) {
		free(image);
		return false;
	}
	bytes -= sizeof(*image);
	memmove(image, image + 1, bytes);
	*out = (struct cfi){ .table = image, .bytes = bytes };
	return true;
}

/* Linkers put the build ID into the first page, whose hash is part of the identity. */
static bool has_build_id(int fd)
{
	char hex[BUILD_ID_HEX_SIZE];

	return !build_id_read(fd, hex) && *hex;
}

bool new_table_make(const struct table_cache_file *f, int fd, const struct cfi *cfi,
		    struct new_table *new)
{
	size_t bytes = sizeof(struct head) + cfi->bytes;
	struct head *h = f->is_cacheable && has_build_id(fd) ? malloc(bytes) : NULL;

	if (!h)
		return false;
	*h = (struct head){ .magic = MAGIC, .origin = f->origin };
	memcpy(h + 1, cfi->table, cfi->bytes);
	h->hash = hash_of(h, bytes);
	*new = (struct new_table){ .file = f->origin.file, .image = h, .bytes = bytes };
	return true;
}

void new_tables_add(struct new_tables *list, const struct new_table *new)
{
	if (list->bytes >= MAX_NEW_BYTES || ARRAY_APPEND(*list, new, 1))
		free(new->image);
	else
		list->bytes += new->bytes;
}

void new_tables_write(const struct new_tables *list)
{
	for (size_t i = 0; i < list->nr; i++)
		cache_dir_write_file(CACHE_DIR_TABLES, &list->items[i].file,
				     list->items[i].image, list->items[i].bytes);
}

void new_tables_fini(struct new_tables *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free(list->items[i].image);
	free(list->items);
}
