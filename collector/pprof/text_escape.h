/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes names that a program chose into text, so that they cannot end the line, the cell or the
 * quotes that they stand in.
 */
#ifndef COLLECTOR_TEXT_ESCAPE_H
#define COLLECTOR_TEXT_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/* Limit of a cell: pprof does not read lines of 64 KiB. */
#define TEXT_ESCAPE_MAX_BYTES	16384

/*
 * Writes s, up to TEXT_ESCAPE_MAX_BYTES. Control characters and bytes that are not UTF-8 become
 * "?", and each space becomes the string space.
 */
void text_escape_put(FILE *out, const char *s, const char *space);

/* Returns how many characters text_escape_put() writes if space is one character. */
size_t text_escape_width(const char *s);

/*
 * Writes s between double quotes. s is UTF-8 and has no double quote: see profile_sample().
 * Backslashes and control characters are escaped as in Go.
 */
void text_escape_put_quoted(FILE *out, const char *s);

#endif /* COLLECTOR_TEXT_ESCAPE_H */
