/* SPDX-License-Identifier: GPL-2.0 */
/* Text from untrusted sources: names of threads and of files are arbitrary bytes. */
#ifndef COLLECTOR_UTF8_H
#define COLLECTOR_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Decodes the UTF-8 character at s into *rune. It reads len bytes at most.
 * Returns: the length of the character in bytes, or 0 if the bytes are not valid by RFC 3629.
 * *rune is unchanged then.
 */
size_t utf8_next(const char *s, size_t len, uint32_t *rune);

/* Are the len bytes valid UTF-8? */
bool utf8_is_valid(const char *s, size_t len);

/*
 * Returns the number of characters in len bytes. Each byte that is not valid counts as one, as in
 * Go's utf8.RuneCount().
 */
size_t utf8_width(const char *s, size_t len);

/*
 * Is it a control character of a terminal (C0, C1 and DEL), or a character that changes the
 * direction or the lines of the text around it? No such character is above U+FFFF.
 */
bool utf8_is_control(uint32_t rune);

/*
 * Prints s to out for a terminal. Each byte of a control character or of invalid UTF-8 is
 * printed as \xNN; a backslash is doubled. Write errors are left in out, for ferror().
 */
void utf8_print(FILE *out, const char *s);

/* The same for len bytes, which may contain NULs. */
void utf8_print_bytes(FILE *out, const char *s, size_t len);

/* utf8_clean() writes at most this many bytes for a byte of input. */
#define UTF8_MAX_GROWTH		3

/*
 * Copies the len bytes at s to out, and replaces each byte of invalid UTF-8 by U+FFFD. out has
 * room for UTF8_MAX_GROWTH * len bytes.
 * Returns: the length in out. Writes no NUL.
 */
size_t utf8_clean(char *out, const char *s, size_t len);

#endif /* COLLECTOR_UTF8_H */
