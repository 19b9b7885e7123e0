// SPDX-License-Identifier: GPL-2.0
#include "pprof/gzip_blocks.h"

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

#include "pprof/gzip_file.h"

#define NR_BLOCKS	2
#define WINDOW_BYTES	((size_t)32 << 10)	/* how far deflate refers back */
#define FLUSH_BYTES	16	/* more than Z_SYNC_FLUSH adds to deflateBound() */

/* RFC 1952. The time is 0, and the system Unix, as zlib has them. */
static const uint8_t header[] = { 0x1f, 0x8b, Z_DEFLATED, 0, 0, 0, 0, 0, 0, 3 };

struct block {
	z_stream z;
	const uint8_t *data;
	size_t len;
	size_t nr_before;	/* bytes before data that the block may refer to */
	bool is_last;
	uLong crc;
	int ret;		/* of deflate() */
	uint8_t *out;
	size_t room;
};

struct gzip_blocks {
	struct gzip_file *gz;
	struct block blocks[NR_BLOCKS];
	bool has_header;	/* the header was written */
	size_t nr_before;	/* bytes in the window */
	size_t len;		/* bytes after the window */
	uLong crc;		/* of all blocks that were written */
	uint32_t nr_bytes;	/* of them, modulo 2^32 */
	int err;
	uint8_t data[WINDOW_BYTES + NR_BLOCKS * GZIP_BLOCKS_BYTES];
};

/* The negative number of bits stands for a stream without a header (zlib.h). */
static int init_block(struct block *b)
{
	if (deflateInit2(&b->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL - 1,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	b->room = deflateBound(&b->z, GZIP_BLOCKS_BYTES) + FLUSH_BYTES;
	b->out = malloc(b->room);
	return b->out ? 0 : -ENOMEM;
}

static void gzip_blocks_free(struct gzip_blocks *g)
{
	for (size_t i = 0; i < NR_BLOCKS; i++) {
		deflateEnd(&g->blocks[i].z);
		free(g->blocks[i].out);
	}
	free(g);
}

/* The function of a thread. */
static void *deflate_block(void *ctx)
{
	struct block *b = ctx;
	z_stream *z = &b->z;

	deflateReset(z);
	if (b->nr_before)
		deflateSetDictionary(z, b->data - b->nr_before, b->nr_before);
	b->crc = crc32(0, b->data, b->len);
	z->next_in = b->data;
	z->avail_in = b->len;
	z->next_out = b->out;
	z->avail_out = b->room;
	b->ret = deflate(z, b->is_last ? Z_FINISH : Z_SYNC_FLUSH);
	return NULL;
}

/* Without a thread, one block is deflated after the other. */
static void deflate_blocks(struct block *b)
{
	pthread_t thread;
	bool has_thread = b[1].len && !pthread_create(&thread, NULL, deflate_block, &b[1]);

	deflate_block(&b[0]);
	if (has_thread)
		pthread_join(thread, NULL);
	else if (b[1].len)
		deflate_block(&b[1]);
}

static int put_header(struct gzip_blocks *g)
{
	if (g->has_header)
		return 0;
	g->has_header = true;
	return gzip_file_write(g->gz, header, sizeof(header));
}

static int put_block(struct gzip_blocks *g, const struct block *b)
{
	if (b->ret != (b->is_last ? Z_STREAM_END : Z_OK) || b->z.avail_in)
		return -EIO;
	g->crc = crc32_combine(g->crc, b->crc, b->len);
	g->nr_bytes += b->len;
	return gzip_file_write(g->gz, b->out, b->room - b->z.avail_out);
}

/* Cuts the data into blocks. The second one may be empty. */
static void cut(struct gzip_blocks *g, bool is_last)
{
	struct block *a = &g->blocks[0], *b = &g->blocks[1];

	a->data = g->data + WINDOW_BYTES;
	a->len = g->len < GZIP_BLOCKS_BYTES ? g->len : GZIP_BLOCKS_BYTES;
	a->nr_before = g->nr_before;
	a->is_last = is_last && a->len == g->len;
	b->data = a->data + a->len;
	b->len = g->len - a->len;
	b->nr_before = WINDOW_BYTES;
	b->is_last = is_last;
}

/* Writes the data. Its end stays as the window of the next blocks. */
static int flush(struct gzip_blocks *g, bool is_last)
{
	int err = put_header(g);

	cut(g, is_last);
	deflate_blocks(g->blocks);
	if (!err)
		err = put_block(g, &g->blocks[0]);
	if (!err && g->blocks[1].len)
		err = put_block(g, &g->blocks[1]);
	memmove(g->data, g->data + g->len, WINDOW_BYTES);
	g->nr_before = WINDOW_BYTES;
	g->len = 0;
	return err;
}

/* A cookie that writes less than len has failed. */
static ssize_t write_all(void *cookie, const char *data, size_t len)
{
	struct gzip_blocks *g = cookie;
	size_t left = len, part;

	while (left && !g->err) {
		part = NR_BLOCKS * GZIP_BLOCKS_BYTES - g->len;
		if (part > left)
			part = left;
		memcpy(g->data + WINDOW_BYTES + g->len, data + len - left, part);
		g->len += part;
		left -= part;
		if (left)
			g->err = flush(g, false);
	}
	return g->err ? 0 : len;
}

static int finish(struct gzip_blocks *g)
{
	uint32_t trailer[2];
	int err = flush(g, true);

	trailer[0] = htole32(g->crc);
	trailer[1] = htole32(g->nr_bytes);
	return err ? err : gzip_file_write(g->gz, trailer, sizeof(trailer));
}

FILE *gzip_blocks_open(struct gzip_blocks **out_blocks, struct gzip_file *gz)
{
	struct gzip_blocks *g = calloc(1, sizeof(*g));
	FILE *out = NULL;

	if (!g)
		return NULL;
	g->gz = gz;
	if (!init_block(&g->blocks[0]) && !init_block(&g->blocks[1]))
		out = fopencookie(g, "w", (cookie_io_functions_t){ .write = write_all });
	if (out)
		*out_blocks = g;
	else
		gzip_blocks_free(g);
	return out;
}

int gzip_blocks_close(struct gzip_blocks *g, FILE *out, bool is_whole)
{
	int err = fclose(out) ? -EIO : 0;

	if (g->err)
		err = g->err;
	if (!err && is_whole)
		err = finish(g);
	gzip_blocks_free(g);
	return err;
}
