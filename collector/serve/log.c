// SPDX-License-Identifier: GPL-2.0
#include "serve/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"

#define PROGRAM	"pprof-collect: "

void serve_log(const char *url, const char *text)
{
	fputs(PROGRAM, stderr);
	utf8_print(stderr, url);
	fputs(": ", stderr);
	utf8_print(stderr, text);
	putc('\n', stderr);
}

/* Reads the last size - 1 bytes. Returns: their number. */
static size_t read_end(int fd, char *text, size_t size)
{
	struct stat st;
	off_t at = 0;
	ssize_t len;

	if (fd < 0 || fstat(fd, &st))
		return 0;
	if (st.st_size > (off_t)size - 1)
		at = st.st_size - (size - 1);
	len = pread(fd, text, size - 1, at);
	return len < 0 ? 0 : len;
}

void serve_log_last_line(int fd, char *text, size_t size)
{
	size_t len = read_end(fd, text, size);
	char *line;

	while (len && (text[len - 1] == '\n' || !text[len - 1]))
		len--;
	text[len] = 0;
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	if (!strncmp(line, PROGRAM, strlen(PROGRAM)))
		line += strlen(PROGRAM);
	memmove(text, line, strlen(line) + 1);
	if (!*text)
		snprintf(text, size, "the work could not start: ask again");
}
