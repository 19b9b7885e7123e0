/* SPDX-License-Identifier: GPL-2.0 */
/* The addresses in a request for symbols: "0x4005d4+0x4005e0". */
#ifndef COLLECTOR_HTTP_SYMBOL_NUMBERS_H
#define COLLECTOR_HTTP_SYMBOL_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* The longest number, as in Go: the buffer of its reader is full then, and the rest is not read. */
#define SYMBOL_NUMBERS_MAX_WORD	4095

/*
 * Reads the next address between *text and end, and moves *text past it. "+" and blanks separate
 * addresses: a library may have decoded "+" to a blank. A number has the form of C: 0x1f, 017 or
 * 15. The function leaves out 0, numbers over 64 bits, and words that are no numbers.
 * Returns: 1 and *address; 0 at the end; or -E2BIG at a word over SYMBOL_NUMBERS_MAX_WORD bytes.
 */
int symbol_numbers_next(const char **text, const char *end, uint64_t *address);

#endif /* COLLECTOR_HTTP_SYMBOL_NUMBERS_H */
