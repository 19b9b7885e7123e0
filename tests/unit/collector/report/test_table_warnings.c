// SPDX-License-Identifier: GPL-2.0
// sources: collector/arch/x86/libc_code.c
// sources: collector/arch/x86/luajit_code.c
// sources: collector/report/table_warnings.c collector/base/utf8.c
// sources: collector/unwind/compile.c collector/unwind/cfi_program.c
// sources: collector/elf/code_segments.c collector/unwind/fde_index.c
// sources: collector/unwind/uncovered_code.c collector/unwind/table_builder.c
// sources: collector/base/sigbus_guard.c collector/elf/validate.c
// sources: collector/arch/x86/machine_code.c collector/arch/x86/startup_code.c
// sources: collector/elf/go_module.c collector/elf/go_table.c collector/elf/string_section.c
// libs: -ldw -lelf -lz -llzma
#include <errno.h>

#include "capture.h"
#include "report/table_warnings.h"

const char *mapped_files_path(const struct mapped_files *files, uint32_t file)
{
	(void)files;
	return file == 7 ? "/a\x1b" : "?";
}

static void assert_warning(struct unwind_tables_bad bad, const char *want)
{
	struct capture c;

	bad.file = 7;
	capture_begin(&c, STDERR_FILENO);
	table_warnings_print(NULL, &bad);
	assert_string_equal(capture_end(&c), want);
}

/* Only a damaged file is cured by a new one. */
static void test_reasons(void **state)
{
	(void)state;
	assert_warning((struct unwind_tables_bad){ .nr = 1, .err = -ENOMSG },
		       "pprof-collect: cannot unwind by tables in /a\\x1b, as it is no ELF file: "
		       "callers are found by frame pointers there\n");
	assert_warning((struct unwind_tables_bad){ .nr = 1, .err = -ENOEXEC },
		       "pprof-collect: cannot unwind by tables in /a\\x1b, as it is no ELF program "
		       "or library for x86-64, or is damaged: if it is damaged, install it anew\n");
	assert_warning((struct unwind_tables_bad){ .nr = 3, .err = -ENOTSUP },
		       "pprof-collect: cannot unwind by tables in /a\\x1b, as it has 32-bit code "
		       "(i386 or x32): run a 64-bit build of it (and 2 more such files)\n");
	assert_warning((struct unwind_tables_bad){ .nr = 1, .err = -ENOMEM },
		       "pprof-collect: cannot unwind by tables in /a\\x1b: Cannot allocate memory\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
