/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frames of code around samples, for the windows to come. A sampled function is sampled again
 * at other addresses, and to open the debug info of libc for one more address takes some 50 ms. So
 * the child that has it open looks up the function around an address, or the near part of it.
 *
 * A run is a range of code at which all addresses have the same frames, inlined ones included.
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
 * have names of any length. Strings of removed runs count, too. If there is more at a sort, all runs
 * are forgotten, and learnt again. Twice as much is never stored.
 */
#define NAMED_CODE_MAX		(1U << 16)
#define NAMED_CODE_MAX_BYTES	((size_t)16 << 20)

/* A run: its frames are those at start, innermost first. */
struct named_code_run {
	uint32_t file;
	uint32_t nr_lines;
	uint64_t start;		/* offset in the file */
	uint64_t end;		/* the first byte after the run */
	const struct frame *lines;
};

/* Returns an empty table, which named_code_free() frees, or NULL with errno ENOMEM. */
struct named_code *named_code_new(void);

/* Frees the table. c may be NULL. */
void named_code_free(struct named_code *c);

/*
 * Copies a run. An empty run, or one without frames or of more than 64, is ignored,
 * and so is one beyond the limit.
 * Returns: 0, or -ENOMEM.
 */
int named_code_add(struct named_code *c, const struct named_code_run *run);

/*
 * Finds the frames at an offset, at most max. Their strings are valid as long as c has the run.
 * Returns: the number of frames, or 0 if the code is not known.
 */
int named_code_find(const struct named_code *c, uint32_t file, uint64_t offset, struct frame *lines,
		    int max);

/*
 * Looks up the function around an offset of a file, which sym has open, and adds its runs. Its
 * frames are lines, and nr is their number. At most *left addresses are looked up; *left becomes
 * what is left of them.
 */
void named_code_learn(struct named_code *c, struct symbolizer *sym, uint32_t file, uint64_t offset,
		      const struct frame *lines, int nr, uint32_t *left);

/* Returns the number of runs. */
size_t named_code_nr(const struct named_code *c);

/* Returns run i. Those that were added since the last sort are the last ones, in their order. */
const struct named_code_run *named_code_at(const struct named_code *c, size_t i);

/* Sorts all runs. Without that named_code_find() is slow for those that were added since. */
void named_code_sort(struct named_code *c);

/* Forgets the files with keep[file] false. */
void named_code_keep(struct named_code *c, const bool *keep);

#endif /* COLLECTOR_NAMED_CODE_H */
