/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A stdio stream that writes gzip data with two threads: deflating a large profile takes longer
 * than to make it. The data is cut into blocks, and two of them are deflated at the same time. Each
 * block refers to the data before it, so the result is as small as that of one thread.
 *
 * The blocks are the same whether there is a second thread or not: equal data gives equal bytes.
 */
#ifndef COLLECTOR_GZIP_BLOCKS_H
#define COLLECTOR_GZIP_BLOCKS_H

#include <stdbool.h>
#include <stdio.h>

#define GZIP_BLOCKS_BYTES	((size_t)256 << 10)	/* of a block */

struct gzip_blocks;
struct gzip_file;

/*
 * Opens a stream that writes into gz, which has the flag GZIP_FILE_PLAIN. gz stays open and belongs
 * to the caller. gzip_blocks_close() closes the stream and frees *out_blocks.
 * Returns: the stream, or NULL without memory.
 */
FILE *gzip_blocks_open(struct gzip_blocks **out_blocks, struct gzip_file *gz);

/*
 * Writes the rest and closes the stream. is_whole: all data was written. If not, the gzip data has
 * no end, and each reader refuses it.
 * Returns: 0, or the first error as a negative errno.
 */
int gzip_blocks_close(struct gzip_blocks *g, FILE *out, bool is_whole);

#endif /* COLLECTOR_GZIP_BLOCKS_H */
