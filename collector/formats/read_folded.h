/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads folded stacks, as the stackcollapse-*.pl scripts of FlameGraph write them:
 *
 *	main;f;g 12
 *
 * A line is a stack, root first, and a whole number of samples. Frames are divided by ";". A name
 * is kept as it is, so are annotations such as "_[k]" and "_[i]", and blanks. A line that begins
 * with "#" is a comment. The second number of a differential line, "main;f 10 12", counts, and the
 * first one is taken for a part of the name.
 */
#ifndef COLLECTOR_READ_FOLDED_H
#define COLLECTOR_READ_FOLDED_H

#include <stdbool.h>

#include "formats/text_cursor.h"

struct line_reader;
struct model;

/* Is this the start of such a profile? */
bool read_folded_claims(struct text_cursor head);

/* Reads the profile into m, which is empty. Returns: 0, or a negative errno; the fault is set. */
int read_folded(struct line_reader *lines, struct model *m);

#endif /* COLLECTOR_READ_FOLDED_H */
