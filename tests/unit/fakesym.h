/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replaces collector/symbol/symbolizer.c and collector/elf/kernel_notes.c. The build ID of a file
 * is its first line; that of the vdso is "vdso". A file that begins with "bad" is no ELF file. All
 * files have the names in fake_symbols. The numbers of look-ups and of files in memory are counted.
 */
#ifndef TESTS_FAKESYM_H
#define TESTS_FAKESYM_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/kernel_notes.h"
#include "symbol/symbolizer.h"

struct symbolizer {
	char text[64];
	bool in_use;		/* there was a look-up since the last release */
	bool is_released;
};

/* A list of the symbols of all files. It ends with an nr of 0. */
struct fake_symbol {
	uint64_t offset;
	int nr;
	struct frame lines[2];
};

static const struct fake_symbol *fake_symbols;
static int fake_nr_inlined;	/* inlined frames in "outer" where fake_symbols has no name */
static int fake_nr_opened;
static int fake_nr_lookups;
static int fake_nr_in_use;
static int fake_most_in_use;

struct symbolizer *symbolizer_open(int fd, const char *path)
{
	struct symbolizer *s = calloc(1, sizeof(*s));
	ssize_t len = s ? pread(fd, s->text, sizeof(s->text) - 1, 0) : 0;

	if (s && !strcmp(path, "[vdso]"))
		strcpy(s->text, "vdso");
	close(fd);
	fake_nr_opened++;
	if (s && len > 0 && strncmp(s->text, "bad", 3)) {
		s->text[strcspn(s->text, "\n")] = 0;
		return s;
	}
	free(s);
	errno = ENOEXEC;
	return NULL;
}

void symbolizer_release(struct symbolizer *s)
{
	fake_nr_in_use -= s->in_use;
	s->in_use = false;
	s->is_released = true;
}

void symbolizer_free(struct symbolizer *s)
{
	if (s)
		symbolizer_release(s);
	free(s);
}

const char *symbolizer_build_id(const struct symbolizer *s)
{
	return s->text;
}

static struct debug_fault fake_fault;	/* of all files */

const struct debug_fault *symbolizer_fault(const struct symbolizer *s)
{
	(void)s;
	return &fake_fault;
}

static int fake_inline(struct frame *lines, int max)
{
	for (int i = 0; i <= fake_nr_inlined && i < max; i++) {
		lines[i] = (struct frame){ .name = i < fake_nr_inlined ? "inlined" : "outer" };
		lines[i].system_name = lines[i].name;
	}
	return fake_nr_inlined < max ? fake_nr_inlined + 1 : max;
}

int symbolizer_lookup(struct symbolizer *s, uint64_t offset, struct frame *lines, int max)
{
	const struct fake_symbol *symbol = fake_symbols;

	fake_nr_lookups++;
	if (s->is_released)
		return 0;
	fake_nr_in_use += !s->in_use;
	s->in_use = true;
	if (fake_most_in_use < fake_nr_in_use)
		fake_most_in_use = fake_nr_in_use;
	while (symbol && symbol->nr && symbol->offset != offset)
		symbol++;
	if (fake_nr_inlined && (!symbol || !symbol->nr))
		return fake_inline(lines, max);
	if (!symbol || !symbol->nr || symbol->nr > max)
		return 0;
	memcpy(lines, symbol->lines, symbol->nr * sizeof(*lines));
	return symbol->nr;
}

int symbolizer_probe(struct symbolizer *s, uint64_t offset, struct frame *lines, int max,
		     struct code_span *span)
{
	*span = CODE_SPAN_ONE_BYTE;
	return symbolizer_lookup(s, offset, lines, max);
}

void kernel_notes_build_id(const char *module, char hex[BUILD_ID_HEX_SIZE])
{
	snprintf(hex, BUILD_ID_HEX_SIZE, "id of %s", module ? module : "the kernel");
}

#endif /* TESTS_FAKESYM_H */
