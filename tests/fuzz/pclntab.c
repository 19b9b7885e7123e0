// SPDX-License-Identifier: GPL-2.0
// sources: collector/symbol/pclntab.c collector/elf/go_module.c collector/elf/go_table.c
// sources: collector/elf/string_section.c collector/elf/validate.c
// libs: -lelf -lz -llzma
/* Input: an ELF file of Go. All text of frames lies in it. elfutils is not instrumented. */
#include <libelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/go_module.h"
#include "elf/validate.h"
#include "symbol/pclntab.h"

#define MAX_FRAMES	8
#define NR_LOOKUPS	64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text, const char *image, size_t size)
{
	if (text < image || text >= image + size || !*text ||
	    strlen(text) >= size - (text - image))
		abort();
}

static void look_around(const struct go_module *m, const char *image, size_t size)
{
	struct frame l[MAX_FRAMES];

	for (uint64_t i = 0; i < NR_LOOKUPS; i++) {
		int nr = pclntab_lookup(m, m->text + i, l, MAX_FRAMES);

		if (nr < 0 || nr > MAX_FRAMES)
			abort();
		for (int k = 0; k < nr; k++) {
			check_text(l[k].name, image, size);
			if (l[k].file)
				check_text(l[k].file, image, size);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *image = malloc(size + 1);
	struct go_module m;
	Elf *elf;

	if (!image)
		abort();
	memcpy(image, data, size);
	if (!elf_validate_image(image, size)) {
		elf_version(EV_CURRENT);
		elf = elf_memory(image, size);
		if (elf && go_module_find(elf, &m))
			look_around(&m, image, size);
		elf_end(elf);
	}
	free(image);
	return 0;
}
