/* SPDX-License-Identifier: GPL-2.0 */
/*
 * JSON strings. A library would not save code here: jansson refuses strings
 * that are not UTF-8 and json-c passes them on as they are, so the bytes have
 * to be cleaned by us either way; the rest of a flat object is printf.
 */
#ifndef COLLECTOR_JSON_H
#define COLLECTOR_JSON_H

#include <stdio.h>

/*
 * Prints s as a JSON string (RFC 8259), quotes included, with U+FFFD for each
 * byte that is not UTF-8. Characters that a terminal acts on are escaped, even
 * where JSON takes them as they are.
 */
void json_string(FILE *out, const char *s);

#endif /* COLLECTOR_JSON_H */
