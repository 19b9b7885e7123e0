/* SPDX-License-Identifier: GPL-2.0 */
/*
 * JSON strings. A JSON library would save no code here. jansson refuses strings that are not
 * UTF-8, and json-c passes them on unchecked: the bytes must be cleaned here in both cases. The
 * rest of a flat object is printed by fprintf().
 */
#ifndef COLLECTOR_JSON_H
#define COLLECTOR_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Prints s to out as a JSON string (RFC 8259), with quotes. Each byte that is not valid UTF-8
 * becomes U+FFFD. Control characters of a terminal (see utf8_is_control()) are escaped, even
 * where JSON allows them unescaped. Write errors are left in out, for ferror().
 */
void json_string(FILE *out, const char *s);

/* The same for len bytes, which may contain NULs. */
void json_string_bytes(FILE *out, const char *s, size_t len);

/* Prints a number. */
void json_integer(FILE *out, int64_t number);

/*
 * Prints a member of an object: its name, and an array of nr integers. The expression number is
 * evaluated for each of them, and uses its index i.
 */
#define JSON_COLUMN(out, name, nr, number) ({				\
	fprintf(out, "\"%s\":[", name);					\
	for (size_t i = 0; i < (nr); i++) {				\
		if (i)							\
			putc_unlocked(',', out);			\
		json_integer(out, number);				\
	}								\
	fputs("]", out);						\
})

#endif /* COLLECTOR_JSON_H */
