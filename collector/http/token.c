// SPDX-License-Identifier: GPL-2.0
#include "http/token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_TOKEN	1000
#define MAX_DECODED	2048

#define BLANKS		" \t\r\n"

/* Compares all of text, so that the time does not show how many of its first bytes are right. */
static bool is_equal(const char *text, size_t len, const char *token)
{
	size_t token_len = strlen(token);
	unsigned int differs = len != token_len;

	for (size_t i = 0; i < len; i++)
		differs |= (unsigned char)text[i] ^ (unsigned char)token[i % (token_len + 1)];
	return !differs;
}

/* Returns the 6 bits of a character of base64 (RFC 4648), or -1. */
static int base64_digit(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *found = c ? strchr(digits, c) : NULL;

	return found ? (int)(found - digits) : -1;
}

/* Decodes up to the first other character. Returns: the length, at most MAX_DECODED. */
static size_t base64_decode(const char *text, char *out)
{
	unsigned int bits = 0, nr_bits = 0;
	size_t len = 0;

	for (int digit; len < MAX_DECODED && (digit = base64_digit(*text)) >= 0; text++) {
		bits = (bits << 6 | digit) & 0xffff;
		nr_bits += 6;
		if (nr_bits >= 8) {
			nr_bits -= 8;
			out[len++] = bits >> nr_bits;
		}
	}
	return len;
}

static bool is_password(const char *base64, const char *token)
{
	char text[MAX_DECODED];
	size_t len = base64_decode(base64, text);
	const char *colon = memchr(text, ':', len);

	return colon && is_equal(colon + 1, text + len - (colon + 1), token);
}

bool token_is_given(const char *value, const char *token)
{
	size_t scheme = value ? strcspn(value, " ") : 0;
	const char *rest;

	if (!scheme)
		return false;
	rest = value + scheme + strspn(value + scheme, " ");
	if (scheme == strlen("Bearer") && !strncasecmp(value, "Bearer", scheme))
		return is_equal(rest, strlen(rest), token);
	return scheme == strlen("Basic") && !strncasecmp(value, "Basic", scheme) &&
	       is_password(rest, token);
}

int token_read(const char *path, char **token)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[MAX_TOKEN + 2], *line;
	ssize_t len;
	int err;

	if (fd < 0)
		return -errno;
	len = read(fd, text, sizeof(text) - 1);
	err = len < 0 ? -errno : 0;
	close(fd);
	if (err)
		return err;
	text[len] = 0;
	line = text + strspn(text, BLANKS);
	line[strcspn(line, BLANKS)] = 0;
	if (!*line || strlen(line) > MAX_TOKEN)
		return *line ? -E2BIG : -ENODATA;
	*token = strdup(line);
	return *token ? 0 : -ENOMEM;
}
