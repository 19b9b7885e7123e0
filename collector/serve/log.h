/* SPDX-License-Identifier: GPL-2.0 */
/* The server's messages on standard error, and those of its work. */
#ifndef COLLECTOR_SERVE_LOG_H
#define COLLECTOR_SERVE_LOG_H

#include <stddef.h>

/* Prints why the request for a URL failed, as one line. Control characters are escaped. */
void serve_log(const char *url, const char *text);

/*
 * Copies the last line of a file to text, without the name of the program before it. If the file
 * has no line, text becomes "the work could not start: ask again".
 */
void serve_log_last_line(int fd, char *text, size_t size);

#endif /* COLLECTOR_SERVE_LOG_H */
