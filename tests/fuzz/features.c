// SPDX-License-Identifier: GPL-2.0
// sources: collector/elf/features.c collector/elf/build_id.c collector/elf/validate.c
// sources: collector/base/regular_file.c collector/elf/debug_sections.c
// sources: collector/elf/string_section.c
// libs: -ldw -lelf -lz -llzma
/*
 * Input: an ELF file that doctor examines. No debug file exists for it. elfutils is not
 * instrumented.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/features.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), err;
	struct elf_features p;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	err = elf_features_read(fd, "/nowhere/fuzz", "/nowhere/debug", &p);
	if (err && (p.has_debug_info || p.has_symbols || p.has_exports || p.has_frames))
		abort();
	close(fd);
	return 0;
}
