/* SPDX-License-Identifier: GPL-2.0 */
/* A flame graph as a picture without a script. */
#ifndef COLLECTOR_FLAME_SVG_H
#define COLLECTOR_FLAME_SVG_H

#include <stdint.h>
#include <stdio.h>

struct flame_tree;

/*
 * Writes an SVG of one sample type, an index in the model's sample_types. The root is at the top.
 * Frames under one pixel are left out, and a line of text has their number. The title is printable
 * UTF-8 (see utf8_print()).
 * Returns: 0, or -ENOMEM. Write errors are left in out.
 */
int flame_svg_write(FILE *out, struct flame_tree *t, uint32_t type, const char *title);

#endif /* COLLECTOR_FLAME_SVG_H */
