// SPDX-License-Identifier: GPL-2.0
// sources: collector/unwind/compile.c collector/unwind/cfi_program.c
// sources: collector/elf/code_segments.c collector/unwind/fde_index.c
// sources: collector/unwind/uncovered_code.c collector/unwind/table_builder.c
// sources: collector/base/sigbus_guard.c collector/elf/validate.c
// sources: collector/arch/x86/machine_code.c collector/arch/x86/startup_code.c
// sources: collector/arch/x86/libc_code.c
// sources: collector/arch/x86/luajit_code.c
// sources: collector/elf/go_module.c collector/elf/go_table.c collector/elf/string_section.c
// libs: -ldw -lelf -lz -llzma -lcmocka
// include: -Itests/unit
/*
 * Input: an ELF file. It is refused, or it gives a table that the kernel accepts. elfutils is not
 * instrumented.
 */
#include "unwind/compile.h"
#include "table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct table t;
	struct cfi c;

	if (cfi_compile_memory(data, size, &c))
		return 0;
	table_open(&t, c.table, c.bytes);
	if (c.stats.covered_bytes + c.stats.unsupported_bytes > c.stats.text_bytes)
		fail_msg("more is covered than there is");
	cfi_fini(&c);
	return 0;
}
