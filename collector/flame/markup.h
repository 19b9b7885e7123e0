/* SPDX-License-Identifier: GPL-2.0 */
/* Text in HTML and SVG. */
#ifndef COLLECTOR_FLAME_MARKUP_H
#define COLLECTOR_FLAME_MARKUP_H

#include <stdint.h>
#include <stdio.h>

/* Writes the characters & < > " ' as references. s is printable UTF-8: see utf8_print(). */
void markup_text(FILE *out, const char *s);

/* Writes up to max_chars characters of s. If there are more, the last one is an ellipsis. */
void markup_text_cut(FILE *out, const char *s, size_t max_chars);

/*
 * Writes a value as people read it: "1.23 s" for 1,230,000,000 nanoseconds, "1.5 MiB" for bytes,
 * "12,345 samples" for other units. A value of a count has the sample type as its unit.
 */
void markup_value(FILE *out, double value, const char *type, const char *unit);

#endif /* COLLECTOR_FLAME_MARKUP_H */
