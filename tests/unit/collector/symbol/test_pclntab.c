// SPDX-License-Identifier: GPL-2.0
// sources: collector/symbol/pclntab.c collector/elf/go_module.c collector/elf/go_table.c
// sources: collector/elf/string_section.c
// libs: -lelf
/* The fixtures are those of fixtures/pclntab.S. */
#include <elf.h>
#include <libelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "elf/go_module.h"
#include "elffile.h"
#include "symbol/pclntab.h"

#define MAX_FRAMES	4

/* Offsets in the section .gopclntab. */
#define AT_NR_FUNCTIONS	8
#define AT_FUNCTIONS	64

/* From there: the offset of a name in the first _func, behind an index of 5 words. */
#define FIRST_NAME	24

struct program {
	struct elffile file;
	Elf *elf;
	struct go_module module;
};

static void close_program(struct program *p)
{
	elf_end(p->elf);
	free(p->file.bytes);
}

/* Opens the file as it is now. */
static bool open_elf(struct program *p)
{
	elf_version(EV_CURRENT);
	p->elf = elf_memory((char *)p->file.bytes, p->file.size);
	return go_module_find(p->elf, &p->module);
}

static struct program open_program(const char *name)
{
	struct program p = { .file = elffile_read(name) };

	assert_true(open_elf(&p));
	return p;
}

static uint8_t *section(const struct program *p, const char *name)
{
	return p->file.bytes + elffile_section(&p->file, name)->sh_offset;
}

/* Text starts one byte behind the section: at its first function. */
static uint64_t address(const struct program *p, int at)
{
	return elffile_section(&p->file, ".text")->sh_addr + 1 + at;
}

static int lookup(const struct program *p, int at, struct frame *frames)
{
	return pclntab_lookup(&p->module, address(p, at), frames, MAX_FRAMES);
}

static void assert_frame(const struct frame *l, const char *name, const char *file, uint32_t line)
{
	assert_string_equal(l->name, name);
	assert_null(l->system_name);
	assert_string_equal(l->file, file);
	assert_int_equal(l->line, line);
	assert_int_equal(l->column, 0);
}

static void assert_nested(struct program *p)
{
	struct frame l[MAX_FRAMES];

	assert_int_equal(lookup(p, 4, l), 3);
	assert_frame(&l[0], "main.innermost", "/go/inner.go", 21);
	assert_frame(&l[1], "main.inner", "/go/inner.go", 4);
	assert_frame(&l[2], "main.(*T[...]).outer", "/go/outer.go", 11);
	assert_int_equal(l[0].offset, 4);
	assert_int_equal(l[2].offset, 4);
	assert_int_equal(lookup(p, 2, l), 2);
	assert_frame(&l[0], "main.inner", "/go/inner.go", 3);
	assert_frame(&l[1], "main.(*T[...]).outer", "/go/outer.go", 11);
}

static void assert_plain(struct program *p)
{
	struct frame l[MAX_FRAMES];

	assert_int_equal(lookup(p, 0, l), 1);
	assert_frame(&l[0], "main.(*T[...]).outer", "/go/outer.go", 10);
	assert_int_equal(l[0].offset, 0);
	assert_int_equal(lookup(p, 5, l), 1);
	assert_frame(&l[0], "main.(*T[...]).outer", "/go/outer.go", 12);
	assert_int_equal(lookup(p, 6, l), 1);
	assert_frame(&l[0], "assembly", "/go/asm.s", 77);
}

static const char *const programs[] = { "go", "go.1_18", "go.pie", "go.data", "go.stripped" };

static void test_functions_and_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		struct program p = open_program(programs[i]);

		assert_plain(&p);
		assert_nested(&p);
		close_program(&p);
	}
}

static void test_start_lines(void **state)
{
	struct program p = open_program("go");
	struct frame l[MAX_FRAMES];

	(void)state;
	assert_int_equal(lookup(&p, 4, l), 3);
	assert_int_equal(l[0].start_line, 20);
	assert_int_equal(l[1].start_line, 2);
	assert_int_equal(l[2].start_line, 9);
	close_program(&p);
	p = open_program("go.1_18");
	assert_int_equal(lookup(&p, 4, l), 3);
	assert_int_equal(l[2].start_line, 0);
	close_program(&p);
}

