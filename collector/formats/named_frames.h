/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of a model as formats without addresses show them. Two functions are one frame if
 * name, source file, first line, and file of code are equal. A location without a function is a
 * frame, too: see frame_name_unknown().
 */
#ifndef COLLECTOR_NAMED_FRAMES_H
#define COLLECTOR_NAMED_FRAMES_H

#include <stddef.h>
#include <stdint.h>

struct model;
struct strtab;
struct tuple_map;

struct named_frame {
	uint32_t name;		/* in named_frames.strings; never "" */
	/* In named_frames.strings: the last component of the file of code. */
	uint32_t module;
	uint32_t file;		/* in the model's strings: the source file */
	int64_t start_line;	/* 0 if not known */
};

struct named_frames {
	struct strtab *strings;		/* bytes as they are in the model */
	struct named_frame *items;	/* in the order of the model's locations */
	size_t nr;
	uint32_t *of_line;		/* by index in model.lines */
	uint32_t *of_location;		/* by index in model.locations, for those without lines */

	/* The rest is private. */
	size_t room;
	struct tuple_map *ids;
};

/*
 * Finds the frames of all locations. named_frames_fini() frees all, also after an error.
 * Returns: 0, or a negative errno.
 */
int named_frames_init(struct named_frames *f, const struct model *m);

/* Frees the frames. f may be all zeroes. */
void named_frames_fini(struct named_frames *f);

#endif /* COLLECTOR_NAMED_FRAMES_H */
