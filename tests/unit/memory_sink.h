/* SPDX-License-Identifier: GPL-2.0 */
/* A sink of pprof/protobuf.h that keeps what is written in memory. */
#ifndef TESTS_MEMORY_SINK_H
#define TESTS_MEMORY_SINK_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct memory_sink {
	uint8_t data[1 << 20];
	size_t len;
};

static inline int memory_sink_write(void *ctx, const void *data, size_t len)
{
	struct memory_sink *sink = ctx;

	if (len > sizeof(sink->data) - sink->len)
		return -ENOSPC;
	memcpy(sink->data + sink->len, data, len);
	sink->len += len;
	return 0;
}

#endif /* TESTS_MEMORY_SINK_H */
