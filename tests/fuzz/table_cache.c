// SPDX-License-Identifier: GPL-2.0
// sources: collector/session/table_cache.c collector/symbol/cache_dir.c
// sources: collector/symbol/cache_file.c collector/symbol/file_identity.c
// sources: collector/symbol/build_identity.c collector/elf/build_id.c
// sources: collector/elf/validate.c collector/base/regular_file.c collector/base/string_table.c
// libs: -lelf -lz -llzma -lxxhash
/*
 * Input: a cache file of an unwind table. Its hash is corrected first, and the profiled file has
 * the origin that the cache file names. The table that is read is all of the file behind its head.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "session/table_cache.h"
#include "unwind/compile.h"

#define HASH_AT		8	/* the hash covers the bytes after it */
#define ORIGIN_AT	16
#define TABLE_AT	(ORIGIN_AT + sizeof(struct table_cache_origin))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

void cfi_fini(struct cfi *c)
{
	free(c->table);
}

static void check(bool holds)
{
	if (!holds)
		abort();
}

static int write_image(const uint8_t *data, size_t size)
{
	int fd = memfd_create("table", MFD_CLOEXEC);
	uint64_t hash;

	check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	if (size >= ORIGIN_AT) {
		hash = XXH3_64bits(data + ORIGIN_AT, size - ORIGIN_AT);
		check(pwrite(fd, &hash, sizeof(hash), HASH_AT) == sizeof(hash));
	}
	return fd;
}

/* The state of a file with this identity. */
static struct stat stat_of(const struct file_identity *id)
{
	return (struct stat){
		.st_dev = id->dev, .st_ino = id->ino, .st_size = id->size,
		.st_ctim = { .tv_sec = id->ctime_s, .tv_nsec = id->ctime_ns },
	};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct table_cache_file f = { .fd = write_image(data, size) };
	struct stat st;
	struct cfi cfi;

	if (size >= TABLE_AT)
		memcpy(&f.origin, data + ORIGIN_AT, sizeof(f.origin));
	st = stat_of(&f.origin.file);
	if (table_cache_read(&f, &st, &cfi)) {
		check(size == TABLE_AT + cfi.bytes);
		check(!memcmp(cfi.table, data + TABLE_AT, cfi.bytes));
		cfi_fini(&cfi);
		f.origin.build_identity++;
		check(!table_cache_read(&f, &st, &cfi));
	}
	close(f.fd);
	return 0;
}
