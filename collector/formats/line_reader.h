/* SPDX-License-Identifier: GPL-2.0 */
/* Reads a profile that is text, line by line. */
#ifndef COLLECTOR_LINE_READER_H
#define COLLECTOR_LINE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/text_cursor.h"

struct profile_fault;
struct profile_input;

/* A stack of 1,000 C++ names of 1 KiB each is a line of 1 MiB. Go's pprof refuses 64 KiB. */
#define LINE_READER_MAX_BYTES	(4U << 20)

/* Set in and fault; all else is 0 at first. */
struct line_reader {
	struct profile_input *in;
	struct profile_fault *fault;
	/* The current line, without its newline and a carriage return before it. */
	struct text_cursor line;
	uint64_t number;		/* of the current line, from 1 */
	bool is_cut;			/* the data ends inside of the current line */
};

/*
 * Reads the next line. The line before becomes invalid.
 * Returns: 1; 0 at the end of the data, and line is empty then; or a negative errno, and *r->fault
 * is set.
 */
int line_reader_next(struct line_reader *r);

/* Sets the fault to "line N: expected EXPECTED: get the file again". Returns: -EBADMSG. */
int line_reader_fault(struct line_reader *r, const char *expected);

/* The same for a line that is good so far: a fault if the data ends inside of it. */
int line_reader_check_end(struct line_reader *r);

/* Sets the fault to an errno that is no fault of the data. Returns: err. */
int line_reader_errno(struct line_reader *r, int err);

#endif /* COLLECTOR_LINE_READER_H */
