/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text from elsewhere: names of threads and of files are arbitrary bytes.
 */
#ifndef COLLECTOR_UTF8_H
#define COLLECTOR_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Decodes the character at s, of which len bytes may be read, into *rune. The
 * number of its bytes, or 0 if there is none by RFC 3629: *rune is as before.
 */
size_t utf8_next(const char *s, size_t len, uint32_t *rune);

/*
 * Does a terminal act on it, or does it change the direction or the lines of
 * the text around it? No such character is above U+FFFF.
 */
bool utf8_is_control(uint32_t rune);

/*
 * Prints s for people: control characters and what is no UTF-8 as \xNN for
 * each byte, and a backslash doubled.
 */
void utf8_print(FILE *out, const char *s);

/* A byte of input becomes at most so many in utf8_clean(). */
#define UTF8_MAX_GROWTH		3

/*
 * Copies the string s to out with U+FFFD for each byte that belongs to no
 * UTF-8 character. Returns the length and writes no NUL: out has room for
 * UTF8_MAX_GROWTH * strlen(s) bytes.
 */
size_t utf8_clean(char *out, const char *s);

#endif /* COLLECTOR_UTF8_H */
