/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The format of a cache file: the symbols that were found in one profiled file. The content is
 * not trusted when it is read: it is used as a whole, or not at all.
 */
#ifndef COLLECTOR_CACHE_FILE_H
#define COLLECTOR_CACHE_FILE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/build_id.h"
#include "symbol/file_identity.h"
#include "symbol/frame.h"

/* Limit of one cache file. */
#define SYMBOL_CACHE_FILE_MAX_BYTES	((size_t)16 << 20)

/* The file at one path where a debug file is searched. */
struct symbol_cache_file_debug {
	int64_t err;		/* 0, or the negative errno of opening it */
	struct file_identity id;	/* all zeroes if err is not 0 */
};

/* Everything that the symbols depend on. It has no padding, since it is compared as bytes. */
struct symbol_cache_file_origin {
	uint64_t build_identity;			/* build identity of the collector */
	struct file_identity file;		/* the profiled file */
	struct symbol_cache_file_debug debug[BUILD_ID_MAX_PATHS];
	char build_id[BUILD_ID_HEX_SIZE + 7];
	char link[NAME_MAX + 1];	/* .gnu_debuglink of the file; "" if it has none */
};

/* The frames at one offset of the profiled file. nr is 0 if no function is known there. */
struct symbol_cache_file_entry {
	uint64_t offset;
	uint32_t nr;
	const struct frame *frames;
};

struct symbol_cache_file;

/*
 * Checks and takes over image, bytes from malloc(). The strings of all frames lie in it.
 * symbol_cache_file_free() frees it.
 * Returns: the content. For damaged content, or without memory, it frees image and returns NULL.
 */
struct symbol_cache_file *symbol_cache_file_parse(void *image, size_t bytes);

/* Frees the content and its image. n may be NULL. */
void symbol_cache_file_free(struct symbol_cache_file *n);

/* Returns the origin; it is valid as long as n. */
const struct symbol_cache_file_origin *symbol_cache_file_origin(const struct symbol_cache_file *n);

/* Returns the entry of an offset, or NULL if there is none. It is valid as long as n. */
const struct symbol_cache_file_entry *symbol_cache_file_find(const struct symbol_cache_file *n,
							     uint64_t offset);

/*
 * Makes a cache file of nr entries, in any order, and of the entries of old, which may be NULL.
 * If all of them exceed SYMBOL_CACHE_FILE_MAX_BYTES, those of old are left out.
 * Returns: 0, with an *image of *bytes that the caller frees; -EFBIG if the new entries alone
 * exceed the limit; or -ENOMEM.
 */
int symbol_cache_file_make(const struct symbol_cache_file_origin *origin,
			   const struct symbol_cache_file *old,
			   const struct symbol_cache_file_entry *entries, size_t nr, void **image,
			   size_t *bytes);

#endif /* COLLECTOR_CACHE_FILE_H */
