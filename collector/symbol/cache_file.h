/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names that were found in one file, as bytes to be kept from one run to the
 * next. What is read of them is as good as hostile: it is used as a whole, or not.
 */
#ifndef COLLECTOR_NAMEFILE_H
#define COLLECTOR_NAMEFILE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/build_id.h"
#include "symbol/file_identity.h"
#include "symbol/frame.h"

#define NAMEFILE_MAX_BYTES	((size_t)16 << 20)

/* What stands where a debug file is looked for. */
struct namefile_debug {
	int64_t err;		/* why it can't be opened, negative; 0: it can */
	struct fileid id;	/* all 0 if it can't */
};

/* What names are made of, and by whom. No padding: it is compared as bytes. */
struct namefile_origin {
	uint64_t maker;
	struct fileid file;
	struct namefile_debug debug[ELFID_MAX_PATHS];
	char build_id[ELFID_HEX_SIZE + 7];
	char link[NAME_MAX + 1];	/* to the debug file, "" if there is none */
};

/* The functions at an offset of the file: 0 if none is known there. */
struct namefile_entry {
	uint64_t offset;
	uint32_t nr;
	const struct sym_line *lines;
};

struct namefile;

/*
 * Checks all, and takes image over, which malloc() made: lines' strings lie in it.
 * NULL, and image is freed, if it is damaged or there is no memory.
 */
struct namefile *namefile_parse(void *image, size_t bytes);

/* NULL is fine. */
void namefile_free(struct namefile *n);

/* Lives as long as n. */
const struct namefile_origin *namefile_origin(const struct namefile *n);

/* NULL if nothing is kept of this offset. Lives as long as n. */
const struct namefile_entry *namefile_find(const struct namefile *n, uint64_t offset);

/*
 * Makes an image of nr entries, in any order, and of those of old, if not NULL, as far
 * as NAMEFILE_MAX_BYTES has room: the old ones go first. 0 and an image for the caller
 * to free; -EFBIG; or -ENOMEM.
 */
int namefile_make(const struct namefile_origin *origin, const struct namefile *old,
		  const struct namefile_entry *entries, size_t nr, void **image, size_t *bytes);

#endif /* COLLECTOR_NAMEFILE_H */
