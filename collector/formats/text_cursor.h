/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A position in a text that is not trusted, usually a line. A function that fails does not move it.
 */
#ifndef COLLECTOR_TEXT_CURSOR_H
#define COLLECTOR_TEXT_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text_cursor {
	const char *at;			/* the next byte */
	const char *end;
};

static inline size_t text_left(const struct text_cursor *c)
{
	return c->end - c->at;
}

static inline bool text_is_blank(char byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static inline bool text_is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* Returns the value of a hexadecimal digit, or -1. */
static inline int text_hex_digit(char byte)
{
	char lower = byte | 0x20;

	if (text_is_digit(byte))
		return byte - '0';
	return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Skips blanks. Returns: whether there was one. */
static inline bool text_skip_blanks(struct text_cursor *c)
{
	const char *from = c->at;

	while (c->at < c->end && text_is_blank(*c->at))
		c->at++;
	return c->at > from;
}

/* Drops the blanks at both ends. */
static inline void text_trim(struct text_cursor *c)
{
	text_skip_blanks(c);
	while (c->end > c->at && text_is_blank(c->end[-1]))
		c->end--;
}

/* Skips a word if it is next. Returns: whether it was. */
static inline bool text_take(struct text_cursor *c, const char *word)
{
	size_t len = strlen(word);

	if (text_left(c) < len || memcmp(c->at, word, len))
		return false;
	c->at += len;
	return true;
}

/* Is this the whole text? */
static inline bool text_is(const struct text_cursor *c, const char *word)
{
	return text_left(c) == strlen(word) && !memcmp(c->at, word, text_left(c));
}

/* Does the text contain the word? */
static inline bool text_contains(const struct text_cursor *c, const char *word)
{
	return text_left(c) && memmem(c->at, text_left(c), word, strlen(word));
}

/* Takes all bytes up to the next blank. Returns: them; they may be none. */
static inline struct text_cursor text_take_token(struct text_cursor *c)
{
	struct text_cursor token = { c->at, c->at };

	while (token.end < c->end && !text_is_blank(*token.end))
		token.end++;
	c->at = token.end;
	return token;
}

/* Takes decimal digits. Returns: whether there was a number of 63 bits. */
static inline bool text_take_number(struct text_cursor *c, int64_t *out)
{
	const char *at = c->at;
	int64_t n = 0;

	for (; at < c->end && text_is_digit(*at); at++)
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *at - '0', &n))
			return false;
	if (at == c->at)
		return false;
	c->at = at;
	*out = n;
	return true;
}

/* The same with an optional "-" before it. */
static inline bool text_take_signed(struct text_cursor *c, int64_t *out)
{
	struct text_cursor rest = *c;
	bool is_negative = text_take(&rest, "-");

	if (!text_take_number(&rest, out))
		return false;
	if (is_negative)
		*out = -*out;
	*c = rest;
	return true;
}

/* Cuts the decimal digits off the end. Returns: them; they may be none. */
static inline struct text_cursor text_cut_digits(struct text_cursor *c)
{
	struct text_cursor digits = { c->end, c->end };

	while (digits.at > c->at && text_is_digit(digits.at[-1]))
		digits.at--;
	c->end = digits.at;
	return digits;
}

/* Takes hexadecimal digits. Returns: whether there was a number of 64 bits. */
static inline bool text_take_hex(struct text_cursor *c, uint64_t *out)
{
	const char *at = c->at;
	uint64_t n = 0;

	for (; at < c->end && text_hex_digit(*at) >= 0; at++) {
		if (n >> 60)
			return false;
		n = n << 4 | text_hex_digit(*at);
	}
	if (at == c->at)
		return false;
	c->at = at;
	*out = n;
	return true;
}

/* The same after "0x". */
static inline bool text_take_address(struct text_cursor *c, uint64_t *out)
{
	struct text_cursor rest = *c;

	if (!text_take(&rest, "0x") || !text_take_hex(&rest, out))
		return false;
	*c = rest;
	return true;
}

/* Cuts "+0x3" from the end of the name of a symbol. */
static inline void text_cut_offset(struct text_cursor *name)
{
	const char *at = name->end;

	while (at > name->at && text_hex_digit(at[-1]) >= 0)
		at--;
	if (at < name->end && at - name->at > 3 && !memcmp(at - 3, "+0x", 3))
		name->end = at - 3;
}

/* Is the text empty, or a comment that begins with "#"? */
static inline bool text_is_comment(struct text_cursor c)
{
	text_skip_blanks(&c);
	return c.at == c.end || *c.at == '#';
}

/* Takes a line of a text of several lines, without its newline. Returns: false at the end. */
static inline bool text_take_line(struct text_cursor *c, struct text_cursor *line)
{
	const char *newline;

	if (c->at == c->end)
		return false;
	newline = memchr(c->at, '\n', text_left(c));
	*line = (struct text_cursor){ c->at, newline ? newline : c->end };
	c->at = newline ? newline + 1 : c->end;
	return true;
}

/* Returns the first line without a comment mark; an empty text, if all lines are comments. */
static inline struct text_cursor text_first_line(struct text_cursor c)
{
	struct text_cursor line = { c.end, c.end };

	while (text_take_line(&c, &line))
		if (!text_is_comment(line))
			return line;
	return (struct text_cursor){ c.end, c.end };
}

#endif /* COLLECTOR_TEXT_CURSOR_H */
