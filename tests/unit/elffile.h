/* SPDX-License-Identifier: GPL-2.0 */
/* Reads ELF files of the fixtures into memory, where a test can change them. */
#ifndef TESTS_ELFFILE_H
#define TESTS_ELFFILE_H

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

struct elffile {
	uint8_t *bytes;
	size_t size;
};

/* Reads a fixture. The caller frees the bytes. */
static inline struct elffile elffile_read(const char *name)
{
	struct elffile e;
	char path[4096];
	FILE *f;

	assert_non_null(getenv("FIXTURES"));
	snprintf(path, sizeof(path), "%s/%s", getenv("FIXTURES"), name);
	f = fopen(path, "r");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	e.size = ftell(f);
	rewind(f);
	e.bytes = malloc(e.size);
	assert_int_equal(fread(e.bytes, 1, e.size, f), e.size);
	fclose(f);
	return e;
}

/* Returns the descriptor of a file with these bytes. The caller closes it. */
static inline int elffile_open(const struct elffile *e)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_int_equal(write(fd, e->bytes, e->size), e->size);
	return fd;
}

static inline Elf64_Ehdr *elffile_header(const struct elffile *e)
{
	return (Elf64_Ehdr *)e->bytes;
}

/* Returns the first program header of this type with all these flags, or NULL. */
static inline Elf64_Phdr *elffile_segment(const struct elffile *e, uint32_t type, uint32_t flags)
{
	Elf64_Ehdr *h = elffile_header(e);
	Elf64_Phdr *ph = (Elf64_Phdr *)(e->bytes + h->e_phoff);

	for (int i = 0; i < h->e_phnum; i++)
		if (ph[i].p_type == type && (ph[i].p_flags & flags) == flags)
			return &ph[i];
	return NULL;
}

/* Returns the first section of this name. The test fails if there is none. */
static inline Elf64_Shdr *elffile_section(const struct elffile *e, const char *name)
{
	Elf64_Ehdr *h = elffile_header(e);
	Elf64_Shdr *sh = (Elf64_Shdr *)(e->bytes + h->e_shoff);

	for (int i = 0; i < h->e_shnum; i++)
		if (!strcmp((char *)e->bytes + sh[h->e_shstrndx].sh_offset + sh[i].sh_name, name))
			return &sh[i];
	fail_msg("no section %s", name);
	return NULL;
}

/* Removes the sections, as strip --strip-section-headers does. */
static inline void elffile_drop_sections(struct elffile *e)
{
	Elf64_Ehdr *h = elffile_header(e);

	h->e_shoff = 0;
	h->e_shnum = 0;
	h->e_shstrndx = 0;
}

/* Returns the file offset of a function in .symtab. The test fails if there is none. */
static inline uint64_t elffile_offset(const struct elffile *e, const char *name)
{
	const Elf64_Shdr *symtab = elffile_section(e, ".symtab");
	const Elf64_Phdr *text = elffile_segment(e, PT_LOAD, PF_X);
	const Elf64_Sym *sym = (Elf64_Sym *)(e->bytes + symtab->sh_offset);
	const char *names = (char *)e->bytes + elffile_section(e, ".strtab")->sh_offset;

	for (size_t i = 0; i < symtab->sh_size / sizeof(*sym); i++)
		if (!strcmp(names + sym[i].st_name, name))
			return sym[i].st_value - text->p_vaddr + text->p_offset;
	fail_msg("no symbol %s", name);
	return 0;
}

#endif /* TESTS_ELFFILE_H */