/* Code in front of Go's text and behind it: that of C. */
static void test_no_function(void **state)
{
	struct program p = open_program("go");
	struct frame l[MAX_FRAMES];

	(void)state;
	assert_int_equal(lookup(&p, -1, l), 0);
	assert_int_equal(lookup(&p, 7, l), 0);
	assert_int_equal(lookup(&p, 1 << 30, l), 0);
	close_program(&p);
}

static void test_few_frames(void **state)
{
	struct program p = open_program("go");
	struct frame l[MAX_FRAMES];

	(void)state;
	assert_int_equal(pclntab_lookup(&p.module, address(&p, 4), l, 1), 1);
	assert_string_equal(l[0].name, "main.innermost");
	close_program(&p);
}

static void test_other_files(void **state)
{
	struct go_module m;
	struct elffile e = elffile_read("chain");
	Elf *elf;

	(void)state;
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)e.bytes, e.size);
	assert_false(go_module_find(elf, &m));
	elf_end(elf);
	free(e.bytes);
}

/* Other sections are not searched in a program that is not Go's. */
static void test_no_build_info(void **state)
{
	struct program p = { .file = elffile_read("go.data") };

	(void)state;
	elffile_section(&p.file, ".go.buildinfo")->sh_name = 0;
	assert_false(open_elf(&p));
	close_program(&p);
}

/* A Go before 1.18, a later layout, or a module that has other words where it should start. */
static void test_unknown_versions(void **state)
{
	static const struct {
		const char *section;
		int at;
	} places[] = { { ".gopclntab", 0 }, { ".go.module", 8 }, { ".go.module", 16 } };

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct program p = { .file = elffile_read("go") };

		section(&p, places[i].section)[places[i].at] ^= 2;
		assert_false(open_elf(&p));
		close_program(&p);
	}
}

/* An inline tree without padding: the name of the function is sure, and nothing else. */
static void test_unknown_tree(void **state)
{
	struct program p = open_program("go");
	struct frame l[MAX_FRAMES];

	(void)state;
	section(&p, ".rodata")[9] = 1;
	assert_int_equal(lookup(&p, 4, l), 1);
	assert_string_equal(l[0].name, "main.(*T[...]).outer");
	assert_null(l[0].file);
	assert_int_equal(l[0].line, 0);
	close_program(&p);
}

/* A name that does not start where a string starts is no name. */
static void test_misplaced_names(void **state)
{
	struct program p = open_program("go");
	uint8_t *table = section(&p, ".gopclntab");
	struct frame l[MAX_FRAMES];
	uint64_t functions;

	(void)state;
	memcpy(&functions, table + AT_FUNCTIONS, 8);
	table[functions + FIRST_NAME]++;
	assert_int_equal(lookup(&p, 0, l), 0);
	close_program(&p);
}

static void test_too_many_functions(void **state)
{
	struct program p = open_program("go");
	struct frame l[MAX_FRAMES];

	(void)state;
	memset(section(&p, ".gopclntab") + AT_NR_FUNCTIONS, 0x7f, 8);
	assert_int_equal(lookup(&p, 0, l), 0);
	memset(section(&p, ".gopclntab") + AT_NR_FUNCTIONS, 0, 8);
	assert_int_equal(lookup(&p, 0, l), 0);
	close_program(&p);
}

/* ASan finds reads outside of the file. */
static void test_each_byte(void **state)
{
	struct program p = { .file = elffile_read("go.pie") };
	size_t bytes = elffile_section(&p.file, ".gopclntab")->sh_size;
	struct frame l[MAX_FRAMES];

	(void)state;
	for (size_t i = 0; i < bytes; i++) {
		uint8_t *at = section(&p, ".gopclntab") + i, old = *at;

		*at = old ^ 0x80;
		if (open_elf(&p))
			for (int k = 0; k < 8; k++)
				lookup(&p, k, l);
		*at = old;
		elf_end(p.elf);
	}
	free(p.file.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_and_lines), cmocka_unit_test(test_start_lines),
		cmocka_unit_test(test_no_function), cmocka_unit_test(test_few_frames),
		cmocka_unit_test(test_other_files), cmocka_unit_test(test_no_build_info),
		cmocka_unit_test(test_unknown_versions),
		cmocka_unit_test(test_unknown_tree), cmocka_unit_test(test_misplaced_names),
		cmocka_unit_test(test_too_many_functions), cmocka_unit_test(test_each_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
