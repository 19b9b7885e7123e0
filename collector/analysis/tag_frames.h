/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Adds the values of labels to stacks as frames, as tagroot and tagleaf of pprof do. The name of
 * such a frame is the values, with a comma between them. Its file is the key. A sample without the
 * label gets a frame without a name.
 */
#ifndef COLLECTOR_TAG_FRAMES_H
#define COLLECTOR_TAG_FRAMES_H

#include <stdbool.h>

struct model;

/* Keys with commas between them, or NULL. */
struct tag_frames_keys {
	/* The first key becomes the root, and the next one is called by it. */
	const char *root;
	/* The last key becomes the leaf. */
	const char *leaf;
};

/* Did any sample have one of the keys? */
struct tag_frames_found {
	bool root;
	bool leaf;
};

/*
 * Adds the frames to all samples. Numbers are printed in the unit, or in that which UNIT_MINIMUM
 * finds (analysis/unit.h).
 * Returns: 0, -ENOMEM, or -EOVERFLOW. After an error, only some of the samples have the frames.
 */
int tag_frames_add(struct model *m, const struct tag_frames_keys *keys, const char *unit,
		   struct tag_frames_found *found);

#endif /* COLLECTOR_TAG_FRAMES_H */
