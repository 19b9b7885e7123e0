/* SPDX-License-Identifier: GPL-2.0 */
/* Makes ELF files that claim to be large, but use only some KB: the rest is a hole. */
#ifndef TESTS_SPARSE_H
#define TESTS_SPARSE_H

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#define SPARSE_SECTIONS		1000000
/* The memory that a reader of such a file may use. */
#define SPARSE_MAX_KB		(64 << 10)

static inline int sparse_new(const Elf64_Ehdr *ehdr, const Elf64_Shdr *sections, int nr,
			     uint64_t bytes)
{
	int fd = memfd_create("sparse", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, ehdr, sizeof(*ehdr), 0), sizeof(*ehdr));
	assert_int_equal(pwrite(fd, sections, nr * sizeof(*sections), ehdr->e_shoff),
			 nr * sizeof(*sections));
	assert_int_equal(ftruncate(fd, bytes), 0);
	return fd;
}

static inline Elf64_Ehdr sparse_header(uint16_t nr_sections)
{
	return (Elf64_Ehdr){
		.e_ident = ELFMAG "\2\1\1",	/* 64 bits, little-endian, version 1 */
		.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr), .e_shentsize = sizeof(Elf64_Shdr),
		.e_shoff = 4096, .e_shnum = nr_sections,
	};
}

/* Returns a file with a million sections. The caller closes it. */
static inline int sparse_sections(void)
{
	const Elf64_Ehdr ehdr = sparse_header(0);
	const Elf64_Shdr first = { .sh_size = SPARSE_SECTIONS };

	return sparse_new(&ehdr, &first, 1, 4096 + SPARSE_SECTIONS * sizeof(first));
}

/* Returns a file whose only section is 1 GB of notes. The caller closes it. */
static inline int sparse_notes(void)
{
	const Elf64_Ehdr ehdr = sparse_header(2);
	const Elf64_Shdr sections[2] = {
		{ 0 },
		{ .sh_type = SHT_NOTE, .sh_offset = 8192, .sh_size = 1 << 30, .sh_addralign = 4 },
	};

	return sparse_new(&ehdr, sections, 2, 8192 + (1 << 30));
}

/* Returns the peak memory of this process. */
static inline long most_kb(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_maxrss;
}

#endif /* TESTS_SPARSE_H */
