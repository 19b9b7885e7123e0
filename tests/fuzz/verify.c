// SPDX-License-Identifier: GPL-2.0
// sources: collector/unwind/verify.c collector/unwind/compile.c
// sources: collector/unwind/cfi_program.c collector/elf/code_segments.c
// sources: collector/unwind/fde_index.c collector/unwind/uncovered_code.c
// sources: collector/unwind/table_builder.c collector/base/sigbus_guard.c
// sources: collector/elf/validate.c
// sources: collector/arch/x86/machine_code.c collector/arch/x86/startup_code.c
// sources: collector/arch/x86/libc_code.c
// sources: collector/arch/x86/luajit_code.c
// sources: collector/elf/go_module.c collector/elf/go_table.c collector/elf/string_section.c
// libs: -ldw -lelf -lz -llzma
/*
 * Input: an ELF file. If it gives a table, its rows are compared with those of libdw. The result
 * may be anything. elfutils is not instrumented.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unwind/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *nowhere;

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void compare(int fd)
{
	struct cfi_verify result = { 0 };
	struct cfi c;

	if (cfi_compile(fd, &c))
		return;
	if (!cfi_verify_file(fd, &c, "it", nowhere, &result))
		check(result.nr_wrong <= result.nr_compared);
	cfi_fini(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	check(fd >= 0 && nowhere);
	check(write(fd, data, size) == (ssize_t)size);
	compare(fd);
	close(fd);
	return 0;
}
