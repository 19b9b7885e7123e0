// SPDX-License-Identifier: GPL-2.0
// sources: collector/symbol/symbolizer.c collector/symbol/elf_symbolizer.c
// sources: collector/symbol/pclntab.c collector/elf/go_module.c collector/elf/go_table.c
// sources: collector/symbol/function_bounds.c collector/unwind/fde_index.c
// sources: collector/unwind/cfi_program.c collector/elf/code_segments.c
// sources: collector/elf/debug_sections.c collector/symbol/demangle_dlang.c
// sources: collector/symbol/line_row.c
// sources: collector/symbol/split_dwarf.c collector/symbol/skeleton_image.c
// sources: collector/symbol/file_identity.c collector/symbol/build_identity.c
// sources: collector/symbol/cache_dir.c collector/symbol/cache_file.c
// sources: collector/symbol/debuginfod_cache.c
// sources: collector/symbol/code_ranges.c
// sources: collector/symbol/dwarf.c collector/elf/symtab.c collector/elf/plt.c
// sources: collector/elf/string_section.c collector/elf/build_id.c
// sources: collector/symbol/demangle.c collector/base/interval_set.c
// sources: collector/base/sigbus_guard.c collector/base/string_table.c
// sources: collector/base/regular_file.c collector/elf/validate.c
// sources: collector/arch/x86/machine_code.c
// libs: -ldw -lelf -lz -llzma -liberty -lxxhash
/* Input: an ELF file. elfutils itself is not instrumented. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/symbolizer.h"

#define MAX_LINES	8
#define NR_LOOKUPS	64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_around(struct symbolizer *s, size_t size)
{
	struct frame l[MAX_LINES];

	for (size_t i = 0; i < NR_LOOKUPS; i++) {
		int nr = symbolizer_lookup(s, size * i / NR_LOOKUPS, l, MAX_LINES);

		if (nr > MAX_LINES)
			abort();
		for (int k = 0; k < nr; k++)
			if (!strlen(l[k].name) || !strlen(l[k].system_name))
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct symbolizer *s;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	s = symbolizer_open(fd, NULL);
	if (s && strlen(symbolizer_build_id(s)) % 2)
		abort();
	if (s)
		look_around(s, size);
	symbolizer_free(s);
	return 0;
}
