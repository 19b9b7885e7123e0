// SPDX-License-Identifier: GPL-2.0
// sources: collector/cli/cmd_cfi.c collector/unwind/verify.c collector/unwind/compile.c
// sources: collector/unwind/cfi_program.c collector/elf/code_segments.c
// sources: collector/unwind/fde_index.c collector/unwind/uncovered_code.c
// sources: collector/unwind/table_builder.c collector/base/sigbus_guard.c
// sources: collector/base/utf8.c collector/elf/validate.c
// sources: collector/arch/x86/machine_code.c collector/arch/x86/startup_code.c
// sources: collector/arch/x86/libc_code.c
// sources: collector/arch/x86/luajit_code.c
// sources: collector/elf/go_module.c collector/elf/go_table.c collector/elf/string_section.c
// libs: -ldw -lelf -lz -llzma
/* FIXTURES: see test_symbolizer.c. */
#include <errno.h>
#include <sys/stat.h>

#include "capture.h"
#include "unwind/verify.h"
#include "cli/cmd_cfi.h"
#include "elffile.h"
#include "folder.h"
#include "table.h"

static struct capture out, err;

/* Runs cfi for a file. out and err get the text of both streams. */
static int show(const char *file, bool check)
{
	char *const files[] = { (char *)file };
	int ret;

	capture_begin(&out, STDOUT_FILENO);
	capture_begin(&err, STDERR_FILENO);
	ret = cmd_cfi_run(files, 1, check, stdout);
	capture_end(&err);
	capture_end(&out);
	return ret;
}

static const char *fixture(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", getenv("FIXTURES"), name);
	return path;
}

static void a_line_a_file(void **state)
{
	char *const files[] = { strdup(fixture("cfi.so")), strdup(fixture("bare")) };
	struct elffile e = elffile_read("cfi.so");
	unsigned int rows, rules, bytes, text, covered;
	struct cfi c;

	(void)state;
	assert_int_equal(cfi_compile_memory(e.bytes, e.size, &c), 0);
	capture_begin(&out, STDOUT_FILENO);
	assert_int_equal(cmd_cfi_run(files, 2, false, stdout), 0);
	capture_end(&out);
	assert_non_null(strstr(out.text, "cfi.so\n"));
	assert_non_null(strstr(out.text, " 100.00%           0 "));
	assert_non_null(strstr(out.text, "bare\n"));
	assert_non_null(strstr(out.text, "2 files\n"));
	assert_int_equal(sscanf(strchr(out.text, '\n'), "%u %u %u %*f %u.%*u%% %u", &rows, &rules,
				&bytes, &text, &covered), 5);
	assert_int_equal(rows, c.stats.rows);
	assert_int_equal(rules, c.stats.rules);
	assert_int_equal(bytes, c.bytes);
	assert_int_equal(text, bytes * 100 / c.stats.text_bytes);
	assert_int_equal(covered, c.stats.covered_bytes * 100 / c.stats.text_bytes);
	cfi_fini(&c);
	free(e.bytes);
	free(files[0]);
	free(files[1]);
}

static void equal_to_libdw(void **state)
{
	static const char *const files[] = {
		"cfi.so", "cfi.debug", "cfi.debug.gz", "cfi.both", "cfi.nohdr", "cfi.linker",
		"chain", "chain.nopie", "shapes",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		assert_int_equal(show(fixture(files[i]), true), 0);
		assert_string_equal(err.text, "");
		assert_non_null(strstr(out.text, " 0 of "));
	}
}

/* The limit of remembered states is that of the compiler, and libdw has none. */
static void different_from_libdw(void **state)
{
	(void)state;
	assert_int_equal(show(fixture("cfi.damaged"), true), -EINVAL);
	assert_non_null(strstr(out.text, "cfi.damaged: at offset 0x"));
	assert_non_null(strstr(out.text, "\n        1 of 5 rows differ"));
}

