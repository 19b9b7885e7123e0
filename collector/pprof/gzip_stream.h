/* SPDX-License-Identifier: GPL-2.0 */
/* A stdio stream that writes into a gzip_file. */
#ifndef COLLECTOR_GZIP_STREAM_H
#define COLLECTOR_GZIP_STREAM_H

#include <stdio.h>

struct gzip_file;

/* Must live until gzip_stream_close(). */
struct gzip_stream {
	struct gzip_file *gz;
	int err;
};

/*
 * Opens the stream; gzip_stream_close() ends it. gz stays open and belongs to the caller.
 * Returns: the stream, or NULL without memory.
 */
FILE *gzip_stream_open(struct gzip_stream *s, struct gzip_file *gz);

/*
 * Closes the stream.
 * Returns: 0, or the first error as a negative errno.
 */
int gzip_stream_close(struct gzip_stream *s, FILE *out);

#endif /* COLLECTOR_GZIP_STREAM_H */
