/* SPDX-License-Identifier: GPL-2.0 */
/* Captures the text that the code under test writes to stdout or stderr. */
#ifndef TESTS_CAPTURE_H
#define TESTS_CAPTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

struct capture {
	int stream_fd;
	int saved_fd;
	FILE *file;
	char text[8192];
};

/* stream_fd: STDOUT_FILENO or STDERR_FILENO. */
static inline void capture_begin(struct capture *c, int stream_fd)
{
	fflush(NULL);
	c->stream_fd = stream_fd;
	c->saved_fd = dup(stream_fd);
	c->file = tmpfile();
	assert_non_null(c->file);
	assert_true(dup2(fileno(c->file), stream_fd) >= 0);
}

/* Ends the capture. Returns the text, which is valid until c is used again. */
static inline const char *capture_end(struct capture *c)
{
	ssize_t len;

	fflush(NULL);
	dup2(c->saved_fd, c->stream_fd);
	close(c->saved_fd);
	len = pread(fileno(c->file), c->text, sizeof(c->text) - 1, 0);
	fclose(c->file);
	assert_true(len >= 0);
	c->text[len] = 0;
	return c->text;
}

/* The text must be one line that contains want. */
static inline void assert_sentence(const char *text, const char *want)
{
	const char *newline = strchr(text, '\n');

	if (!newline || newline[1] || !strstr(text, want))
		fail_msg("not one line with \"%s\": \"%s\"", want, text);
}

#endif /* TESTS_CAPTURE_H */
