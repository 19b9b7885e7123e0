// SPDX-License-Identifier: GPL-2.0
// sources: collector/elf/tls_symbol.c collector/elf/validate.c
// sources: collector/elf/string_section.c
// libs: -lelf -llzma -lz
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "elf/tls_symbol.h"
#include "elffile.h"

#define NAME	"otel_thread_ctx_v1"

static int read_image(const struct elffile *e, const char *name, struct tls_symbol *s)
{
	int fd = elffile_open(e), err = tls_symbol_read(fd, name, s);

	close(fd);
	return err;
}

static struct tls_symbol read_fixture(const char *file, const char *name)
{
	struct elffile e = elffile_read(file);
	struct tls_symbol s;

	assert_int_equal(read_image(&e, name, &s), 0);
	free(e.bytes);
	return s;
}

static void test_libraries(void **state)
{
	static const struct {
		const char *file;
		enum tls_access access;
	} cases[] = {
		{ "tls.initial", TLS_ACCESS_OFFSET }, { "tls.gnu", TLS_ACCESS_MODULE },
		{ "tls.desc", TLS_ACCESS_DESCRIPTOR },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tls_symbol s = read_fixture(cases[i].file, NAME);

		assert_int_equal(s.access, cases[i].access);
		assert_int_equal(s.offset, 0);
		assert_int_not_equal(s.slot, 0);
		assert_int_equal(s.second, 0);
		assert_int_not_equal(s.code_address, 0);
	}
}

#define NAME_OF_VERSION	"custom_labels_abi_version"

static bool has_version(const struct elffile *e, uint32_t value)
{
	int fd = elffile_open(e);
	bool has = tls_symbol_has_version(fd, NAME_OF_VERSION, value);

	close(fd);
	return has;
}

static bool file_has_version(const char *file, uint32_t value)
{
	struct elffile e = elffile_read(file);
	bool has = has_version(&e, value);

	free(e.bytes);
	return has;
}

static void test_versions(void **state)
{
	(void)state;
	assert_true(file_has_version("labels.desc", 1));
	assert_true(file_has_version("labels.static", 1));	/* it is in .symtab alone */
	assert_false(file_has_version("labels.desc", 2));
	assert_false(file_has_version("labels.2", 1));
	assert_true(file_has_version("labels.2", 2));
	assert_false(file_has_version("tls.desc", 1));
	assert_int_equal(read_fixture("labels.desc", "custom_labels_current_set").access,
			 TLS_ACCESS_DESCRIPTOR);
	/* The search for variables of threads finds no constant. */
	assert_int_equal(read_fixture("labels.desc", NAME_OF_VERSION).access, TLS_ACCESS_NONE);
}

static void test_programs(void **state)
{
	struct tls_symbol s = read_fixture("tls.pie", NAME);

	(void)state;
	assert_int_equal(s.access, TLS_ACCESS_PROGRAM);
	assert_int_equal(s.offset, -8);		/* its only variable */
	s = read_fixture("tls.static", NAME);
	assert_int_equal(s.access, TLS_ACCESS_PROGRAM);
	assert_true(s.offset < -8);		/* libc has variables, too */
}

static void test_not_defined(void **state)
{
	static const char *const files[] = { "tls.user", "chain", "chain.stripped" };

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		assert_int_equal(read_fixture(files[i], NAME).access, TLS_ACCESS_NONE);
	assert_int_equal(read_fixture("tls.gnu", "attach").access, TLS_ACCESS_NONE);
	assert_int_equal(read_fixture("tls.gnu", NAME "x").access, TLS_ACCESS_NONE);
	assert_int_equal(read_fixture("tls.pie", "").access, TLS_ACCESS_NONE);
}

/* A segment whose address is not aligned has no sure offset. */
static void test_odd_segments(void **state)
{
	static const struct {
		uint64_t address, align, bytes;
	} cases[] = {
		{ 1, 8, 8 }, { 0, 3, 8 }, { 0, 1ULL << 40, 8 }, { 0, 8, 1ULL << 40 },
		{ 0, 8, 0 }, { 0, UINT64_MAX, 8 },
	};
	struct elffile e = elffile_read("tls.pie");
	Elf64_Phdr *tls = elffile_segment(&e, PT_TLS, 0);
	const Elf64_Phdr whole = *tls;
	struct tls_symbol s;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		*tls = whole;
		tls->p_vaddr += cases[i].address;
		tls->p_align = cases[i].align;
		tls->p_memsz = cases[i].bytes;
		read_image(&e, NAME, &s);
		assert_int_equal(s.access, TLS_ACCESS_NONE);
	}
	*tls = whole;
	tls->p_align = 64;
	tls->p_vaddr &= ~63ULL;
	assert_int_equal(read_image(&e, NAME, &s), 0);
	assert_int_equal(s.offset, -64);
	tls->p_type = PT_NULL;
	read_image(&e, NAME, &s);
	assert_int_equal(s.access, TLS_ACCESS_NONE);
	free(e.bytes);
}

static void test_no_elf_file(void **state)
{
	struct elffile e = elffile_read("tls.gnu");
	struct tls_symbol s;

	(void)state;
	elffile_header(&e)->e_machine = EM_AARCH64;
	assert_int_equal(read_image(&e, NAME, &s), -ENOEXEC);
	memset(e.bytes, 0, 64);
	assert_int_equal(read_image(&e, NAME, &s), -ENOEXEC);
	e.size = 0;
	assert_int_equal(read_image(&e, NAME, &s), -ENOEXEC);
	free(e.bytes);
}

/* Each byte of the headers and of the tables may have any value. The sanitizers check each read. */
static void damage(const char *file, void (*read)(const struct elffile *e))
{
	struct elffile e = elffile_read(file);

	srand(1);
	for (int i = 0; i < 3000; i++) {
		size_t at = rand() % e.size;
		uint8_t byte = e.bytes[at];

		e.bytes[at] = rand();
		read(&e);
		e.bytes[at] = byte;
	}
	free(e.bytes);
}

static void read_any_symbol(const struct elffile *e)
{
	struct tls_symbol s;

	read_image(e, NAME, &s);
}

static void read_any_version(const struct elffile *e)
{
	has_version(e, 1);
}

static void test_damaged(void **state)
{
	(void)state;
	damage("tls.desc", read_any_symbol);
	damage("labels.desc", read_any_version);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_not_defined),
		cmocka_unit_test(test_odd_segments),
		cmocka_unit_test(test_no_elf_file),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
