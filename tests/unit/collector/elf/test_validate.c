// SPDX-License-Identifier: GPL-2.0
// sources: collector/elf/validate.c
// libs: -llzma
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "elf/validate.h"
#include "elffile.h"

/* Checks the image in memory and as a file. Both results must be equal. */
static int check(const struct elffile *e)
{
	int fd = elffile_open(e), err = elf_validate_file(fd);

	close(fd);
	assert_int_equal(elf_validate_image(e->bytes, e->size), err);
	return err;
}

static void expect_good(const char *path)
{
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(elf_validate_file(fd), 0);
	close(fd);
}

static void test_programs_pass(void **state)
{
	static const char *const names[] = {
		"chain", "chain.gz", "chain.stripped", "linked/chain.debug", "bare32", "cfi.debug.gz",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct elffile e = elffile_read(names[i]);

		assert_int_equal(check(&e), 0);
		elffile_drop_sections(&e);
		assert_int_equal(check(&e), 0);
		free(e.bytes);
	}
	expect_good("/proc/self/exe");
	expect_good("/bin/sh");
}

static void test_others_do_not(void **state)
{
	struct elffile e = elffile_read("chain"), none = { .bytes = e.bytes };
	Elf64_Ehdr *h = elffile_header(&e);
	int fd = open("/dev/null", O_RDONLY);

	(void)state;
	assert_int_equal(elf_validate_file(fd), -ENOEXEC);
	assert_int_equal(elf_validate_file(-1), -ENOEXEC);
	close(fd);
	for (none.size = 0; none.size < sizeof(*h); none.size++)
		assert_int_equal(check(&none), -ENOEXEC);
	h->e_ident[EI_DATA] = ELFDATA2MSB;
	assert_int_equal(check(&e), -ENOEXEC);
	h->e_ident[EI_DATA] = ELFDATA2LSB;
	h->e_ident[EI_CLASS] = ELFCLASSNONE;
	assert_int_equal(check(&e), -ENOEXEC);
	memcpy(e.bytes, "!<arch>\n", 8);
	assert_int_equal(check(&e), -ENOEXEC);
	free(e.bytes);
}

/* If the section headers are cut off, libelf sees no sections. */
static void test_cut_off(void **state)
{
	struct elffile e = elffile_read("chain");

	(void)state;
	for (size_t step = e.size / 97; e.size > step + sizeof(Elf64_Ehdr); e.size -= step)
		assert_int_equal(check(&e), 0);
	free(e.bytes);
}

/* Numbers of sections and of program headers that do not fit into the file header. */
static void test_many(void **state)
{
	struct elffile e = elffile_read("chain");
	Elf64_Ehdr *h = elffile_header(&e);
	Elf64_Shdr *first = (Elf64_Shdr *)(e.bytes + h->e_shoff);

	(void)state;
	first->sh_size = h->e_shnum;
	h->e_shnum = 0;
	assert_int_equal(check(&e), 0);
	first->sh_size = UINT16_MAX;
	assert_int_equal(check(&e), 0);
	first->sh_size = UINT16_MAX + 1;
	assert_int_equal(check(&e), -ENOEXEC);
	first->sh_size = 0;
	h->e_phnum = PN_XNUM;
	assert_int_equal(check(&e), -ENOEXEC);
	free(e.bytes);
}

static void test_many_of_32_bits(void **state)
{
	struct elffile e = elffile_read("bare32");
	Elf32_Ehdr *h = (Elf32_Ehdr *)e.bytes;

	(void)state;
	((Elf32_Shdr *)(e.bytes + h->e_shoff))->sh_size = UINT16_MAX + 1;
	assert_int_equal(check(&e), 0);
	h->e_shnum = 0;
	assert_int_equal(check(&e), -ENOEXEC);
	free(e.bytes);
}

/* Also if the index of the name section does not fit into the file header. */
static void test_names(void **state)
{
	struct elffile e = elffile_read("chain");
	Elf64_Ehdr *h = elffile_header(&e);
	Elf64_Shdr *sections = (Elf64_Shdr *)(e.bytes + h->e_shoff);

	(void)state;
	sections[h->e_shstrndx].sh_size = 64 << 10;
	assert_int_equal(check(&e), 0);
	sections[h->e_shstrndx].sh_size++;
	assert_int_equal(check(&e), -ENOEXEC);
	sections[0].sh_link = h->e_shstrndx;
	h->e_shstrndx = SHN_XINDEX;
	assert_int_equal(check(&e), -ENOEXEC);
	sections[0].sh_link--;
	assert_int_equal(check(&e), 0);
	free(e.bytes);
}

/* Makes .comment declare this size after decompression. */
static void set_inflated(struct elffile *e, uint64_t bytes)
{
	Elf64_Shdr *sh = elffile_section(e, ".comment");
	Elf64_Chdr chdr = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = bytes };

	sh->sh_flags |= SHF_COMPRESSED;
	memcpy(e->bytes + sh->sh_offset, &chdr, sizeof(chdr));
}

