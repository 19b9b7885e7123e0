// SPDX-License-Identifier: GPL-2.0
// sources: collector/symbol/kallsyms.c
/*
 * Input: /proc/kallsyms. A name is that of a line with the address or a lower one. Ranges do not
 * overlap.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* Is there a line with this name, at addr or below? */
static bool is_below(const char *text, uint64_t addr, const char *name)
{
	for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		char *at;

		if (strtoull(line, &at, 16) <= addr && at + 3 < end &&
		    !strncmp(at + 3, name, strlen(name)) && strchr("\t\n", at[3 + strlen(name)]))
			return true;
	}
	return false;
}

static void look(const struct kallsyms *k, const char *text, uint64_t addr)
{
	const struct kallsyms_range *range = kallsyms_range(k, addr);
	const char *name = kallsyms_find(k, addr);

	check(!name || (*name && range && is_below(text, addr, name)));
	if (!range)
		return;
	check(range->start <= addr && addr < range->end && range->module[0] == '[');
	check(kallsyms_range(k, range->start) == range);
	check(kallsyms_range(k, range->end - 1) == range);
	check(kallsyms_range(k, range->end) != range);
}

static void look_around(const struct kallsyms *k, const char *text)
{
	for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		uint64_t start = strtoull(line, NULL, 16);

		look(k, text, start - 1);
		look(k, text, start);
		look(k, text, start + 1);
		look(k, text, start | 4095);
		look(k, text, start + 4096);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *copy = malloc(size ? size : 1);
	struct kallsyms *k;

	check(text && copy);
	memcpy(copy, data, size);
	/* A NUL ends the text of a line, but not of the file. */
	for (size_t i = 0; i < size; i++)
		text[i] = data[i] ? data[i] : '\t';
	text[size] = 0;
	k = kallsyms_parse(copy, size);
	check(k);
	look_around(k, text);
	kallsyms_free(k);
	free(text);
	return 0;
}
