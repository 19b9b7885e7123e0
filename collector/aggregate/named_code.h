/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frames of code around samples, which later windows need. A function that was sampled is
 * sampled again at other addresses. To open the debug info of libc for one more address takes some
 * 50 ms. So the child that writes a window, and has that debug info open, looks up the whole
 * function around an address, or the near part of it. The parent keeps the result in this table.
 *
 * A run is a range of code in which all addresses have the same frames, inlined ones included. Code
 * without a symbol has runs, too, without frames: each of its addresses would open the file again.
 */
#ifndef COLLECTOR_NAMED_CODE_H
#define COLLECTOR_NAMED_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/frame.h"

struct named_code;
struct symbolizer;

/*
 * Limits of runs, which then take some 10 MB, and of the bytes of their strings, as a program may
 * have names of any length. Strings of removed runs count, too. If there is more at a sort, all
 * runs are forgotten, and learnt again. Twice as much is never stored.
 */
#define NAMED_CODE_MAX		(1U << 16)
#define NAMED_CODE_MAX_BYTES	((size_t)16 << 20)

/* A run. Its frames are those at start, innermost first. */
struct named_code_run {
	uint32_t file;		/* its number: see process/mapped_files.h */
	uint32_t nr_lines;	/* frames in lines */
	uint64_t start;		/* offset in the file */
	uint64_t end;		/* offset of the first byte after the run */
	const struct frame *lines;	/* borrowed from the table, or from the caller of _add() */
};

/* Returns an empty table, which named_code_free() frees, or NULL with errno ENOMEM. */
struct named_code *named_code_new(void);

/* Frees the table with its runs and their strings. c may be NULL. */
void named_code_free(struct named_code *c);

/*
 * Adds a copy of a run, strings included. A run is ignored if it is empty, has more than 64 frames,
 * or exceeds the limit above.
 * Returns: 0, or -ENOMEM.
 */
int named_code_add(struct named_code *c, const struct named_code_run *run);

/*
 * Copies the frames at an offset of a file to lines, which has room for max. Their strings belong
 * to c, and are valid until the next call of named_code_sort() or named_code_free().
 * Returns: the number of frames, 0 for code without a symbol; or -ENOENT if the code is not known,
 * or has more than max frames.
 */
int named_code_find(const struct named_code *c, uint32_t file, uint64_t offset, struct frame *lines,
		    int max);

/*
 * Looks up the run at an offset of a file, and the runs of the same function on both sides of it
 * that begin at most 256 bytes away. sym has the file open. Each run takes one look-up. *left is
 * the limit of look-ups, and is reduced by their number. Errors are ignored: such code stays
 * unknown.
 */
void named_code_learn(struct named_code *c, struct symbolizer *sym, uint32_t file, uint64_t offset,
		      uint32_t *left);

/* Returns the number of runs. */
size_t named_code_nr(const struct named_code *c);

/*
 * Returns run i, which is below named_code_nr(). The runs that were added since the last sort come
 * last, in the order of their addition. The pointer is valid until c changes.
 */
const struct named_code_run *named_code_at(const struct named_code *c, size_t i);

/*
 * Sorts all runs, or forgets them if there are more than NAMED_CODE_MAX. named_code_find() searches
 * runs that were added later one by one, until they are sorted, too.
 */
void named_code_sort(struct named_code *c);

/*
 * Forgets the runs of all files with keep[file] false. keep has an item for each file number. Call
 * named_code_sort() next: until then no run counts as sorted.
 */
void named_code_keep(struct named_code *c, const bool *keep);

#endif /* COLLECTOR_NAMED_CODE_H */
