/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A stream for text that a terminal shows. Names in profiles are arbitrary bytes: control
 * characters and bytes that are not UTF-8 become \xNN. A backslash stays as it is. Tabs become
 * blanks.
 */
#ifndef COLLECTOR_TERMINAL_TEXT_H
#define COLLECTOR_TERMINAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The state of a stream. It must live until terminal_text_close(). */
struct terminal_text {
	FILE *out;
	/*
	 * In characters. A longer line of a table is cut, and ends in "..". Lines of tables begin
	 * with a blank or a dash. 0: no limit.
	 */
	size_t width;
	/* The heading of a table is bold. Percentages from 0.5 are green, from 5 red. */
	bool has_colours;
	/* Of the stream: the line that has no newline yet, its length, and its room. */
	char *line;
	size_t len;
	size_t room;
};

/*
 * Sets width and has_colours to those of the terminal at descriptor fd. NO_COLOR in the environment
 * means no colours, as does a terminal without them.
 */
void terminal_text_init(struct terminal_text *t, int fd);

/*
 * Opens the stream, which writes into out. terminal_text_close() ends it, and leaves out open.
 * Returns: the stream, or NULL if there is no memory for it.
 */
FILE *terminal_text_open(struct terminal_text *t, FILE *out);

/* Closes the stream. Write errors are left in out, for ferror(). Returns: 0, or -ENOMEM. */
int terminal_text_close(struct terminal_text *t, FILE *stream);

#endif /* COLLECTOR_TERMINAL_TEXT_H */
