// SPDX-License-Identifier: GPL-2.0
#include "push/byte_buffer.h"

#include "base/array.h"

int byte_buffer_append(void *ctx, const void *data, size_t len)
{
	struct byte_buffer *b = ctx;
	const uint8_t *bytes = data;

	return ARRAY_APPEND(*b, bytes, len);
}
