// SPDX-License-Identifier: GPL-2.0
// sources: collector/process/process_context.c collector/base/utf8.c
/*
 * Input: a payload of a process context. Its labels are pairs of short strings that end with a NUL,
 * and the service is one of them.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "process/process_context.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_labels(const struct process_context *c)
{
	const char *at = c->labels, *end = c->labels + c->label_bytes;
	bool is_service_found = !c->service;
	int nr = 0;

	for (; at < end; at += strlen(at) + 1) {
		check(*at && strlen(at) <= PROCESS_CONTEXT_MAX_TEXT);
		is_service_found |= at == c->service;
		nr++;
	}
	check(at == end && nr % 2 == 0 && nr <= 2 * PROCESS_CONTEXT_MAX_LABELS);
	check(is_service_found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct process_context c;

	if (process_context_decode(&c, data, size))
		check(!c.label_bytes && !c.service);
	else
		check_labels(&c);
	process_context_fini(&c);
	return 0;
}