static void test_inflated(void **state)
{
	struct elffile e = elffile_read("chain");
	Elf64_Shdr *again = elffile_section(&e, ".symtab"), was = *again;

	(void)state;
	set_inflated(&e, 4ULL << 30);
	assert_int_equal(check(&e), 0);
	set_inflated(&e, (4ULL << 30) + 1);
	assert_int_equal(check(&e), -ENOEXEC);
	elffile_section(&e, ".comment")->sh_type = SHT_NOBITS;
	assert_int_equal(check(&e), 0);
	elffile_section(&e, ".comment")->sh_type = SHT_PROGBITS;
	/* the sum counts, even if both sections have the same bytes */
	set_inflated(&e, (2ULL << 30) + 1);
	assert_int_equal(check(&e), 0);
	*again = *elffile_section(&e, ".comment");
	assert_int_equal(check(&e), -ENOEXEC);
	*again = was;
	free(e.bytes);
}

/* .zdebug_info, the form without SHF_COMPRESSED. A loaded section does not count as one. */
static void test_inflated_of_old(void **state)
{
	struct elffile e = elffile_read("chain");
	Elf64_Shdr *sh = elffile_section(&e, ".comment");
	uint64_t bytes = htobe64(4ULL << 30);

	(void)state;
	memcpy(e.bytes + sh->sh_offset, "ZLIB", 4);
	memcpy(e.bytes + sh->sh_offset + 4, &bytes, sizeof(bytes));
	assert_int_equal(check(&e), 0);
	bytes = htobe64((4ULL << 30) + 1);
	memcpy(e.bytes + sh->sh_offset + 4, &bytes, sizeof(bytes));
	assert_int_equal(check(&e), -ENOEXEC);
	sh->sh_flags |= SHF_ALLOC;
	assert_int_equal(check(&e), 0);
	free(e.bytes);
}

/* Replaces the content of a section by this many zeroes, compressed by xz. */
static void set_inner(struct elffile *e, uint64_t bytes, const char *command)
{
	Elf64_Shdr *sh = elffile_section(e, ".comment");
	uint8_t *packed = malloc(1 << 20);
	char line[128];
	FILE *pipe;

	snprintf(line, sizeof(line), "head -c %llu /dev/zero | %s", (unsigned long long)bytes,
		 command);
	pipe = popen(line, "r");
	sh->sh_size = fread(packed, 1, 1 << 20, pipe);
	assert_int_equal(pclose(pipe), 0);
	sh->sh_offset = e->size;
	e->bytes = realloc(e->bytes, e->size + sh->sh_size);
	sh = elffile_section(e, ".comment");
	memcpy(e->bytes + e->size, packed, sh->sh_size);
	e->size += sh->sh_size;
	free(packed);
}

static int check_inner(uint64_t bytes, const char *command)
{
	struct elffile e = elffile_read("chain");
	int err;

	set_inner(&e, bytes, command);
	err = check(&e);
	free(e.bytes);
	return err;
}

/* MiniDebugInfo: another ELF file, which libdwfl inflates. */
static void test_inner_file(void **state)
{
	struct elffile e = elffile_read("chain.mini");

	(void)state;
	assert_int_equal(check(&e), 0);
	free(e.bytes);
	assert_int_equal(check_inner(63 << 20, "xz -0"), 0);
	assert_int_equal(check_inner(65 << 20, "xz -0"), -ENOEXEC);
	assert_int_equal(check_inner(65 << 20, "xz -0 | head -c 1000"), 0);
	assert_int_equal(check_inner(65 << 20, "xz --format=lzma -0"), -ENOEXEC);
	assert_int_equal(check_inner(1000, "xz --lzma2=dict=256MiB"), -ENOEXEC);
	assert_int_equal(check_inner(1000, "xz -9"), 0);
}

/* The same content in many sections: each takes time. */
static void test_many_inner_files(void **state)
{
	const size_t nr = 66;
	struct elffile e = elffile_read("chain");
	Elf64_Shdr inner;
	Elf64_Ehdr *h;
	size_t at;

	(void)state;
	set_inner(&e, 1000, "xz");
	inner = *elffile_section(&e, ".comment");
	at = (e.size + 7) / 8 * 8;
	e.size = at + nr * sizeof(inner);
	e.bytes = realloc(e.bytes, e.size);
	for (size_t i = 0; i < nr; i++)
		memcpy(e.bytes + at + i * sizeof(inner), &inner, sizeof(inner));
	h = elffile_header(&e);
	h->e_shoff = at;
	h->e_shnum = nr - 1;
	assert_int_equal(check(&e), 0);
	h->e_shnum = nr;
	assert_int_equal(check(&e), -ENOEXEC);
	free(e.bytes);
}

/* Nearly all of the file is a hole. */
static void test_larger_than_memory(void **state)
{
	struct elffile e = elffile_read("chain");
	int fd = elffile_open(&e);

	(void)state;
	assert_int_equal(ftruncate(fd, 1LL << 50), 0);
	assert_int_equal(elf_validate_file(fd), -ENOEXEC);
	assert_int_equal(ftruncate(fd, 1 << 30), 0);
	assert_int_equal(elf_validate_file(fd), 0);
	close(fd);
	free(e.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs_pass),
		cmocka_unit_test(test_others_do_not),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_many_of_32_bits),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_inflated),
		cmocka_unit_test(test_inflated_of_old),
		cmocka_unit_test(test_inner_file),
		cmocka_unit_test(test_many_inner_files),
		cmocka_unit_test(test_larger_than_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
