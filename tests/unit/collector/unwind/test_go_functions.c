// SPDX-License-Identifier: GPL-2.0
// sources: collector/unwind/compile.c collector/unwind/cfi_program.c
// sources: collector/elf/code_segments.c collector/unwind/fde_index.c
// sources: collector/unwind/uncovered_code.c collector/unwind/table_builder.c
// sources: collector/base/sigbus_guard.c collector/elf/validate.c
// sources: collector/arch/x86/machine_code.c collector/arch/x86/startup_code.c
// sources: collector/arch/x86/libc_code.c collector/arch/x86/luajit_code.c
// sources: collector/elf/go_module.c collector/elf/go_table.c collector/elf/string_section.c
// libs: -ldw -lelf -lz -llzma
/*
 * Tables of stripped Go programs. The fixtures are those of fixtures/pclntab.S. A function `outer`
 * of 6 bytes and a function `assembly` of one byte follow each other.
 */
#include "unwind/compile.h"
#include "unwind/fde_index.h"
#include "elf/go_table.h"
#include "elffile.h"
#include "table.h"

/* Offsets in the section .gopclntab, and of pcsp in the first _func, behind 5 words of an index. */
#define AT_NR		8
#define AT_VALUES	56
#define AT_FUNCTIONS	64
#define FIRST_FRAMES	(20 + 16)
#define CODE_BYTES	7
/* Offset of minpc in the section .go.module, which begins with a word of its own. */
#define AT_FIRST	(8 + 160)

static uint8_t *section(const struct elffile *e, const char *name)
{
	return e->bytes + elffile_section(e, name)->sh_offset;
}

static uint64_t word_at(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* The entry point, which is in the first function, would get a rule of its own. */
static struct elffile read_program(void)
{
	struct elffile e = elffile_read("go");

	elffile_header(&e)->e_entry = 0;
	return e;
}

/* Asserts the rule of a byte of code. The text starts one byte before the first function. */
static void assert_cfa(const struct elffile *e, int at, int kind, int offset)
{
	uint64_t start = elffile_section(e, ".text")->sh_offset + 1;
	struct pprof_rule rule;
	struct table table;
	struct cfi c;

	assert_int_equal(cfi_compile_memory(e->bytes, e->size, &c), 0);
	table_open(&table, c.table, c.bytes);
	rule = table_find(&table, start + at);
	assert_int_equal(rule.cfa, kind);
	assert_int_equal(rule.cfa_offset, offset);
	assert_int_equal(rule.fp, PPROF_FP_SAME);
	cfi_fini(&c);
}

static void assert_all(const struct elffile *e, int kind)
{
	for (int i = 0; i < CODE_BYTES; i++)
		assert_cfa(e, i, kind, 0);
}

static void test_frame_sizes(void **state)
{
	static const char *const files[] = { "go", "go.1_18", "go.pie", "go.data", "go.stripped" };
	static const int sizes[CODE_BYTES] = { 0, 8, 40, 40, 40, 0, -8 };

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct elffile e = elffile_read(files[i]);

		for (int at = 0; at < CODE_BYTES; at++)
			assert_cfa(&e, at, PPROF_CFA_SP, sizes[at] + 8);
		free(e.bytes);
	}
}

/* Returns the list of sizes of the first function: pairs of a change and a number of bytes. */
static uint8_t *first_sizes(const struct elffile *e)
{
	uint8_t *table = section(e, ".gopclntab");
	uint8_t *func = table + word_at(table + AT_FUNCTIONS) + FIRST_FRAMES;

	return table + word_at(table + AT_VALUES) + (uint32_t)word_at(func);
}

/* The size is -40 in the third row. It holds for that row alone. */
static void test_impossible_size(void **state)
{
	struct elffile e = read_program();

	(void)state;
	first_sizes(&e)[4] = 2 * 48 - 1;
	first_sizes(&e)[6] = 2 * 40;
	assert_cfa(&e, 1, PPROF_CFA_SP, 16);
	assert_cfa(&e, 2, PPROF_CFA_UNSUPPORTED, 0);
	assert_cfa(&e, 4, PPROF_CFA_UNSUPPORTED, 0);
	assert_cfa(&e, 5, PPROF_CFA_SP, 8);
	free(e.bytes);
}

/*
 * A third function in the index goes back into the code of the first one. Such a table could name
 * the same code a million times. The index has no room for the function, so its entry lies over the
 * first two words of `outer`, which are not read. Its func is that of `outer`.
 */
