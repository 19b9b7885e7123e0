// SPDX-License-Identifier: GPL-2.0
// sources: collector/symbol/perf_map.c collector/base/regular_file.c collector/procfs/live_thread.c
/* Input: a perf map. Each address must have the name of the last line that covers it. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/perf_map.h"

#define BEGIN	64	/* the profile begins at this size of the file */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

/*
 * Finds the last line that covers addr, and the one that was there first: see perf_map_find(). By a
 * linear search.
 */
static bool find(char *text, uint64_t addr, char **name, char **first)
{
	bool found = false;

	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		uint64_t start, length;
		char *at;

		if (!strchr("0123456789abcdefABCDEF", *line))
			continue;
		start = strtoull(line, &at, 16);
		if (*at != ' ' || !strchr("0123456789abcdefABCDEF", at[1]))
			continue;
		length = strtoull(at + 1, &at, 16);
		if (*at != ' ' || at[1] == '\n' || start + length < start ||
		    addr - start >= length)
			continue;
		if (!found || at + 1 < text + BEGIN)
			*first = at + 1;
		*name = at + 1;
		found = true;
	}
	return found;
}

static bool is_line(const char *line, const char *name)
{
	return name[0] && !strncmp(name, line, strlen(name)) && line[strlen(name)] == '\n';
}

static void look(const struct perf_map *m, char *text, uint64_t addr)
{
	const char *before, *name = perf_map_find(m, addr, &before);
	char *want, *first;

	if (!find(text, addr, &want, &first)) {
		check(!name);
		return;
	}
	check(name && is_line(want, name));
	check(before ? is_line(first, before) && strcmp(before, name) : is_line(first, name));
}

/* Looks up the addresses at the start and at the end of each line. */
static void look_around(const struct perf_map *m, char *text)
{
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		char *at;
		uint64_t start = strtoull(line, &at, 16), length = strtoull(at, NULL, 16);

		look(m, text, start - 1);
		look(m, text, start);
		look(m, text, start + length - 1);
		look(m, text, start + length);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char *text = calloc(1, size + 1);
	struct perf_map *m;

	check(fd >= 0 && text && write(fd, data, size) == (ssize_t)size);
	m = perf_map_read(fd, BEGIN);
	check(m);
	memcpy(text, data, size);
	if (size < 4096 && !memchr(text, 0, size))
		look_around(m, text);
	perf_map_free(m);
	free(text);
	return 0;
}
