// SPDX-License-Identifier: GPL-2.0
#include "http/symbol_numbers.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A 64-bit number has 22 digits in octal. The rest is for leading zeros. */
#define MAX_DIGITS	64

/* Returns the number in len bytes of text, or 0 if they are no number of 64 bits. */
static uint64_t read_number(const char *text, size_t len)
{
	char word[MAX_DIGITS + 1], *end;
	unsigned long long number;

	if (!len || len > MAX_DIGITS || *text < '0' || *text > '9')
		return 0;
	memcpy(word, text, len);
	word[len] = 0;
	errno = 0;
	number = strtoull(word, &end, 0);
	return errno || end != word + len ? 0 : number;
}

static bool is_separator(char c)
{
	return c == '+' || c == ' ';
}

int symbol_numbers_next(const char **text, const char *end, uint64_t *address)
{
	const char *word, *at = *text;

	while (at < end) {
		for (word = at; at < end && !is_separator(*at); at++)
			;
		if (at - word > SYMBOL_NUMBERS_MAX_WORD)
			return -E2BIG;
		*address = read_number(word, at - word);
		at += at < end;
		*text = at;
		if (*address)
			return 1;
	}
	return 0;
}
