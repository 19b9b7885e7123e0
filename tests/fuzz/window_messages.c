// SPDX-License-Identifier: GPL-2.0
// sources: collector/run/window_messages.c
/*
 * Input: a message of the process that writes windows. Nothing behind its end is read, and each
 * string that is taken has an end.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/locations.h"
#include "aggregate/named_code.h"
#include "aggregate/profile_types.h"
#include "run/window_messages.h"

static size_t nr_bytes;	/* read in strings, so that the sanitizer sees it */

static void add(const char *s)
{
	nr_bytes += s ? strlen(s) : 0;
}

static void take_file(void *ctx, const struct window_message_file *file)
{
	(void)ctx;
	if (file->profile_type >= PROFILE_TYPE_NR)
		abort();
	add(file->comm);
	add(file->path);
}

static void take_name(void *ctx, uint32_t id, const struct frame *lines, uint32_t nr)
{
	(void)ctx;
	(void)id;
	if (nr > LOCATIONS_MAX_LINES)
		abort();
	for (uint32_t i = 0; i < nr; i++) {
		add(lines[i].name);
		add(lines[i].system_name);
		add(lines[i].file);
	}
}

static void take_code(void *ctx, const struct named_code_run *run)
{
	take_name(ctx, run->file, run->lines, run->nr_lines);
}

static void take_build_id(void *ctx, uint32_t file, const char *build_id)
{
	(void)ctx;
	(void)file;
	add(build_id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct window_takers takers = {
		.file = take_file, .name = take_name, .code = take_code,
		.build_id = take_build_id,
	};
	void *message = malloc(size + 1);

	if (!message)
		return 0;
	memcpy(message, data, size);
	window_take_message(message, size, &takers);
	free(message);
	return 0;
}
