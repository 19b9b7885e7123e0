/* SPDX-License-Identifier: GPL-2.0 */
/* An answer to a request: its status and headers, and a short text as its body. */
#ifndef COLLECTOR_HTTP_ANSWER_H
#define COLLECTOR_HTTP_ANSWER_H

#include <stdbool.h>

/* The longest text, and the longest name of a file. Longer ones are cut. */
#define ANSWER_TEXT_BYTES	1024
#define ANSWER_NAME_BYTES	80

#define ANSWER_PLAIN		"text/plain; charset=utf-8"
#define ANSWER_HTML		"text/html; charset=utf-8"
#define ANSWER_BINARY		"application/octet-stream"

struct answer {
	unsigned int status;
	const char *type;			/* Content-Type; NULL: none */
	/* The header X-Go-Pprof: Go's pprof shows the text of such an error. */
	bool is_pprof_error;
	bool keeps_sniffing;			/* leaves X-Content-Type-Options out, as Go does */
	char file[ANSWER_NAME_BYTES];		/* of Content-Disposition; "": no such header */
	const char *header;			/* one more header, or NULL */
	const char *header_value;
	char text[ANSWER_TEXT_BYTES];
};

/* Sets an answer without an error: a body of this type, which the caller adds. */
void answer_ok(struct answer *a, const char *type);

/*
 * Sets an error as Go's net/http/pprof reports it: the text and a newline. The text is formatted as
 * by printf().
 */
void answer_error(struct answer *a, unsigned int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Sets an error of the server itself, such as 404: as answer_error(), without X-Go-Pprof. */
void answer_refuse(struct answer *a, unsigned int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Sets the name under which a browser saves the body: the name of a profile, and suffix. Characters
 * that would end the quoted string become "_".
 */
void answer_name_file(struct answer *a, const char *name, const char *suffix);

#endif /* COLLECTOR_HTTP_ANSWER_H */
