// SPDX-License-Identifier: GPL-2.0
// sources: collector/session/allocator_symbols.c collector/elf/plt.c
// sources: collector/elf/validate.c collector/elf/string_section.c
// sources: collector/arch/x86/machine_code.c
// libs: -lelf -llzma
/* Input: an ELF file in which an allocator is searched. elfutils is not instrumented. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session/allocator_symbols.h"
#include "pprof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * The probes are sorted by function, and have different offsets. NEW_HANDLED and NEW_ALIGNED
 * appear only with NEW_HANDLER.
 */
static void check(const struct allocator *a)
{
	int has_fails = 0;

	if (a->nr > ALLOCATOR_MAX || (a->nr && a->list[0].function != PPROF_HEAP_FREE))
		abort();
	for (unsigned int i = 0; i < a->nr; i++) {
		has_fails |= a->list[i].function == PPROF_HEAP_NEW_HANDLER;
		if (a->list[i].function >= PPROF_NR_HEAP ||
		    (i && a->list[i].function < a->list[i - 1].function) ||
		    (a->list[i].function > PPROF_HEAP_NEW && !has_fails))
			abort();
		for (unsigned int k = 0; k < i; k++)
			if (a->list[k].offset == a->list[i].offset)
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct allocator a;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	allocator_read(fd, ALLOCATOR_COMMON, &a);
	check(&a);
	allocator_read(fd, ALLOCATOR_PREFIXED, &a);
	check(&a);
	close(fd);
	return 0;
}
