/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frames of a flame graph: the functions of a model, by name and module. Two functions of a
 * model are one frame if they have the same name and are in the same file of code.
 */
#ifndef COLLECTOR_FLAME_FRAMES_H
#define COLLECTOR_FLAME_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;
struct strtab;
struct tuple_map;

/* Strings are indices in flame_frames.strings. */
struct flame_frame {
	uint32_t name;		/* "[libc.so.6]" if the function is not known */
	uint32_t module;	/* the last component of the file of code; 0 if not known */
	uint32_t file;		/* the source file that was seen first; 0 if not known */
	uint32_t category;	/* frames of a category have one colour */
	bool is_synthetic;	/* no code: truncated or lost stacks */
};

struct flame_frames {
	/* Printable UTF-8: see utf8_print(). */
	struct strtab *strings;
	struct flame_frame *items;
	size_t nr;
	uint32_t *of_line;	/* by index in model.lines: a frame */
	uint32_t *of_location;	/* by index in model.locations: the frame of one without lines */

	/* The rest is private. */
	size_t room;
	struct tuple_map *ids;
	uint32_t *cleaned;	/* by string of the model: a string, or 0 */
};

/*
 * Finds the frames of all lines and locations. Frame 0 is the root, "all". flame_frames_fini()
 * frees all, also after an error.
 * Returns: 0, or a negative errno.
 */
int flame_frames_init(struct flame_frames *f, const struct model *m);

/* Frees the frames. f may be all zeroes. */
void flame_frames_fini(struct flame_frames *f);

/* Interns a string of a model as printable text. Returns: its index, or a negative errno. */
int64_t flame_frames_text(struct flame_frames *f, const struct model *m, uint32_t string);

#endif /* COLLECTOR_FLAME_FRAMES_H */