static void test_falling_starts(void **state)
{
	struct elffile e = read_program();
	uint8_t *table = section(&e, ".gopclntab");
	uint8_t *index = table + word_at(table + AT_FUNCTIONS);
	const uint32_t words[] = { 5, (uint32_t)word_at(index + 4), CODE_BYTES };
	struct code_segments t;
	struct fdes f;

	(void)state;
	table[AT_NR] = 3;
	memcpy(index + 16, words, sizeof(words));
	assert_int_equal(code_segments_init(&t, e.bytes, e.size), 0);
	assert_int_equal(fdes_init(&f, &t), 0);
	assert_int_equal(f.nr, 1);
	fdes_fini(&f);
	code_segments_fini(&t);
	free(e.bytes);
}

/* A row without code: the function has no rules. The next one still has. */
static void test_empty_row(void **state)
{
	struct elffile e = read_program();

	(void)state;
	first_sizes(&e)[3] = 0;
	assert_cfa(&e, 0, PPROF_CFA_NONE, 0);
	assert_cfa(&e, 4, PPROF_CFA_NONE, 0);
	assert_cfa(&e, 6, PPROF_CFA_SP, 0);
	free(e.bytes);
}

/* A list that is longer than its function ends with it. */
static void test_long_list(void **state)
{
	struct elffile e = read_program();

	(void)state;
	first_sizes(&e)[5] = 100;
	assert_cfa(&e, 5, PPROF_CFA_SP, 48);
	assert_cfa(&e, 6, PPROF_CFA_SP, 0);
	free(e.bytes);
}

/* The offset of a list: 0 stands for none, and the other is outside of the table. */
static void test_no_list(void **state)
{
	static const uint32_t offsets[] = { 0, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
		struct elffile e = read_program();
		uint8_t *table = section(&e, ".gopclntab");

		memcpy(table + word_at(table + AT_FUNCTIONS) + FIRST_FRAMES, &offsets[i], 4);
		assert_cfa(&e, 0, PPROF_CFA_NONE, 0);
		assert_cfa(&e, 6, PPROF_CFA_SP, 0);
		free(e.bytes);
	}
}

/* Fails if a number of more than 5 bytes is read to its end: it may be as long as the file. */
static void test_long_numbers(void **state)
{
	uint8_t list[100] = { 0x82, 0x80, 0x80, 0x80, 0, 0x83, 0x80, 0x80, 0x80, 0 };
	struct go_values v;

	(void)state;
	go_values_init(&v, (struct go_part){ list, sizeof(list) });
	assert_true(go_values_next(&v));
	assert_int_equal(v.value, 0);
	assert_int_equal(v.end, 3);
	memset(list, 0x80, sizeof(list));
	go_values_init(&v, (struct go_part){ list, sizeof(list) });
	assert_false(go_values_next(&v));
	assert_true(v.is_bad);
	assert_true(v.bytes.at - list <= 10);
}

/* Module data of an unknown layout, and a table of an unknown version. */
static void test_unknown_layout(void **state)
{
	static const struct {
		const char *section;
		int at;
	} places[] = { { ".gopclntab", 0 }, { ".go.module", AT_FIRST } };

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct elffile e = read_program();

		section(&e, places[i].section)[places[i].at] ^= 2;
		assert_all(&e, PPROF_CFA_FRAME_POINTER);
		free(e.bytes);
	}
}

/* ASan finds reads outside of the file. */
static void test_each_byte(void **state)
{
	struct elffile e = elffile_read("go.pie");
	size_t bytes = elffile_section(&e, ".gopclntab")->sh_size;
	struct table table;
	struct cfi c;

	(void)state;
	for (size_t i = 0; i < bytes; i++) {
		section(&e, ".gopclntab")[i] ^= 0x80;
		assert_int_equal(cfi_compile_memory(e.bytes, e.size, &c), 0);
		table_open(&table, c.table, c.bytes);
		cfi_fini(&c);
		section(&e, ".gopclntab")[i] ^= 0x80;
	}
	free(e.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame_sizes), cmocka_unit_test(test_impossible_size),
		cmocka_unit_test(test_empty_row), cmocka_unit_test(test_long_list),
		cmocka_unit_test(test_no_list), cmocka_unit_test(test_unknown_layout),
		cmocka_unit_test(test_long_numbers),
		cmocka_unit_test(test_falling_starts), cmocka_unit_test(test_each_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
