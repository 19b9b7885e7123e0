// SPDX-License-Identifier: GPL-2.0
// sources: collector/process/thread_context.c collector/process/process_context.c
// sources: collector/base/utf8.c
/*
 * Input: the size of a payload of a process context, in two bytes, the payload, and the context of
 * a thread, which is read in both formats. The labels are pairs of short strings that end with a
 * NUL.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "process/thread_context.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_labels(const char *text, size_t bytes)
{
	const char *at = text, *end = text + bytes;
	int nr = 0;

	check(bytes <= THREAD_CONTEXT_MAX_BYTES);
	for (; at < end; at += strlen(at) + 1, nr++)
		check(*at && strlen(at) <= PROCESS_CONTEXT_MAX_TEXT);
	check(at == end && nr % 2 == 0 && nr <= 2 * THREAD_CONTEXT_MAX_LABELS);
}

static void check_context(const struct process_context *process, uint32_t format,
			  const uint8_t *data, size_t size)
{
	struct pprof_sample_context *context = malloc(sizeof(*context) + size);
	char *text = malloc(THREAD_CONTEXT_MAX_BYTES);

	context->bytes = size;
	context->format = format;
	memcpy(context->data, data, size);
	check_labels(text, thread_context_labels(context, process, text));
	free(context);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct process_context process;
	size_t payload = size < 2 ? 0 : data[0] | data[1] << 8;

	if (size < 2 + payload || size > 2 + payload + PPROF_MAX_CONTEXT_BYTES)
		return 0;
	process_context_decode(&process, data + 2, payload);
	data += 2 + payload;
	size -= 2 + payload;
	check_context(&process, PPROF_CONTEXT_LABELS, data, size);
	if (size >= PPROF_MIN_CONTEXT_BYTES)
		check_context(&process, PPROF_CONTEXT_OTEL, data, size);
	process_context_fini(&process);
	return 0;
}
