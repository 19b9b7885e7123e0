/* SPDX-License-Identifier: GPL-2.0 */
/* A stdio stream that writes into a gzout. */
#ifndef COLLECTOR_GZSTREAM_H
#define COLLECTOR_GZSTREAM_H

#include <stdio.h>

struct gzout;

/* Must live until gzstream_close(). */
struct gzstream {
	struct gzout *gz;
	int err;
};

/*
 * Opens the stream; gzstream_close() ends it. gz stays open and belongs to the caller.
 * Returns: the stream, or NULL without memory.
 */
FILE *gzstream_open(struct gzstream *s, struct gzout *gz);

/*
 * Closes the stream.
 * Returns: 0, or the first error as a negative errno.
 */
int gzstream_close(struct gzstream *s, FILE *out);

#endif /* COLLECTOR_GZSTREAM_H */
