// SPDX-License-Identifier: GPL-2.0
#include "push/profile_bytes.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "pprof/decode.h"
#include "pprof/encode.h"
#include "pprof/model.h"
#include "pprof/profile_input.h"
#include "push/byte_buffer.h"
#include "push/push_labels.h"

/* deflateInit2() writes the head and the end of gzip if 16 is added. */
#define GZIP_WINDOW_BITS	(MAX_WBITS + 16)
#define DEFAULT_MEM_LEVEL	8

int profile_bytes_decode(const void *data, size_t len, struct model **out,
			 struct profile_fault *fault)
{
	struct profile_input in;
	int err = profile_input_open_memory(&in, data, len, PROFILE_INPUT_MAX_BYTES, fault);

	if (!err)
		err = decode_profile(&in, out, NULL, fault);
	profile_input_close(&in);
	return err;
}

static int compress_all(const struct byte_buffer *plain, struct byte_buffer *b)
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

int profile_bytes_encode(const struct model *m, struct byte_buffer *b)
{
	struct byte_buffer plain = { 0 };
	int err = encode_profile(m, byte_buffer_append, &plain);

	if (!err)
		err = compress_all(&plain, b);
	free(plain.items);
	return err;
}

static int clean(struct model *m, uint32_t *string)
{
	char *name = strdup(model_string(m, *string));
	int64_t index;

	if (!name)
		return -ENOMEM;
	push_labels_clean_name(name);
	index = model_add_string(m, name, strlen(name));
	free(name);
	if (index < 0)
		return -ENOMEM;
	*string = index;
	return 0;
}

int profile_bytes_clean_names(struct model *m)
{
	int err = clean(m, &m->default_sample_type);

	for (size_t i = 0; i < m->sample_types.nr; i++)
		err = err || clean(m, &m->sample_types.items[i].type) ||
			clean(m, &m->sample_types.items[i].unit);
	err = err || clean(m, &m->period_type.type) || clean(m, &m->period_type.unit);
	return err ? -ENOMEM : 0;
}
