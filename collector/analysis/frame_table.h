/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The distinct frames of a profile, by the parts that reports print: function, file, line, column
 * and address. A frame without a function name has the mapping's file instead. Two frames may have
 * the same text: without a name, the line where a function starts makes a difference, too.
 */
#ifndef COLLECTOR_ANALYSIS_FRAME_TABLE_H
#define COLLECTOR_ANALYSIS_FRAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct model;
struct model_location;
struct strtab;
struct tuple_map;

/* A text that may contain NULs, and does not end with one. */
struct frame_text {
	const char *bytes;	/* NULL until it is made */
	size_t len;
};

struct frame_table {
	size_t nr;
	uint32_t *of_line;	/* by index in model.lines: a frame */
	uint32_t *of_location;	/* by index in model.locations: the frame of one without lines */

	/* The rest is private. */
	const struct model *model;
	const char *trim_path;
	struct tuple_map *ids;
	struct strtab *files;
	uint32_t *file_of;	/* by string of the model: a string of files, or 0 */
	struct frame_text *texts;
	struct arena arena;
};

/*
 * Finds the frames of all locations. Files lose the first prefix that they have of trim_path, a
 * list of folders with ":" between them, or else /proc/self/cwd/, which build tools leave. With
 * NULL they lose nothing. m must outlive the table. frame_table_fini() frees it, also after an
 * error.
 * Returns: 0, or a negative errno.
 */
int frame_table_init(struct frame_table *t, const struct model *m, const char *trim_path);

/* Frees the table. t may be all zeroes. */
void frame_table_fini(struct frame_table *t);

/*
 * The frames of a location, innermost first. There is at least one.
 * Returns: the first one, and their number in *nr.
 */
const uint32_t *frame_table_at(const struct frame_table *t, uint32_t location, uint32_t *nr);

/*
 * The text of a frame, such as "main /src/a.c:7". It is made when it is asked for, and lives as
 * long as the table.
 * Returns: the text, or NULL with errno ENOMEM.
 */
const struct frame_text *frame_table_text(struct frame_table *t, uint32_t frame);

#endif /* COLLECTOR_ANALYSIS_FRAME_TABLE_H */
