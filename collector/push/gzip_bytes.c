// SPDX-License-Identifier: GPL-2.0
#include "push/gzip_bytes.h"

#include <errno.h>
#include <stdint.h>
#include <zlib.h>

#include "base/array.h"
#include "push/byte_buffer.h"

/* zlib.h: if 16 is added, deflateInit2() selects the header and the trailer of gzip. */
#define GZIP_WINDOW_BITS	(MAX_WBITS + 16)
#define DEFAULT_MEM_LEVEL	8

int gzip_bytes(const struct byte_buffer *plain, struct byte_buffer *b)
{
	z_stream z = { .next_in = plain->items, .avail_in = plain->nr };
	size_t bound;
	uint8_t *items;
	int result;

	if (plain->nr > UINT32_MAX ||
	    deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW_BITS, DEFAULT_MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	bound = deflateBound(&z, plain->nr);
	items = array_grow(b->items, &b->room, b->nr + bound, 1);
	if (items) {
		b->items = items;
		z.next_out = items + b->nr;
		z.avail_out = bound;
	}
	result = items ? deflate(&z, Z_FINISH) : Z_MEM_ERROR;
	b->nr += z.total_out;
	deflateEnd(&z);
	return result == Z_STREAM_END ? 0 : -ENOMEM;
}
