/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_PUSH_BYTE_BUFFER_H
#define COLLECTOR_PUSH_BYTE_BUFFER_H

#include <stddef.h>
#include <stdint.h>

/* Bytes on the heap. All zeroes is an empty buffer, and free() frees the items. */
struct byte_buffer {
	uint8_t *items;
	size_t nr;
	size_t room;
};

/* Appends to ctx, which is a byte_buffer. Its type is proto_sink. Returns: 0, or -ENOMEM. */
int byte_buffer_append(void *ctx, const void *data, size_t len);

#endif /* COLLECTOR_PUSH_BYTE_BUFFER_H */
