/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The format of a cache file: the symbols that were found in one profiled file. The content is
 * not trusted when it is read: it is used as a whole, or not at all.
 */
#ifndef COLLECTOR_NAMEFILE_H
#define COLLECTOR_NAMEFILE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/build_id.h"
#include "symbol/file_identity.h"
#include "symbol/frame.h"

/* Limit of one cache file. */
#define NAMEFILE_MAX_BYTES	((size_t)16 << 20)

/* The file at one path where a debug file is searched. */
struct namefile_debug {
	int64_t err;		/* 0, or the negative errno of opening it */
	struct fileid id;	/* all zeroes if err is not 0 */
};

/* Everything that the symbols depend on. It has no padding, since it is compared as bytes. */
struct namefile_origin {
	uint64_t maker;			/* build identity of the collector */
	struct fileid file;		/* the profiled file */
	struct namefile_debug debug[ELFID_MAX_PATHS];
	char build_id[ELFID_HEX_SIZE + 7];
	char link[NAME_MAX + 1];	/* .gnu_debuglink of the file; "" if it has none */
};

/* The frames at one offset of the profiled file. nr is 0 if no function is known there. */
struct namefile_entry {
	uint64_t offset;
	uint32_t nr;
	const struct sym_line *lines;
};

struct namefile;

/*
 * Checks and takes over image, bytes from malloc(). The strings of all frames lie in it.
 * namefile_free() frees it.
 * Returns: the content. For damaged content, or without memory, it frees image and returns NULL.
 */
struct namefile *namefile_parse(void *image, size_t bytes);

/* Frees the content and its image. n may be NULL. */
void namefile_free(struct namefile *n);

/* Returns the origin; it is valid as long as n. */
const struct namefile_origin *namefile_origin(const struct namefile *n);

/* Returns the entry of an offset, or NULL if there is none. It is valid as long as n. */
const struct namefile_entry *namefile_find(const struct namefile *n, uint64_t offset);

/*
 * Makes a cache file of nr entries, in any order, and of the entries of old, which may be NULL.
 * If all of them exceed NAMEFILE_MAX_BYTES, those of old are left out.
 * Returns: 0, with an *image of *bytes that the caller frees; -EFBIG if the new entries alone
 * exceed the limit; or -ENOMEM.
 */
int namefile_make(const struct namefile_origin *origin, const struct namefile *old,
		  const struct namefile_entry *entries, size_t nr, void **image, size_t *bytes);

#endif /* COLLECTOR_NAMEFILE_H */