/* Returns the number of rows that differ from those of libdw. */
static uint64_t count_wrong(const struct elffile *e, const struct cfi *c)
{
	int fd = elffile_open(e);
	struct cfi_verify result;

	capture_begin(&out, STDOUT_FILENO);
	assert_int_equal(cfi_verify_file(fd, c, "tampered", stdout, &result), 0);
	capture_end(&out);
	close(fd);
	return result.nr_wrong;
}

/* Changes each bit of the rule of a row. If the result is a rule, it must be found. */
static void change_rule_of_row(const struct elffile *e, const struct cfi *c, const struct table *t,
			       uint32_t row)
{
	uint8_t *rule = (uint8_t *)t->rows[row].rule;

	for (int bit = 0; bit < 16; bit++) {
		rule[bit / 8] ^= 1 << bit % 8;
		if (table_has_rule(t, row))
			assert_true(count_wrong(e, c) > 0);
		rule[bit / 8] ^= 1 << bit % 8;
	}
}

/* cfi_verify_file() finds a change of any bit of a rule, and of the first address of a row. */
static void any_change_is_seen(void **state)
{
	struct elffile e = elffile_read("cfi.linker");
	int fd = elffile_open(&e);
	struct table t;
	struct cfi c;
	uint8_t *rules;

	(void)state;
	assert_int_equal(cfi_compile(fd, &c), 0);
	table_open(&t, c.table, c.bytes);
	assert_int_equal(count_wrong(&e, &c), 0);
	rules = (uint8_t *)t.rules;
	for (size_t i = 0; i < t.head->nr_rules * sizeof(*t.rules); i++) {
		rules[i] ^= 1;
		assert_true(count_wrong(&e, &c) > 0);
		rules[i] ^= 1;
	}
	/* The last row is left out: it only marks the end of the text. */
	for (uint32_t row = 1; row < t.head->nr_rows - 1; row++) {
		((struct pprof_row *)t.rows)[row].low++;
		assert_true(count_wrong(&e, &c) > 0);
		((struct pprof_row *)t.rows)[row].low--;
		change_rule_of_row(&e, &c, &t, row);
	}
	cfi_fini(&c);
	close(fd);
	free(e.bytes);
}

static void assert_refused(const char *file, const char *why)
{
	assert_int_equal(show(file, false), -EINVAL);
	assert_sentence(err.text, why);
	assert_non_null(strstr(err.text, file));
}

static void bad_files(void **state)
{
	(void)state;
	assert_int_equal(enter_folder(state), 0);
	write_file("text", "no ELF file\n");
	write_file("empty", "");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_refused("none", "No such file or directory: name a file that you may read");
	assert_refused(".", "is a folder: name files in it");
	assert_refused("fifo", "is no regular file: name an ELF file");
	assert_refused("text", "is no ELF file: name another file");
	assert_refused("empty", "is no ELF file: name another file");
	assert_refused("/dev/null", "is no regular file: name an ELF file");
	assert_int_equal(leave_folder(state), 0);
}

/* After a file with an error the next file is compiled. */
static void good_files_beside(void **state)
{
	char *const files[] = { (char *)"/none", strdup(fixture("bare")) };

	(void)state;
	capture_begin(&out, STDOUT_FILENO);
	capture_begin(&err, STDERR_FILENO);
	assert_int_equal(cmd_cfi_run(files, 2, false, stdout), -EINVAL);
	capture_end(&err);
	capture_end(&out);
	assert_sentence(err.text, "/none: No such file");
	assert_non_null(strstr(out.text, "bare\n"));
	assert_null(strstr(out.text, "files"));
	free(files[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_a_file),
		cmocka_unit_test(equal_to_libdw),
		cmocka_unit_test(different_from_libdw),
		cmocka_unit_test(any_change_is_seen),
		cmocka_unit_test(good_files_beside),
		cmocka_unit_test(bad_files),	/* leaves the folder that FIXTURES is under */
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
