// SPDX-License-Identifier: GPL-2.0
/*
 * The module data is found without symbols, by its first two words. These are the address of
 * .gopclntab, and the address of the names in it. In a PIE with cgo the dynamic linker fills in
 * these words: then they are zero in the file, and the addends of relocations have their values.
 */
#include "elf/go_module.h"

#include <gelf.h>
#include <string.h>

#include "base/byte_reader.h"
#include "elf/string_section.h"

/* Offsets of fields of struct moduledata: minpc, text and gofunc. */
#define FIRST_AT	160
#define TEXT_AT		176
#define GOFUNC_AT_1_18	304
#define GOFUNC_AT_1_20	320

/* struct pcHeader: its size, and the offset of its field funcnameOffset. */
#define HEADER_BYTES	72
#define NAMES_AT	32

/* Limits for a hostile file. A Go program has one module, and up to 3 writable segments. */
#define MAX_SEGMENTS	16
#define MAX_CANDIDATES	16

struct search {
	Elf *elf;
	const uint8_t *image;
	size_t bytes;
	const uint8_t *relocs;	/* the section of dynamic relocations, or NULL */
	size_t nr_relocs;
	/* The section that may have the table; sh_size is 0 if there is none. */
	GElf_Shdr section;
	bool is_go;
	uint64_t table;		/* ELF address of .gopclntab */
	uint64_t names;		/* ELF address of the names in it */
	unsigned int nr_candidates;	/* calls of is_module() */
	struct go_module *m;
};

static uint64_t number_at(const uint8_t *at, unsigned int nr)
{
	struct bytes b = { .at = at, .end = at + nr };

	return bytes_number(&b, nr);
}

static bool is_inside(const struct search *s, uint64_t offset, uint64_t bytes)
{
	return offset <= s->bytes && bytes <= s->bytes - offset;
}

/* Returns the content of a section; NULL if it has none, is compressed, or is not in the file. */
static const uint8_t *content(const struct search *s, const GElf_Shdr *shdr)
{
	if (shdr->sh_type == SHT_NOBITS || shdr->sh_flags & SHF_COMPRESSED ||
	    !is_inside(s, shdr->sh_offset, shdr->sh_size))
		return NULL;
	return s->image + shdr->sh_offset;
}

/* Go before 1.26 gives the section the second name in a PIE. */
static bool is_pclntab(const char *name)
{
	return !strcmp(name, ".gopclntab") || !strcmp(name, ".data.rel.ro.gopclntab");
}

/*
 * Is there a header of a table? The first word has the magic number, two bytes of padding, the size
 * of the smallest instruction (1 on x86-64), and the size of a pointer (8).
 */
static bool read_header(const uint8_t *at, size_t bytes, enum go_version *version)
{
	if (bytes < HEADER_BYTES || number_at(at + NAMES_AT, 8) >= bytes)
		return false;
	switch (number_at(at, 8)) {
	case 0x08010000fffffff0:
		*version = GO_VERSION_1_18;
		return true;
	case 0x08010000fffffff1:
		*version = GO_VERSION_1_20;
		return true;
	}
	return false;
}

static bool find_table(struct search *s)
{
	const uint8_t *at = s->image + s->section.sh_offset;
	uint64_t bytes = s->section.sh_size, i = 0;
	struct go_module *m = s->m;

	while (i < bytes && !read_header(at + i, bytes - i, &m->version))
		i += 8;
	if (i >= bytes)
		return false;
	m->pclntab = at + i;
	m->pclntab_bytes = bytes - i;
	s->table = s->section.sh_addr + i;
	s->names = s->table + number_at(at + i + NAMES_AT, 8);
	return true;
}

/* If a C linker has linked a PIE with cgo, the table may be inside .data.rel.ro. */
static void add_section(struct search *s, const char *name, const GElf_Shdr *shdr)
{
	const uint8_t *at = content(s, shdr);

	if (at && (is_pclntab(name) || (!s->section.sh_size && !strcmp(name, ".data.rel.ro"))))
		s->section = *shdr;
	if (at && shdr->sh_type == SHT_RELA && !s->relocs) {
		s->relocs = at;
		s->nr_relocs = shdr->sh_size / sizeof(Elf64_Rela);
	}
	s->is_go |= !strcmp(name, ".go.buildinfo");
}

static bool find_sections(struct search *s)
{
	const Elf_Data *names;
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr shdr;
	size_t index;

	if (elf_getshdrstrndx(s->elf, &index))
		return false;
	names = string_section_get(s->elf, index);
	while (names && (scn = elf_nextscn(s->elf, scn))) {
		name = gelf_getshdr(scn, &shdr) ? string_section_at(names, shdr.sh_name) : NULL;
		if (name)
			add_section(s, name, &shdr);
	}
	return s->is_go && find_table(s);
}

/*
 * Returns the bytes at an ELF address, and sets *bytes to the rest of its segment. NULL: no bytes.
 */
static const uint8_t *memory_at(const struct search *s, uint64_t vaddr, uint64_t *bytes)
{
	GElf_Phdr ph;
	size_t nr = 0;

	elf_getphdrnum(s->elf, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(s->elf, i, &ph) || ph.p_type != PT_LOAD ||
		    vaddr - ph.p_vaddr >= ph.p_filesz ||
		    !is_inside(s, ph.p_offset, ph.p_filesz))
			continue;
		*bytes = ph.p_filesz - (vaddr - ph.p_vaddr);
		return s->image + ph.p_offset + (vaddr - ph.p_vaddr);
	}
	return NULL;
}

static uint64_t reloc_addend(const struct search *s, uint64_t vaddr)
{
	for (size_t i = 0; i < s->nr_relocs; i++) {
		const uint8_t *at = s->relocs + i * sizeof(Elf64_Rela);

		if (number_at(at, 8) == vaddr)
			return number_at(at + offsetof(Elf64_Rela, r_addend), 8);
	}
	return 0;
}

/* Returns the pointer at an ELF address after relocation, as another ELF address; or 0. */
static uint64_t pointer_at(const struct search *s, uint64_t vaddr)
{
	uint64_t bytes, value = 0;
	const uint8_t *at = memory_at(s, vaddr, &bytes);

	if (at && bytes >= 8)
		value = number_at(at, 8);
	return value ? value : reloc_addend(s, vaddr);
}

static bool is_module(struct search *s, uint64_t vaddr)
{
	struct go_module *m = s->m;
	uint64_t gofunc = m->version == GO_VERSION_1_18 ? GOFUNC_AT_1_18 : GOFUNC_AT_1_20;
	const uint8_t *funcdata;
	uint64_t bytes;

	if (s->nr_candidates++ >= MAX_CANDIDATES || pointer_at(s, vaddr) != s->table ||
	    pointer_at(s, vaddr + 8) != s->names)
		return false;
	m->text = pointer_at(s, vaddr + TEXT_AT);
	m->first = pointer_at(s, vaddr + FIRST_AT);
	funcdata = memory_at(s, pointer_at(s, vaddr + gofunc), &bytes);
	m->funcdata = funcdata ? funcdata : m->pclntab;
	m->funcdata_bytes = funcdata ? bytes : 0;
	return m->text;
}

static bool is_in_segment(struct search *s, const GElf_Phdr *ph)
{
	uint64_t i;

	if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_W) ||
	    !is_inside(s, ph->p_offset, ph->p_filesz))
		return false;
	for (i = -ph->p_vaddr & 7; i + 16 <= ph->p_filesz; i += 8) {
		const uint8_t *at = s->image + ph->p_offset + i;

		if (number_at(at, 8) == s->table && number_at(at + 8, 8) == s->names &&
		    is_module(s, ph->p_vaddr + i))
			return true;
	}
	return false;
}

static bool is_in_segments(struct search *s)
{
	GElf_Phdr ph;
	size_t nr = 0;

	elf_getphdrnum(s->elf, &nr);
	for (size_t i = 0; i < nr && i < MAX_SEGMENTS; i++)
		if (gelf_getphdr(s->elf, i, &ph) && is_in_segment(s, &ph))
			return true;
	return false;
}

static bool is_in_relocs(struct search *s)
{
	for (size_t i = 0; i < s->nr_relocs; i++) {
		const uint8_t *at = s->relocs + i * sizeof(Elf64_Rela);

		if (number_at(at + offsetof(Elf64_Rela, r_addend), 8) == s->table &&
		    is_module(s, number_at(at, 8)))
			return true;
	}
	return false;
}

bool go_module_find(Elf *elf, struct go_module *m)
{
	struct search s = { .elf = elf, .m = m };
	GElf_Ehdr ehdr;

	*m = (struct go_module){ 0 };
	s.image = (const uint8_t *)elf_rawfile(elf, &s.bytes);
	if (!s.image || !gelf_getehdr(elf, &ehdr) || ehdr.e_machine != EM_X86_64 ||
	    ehdr.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	return find_sections(&s) && (is_in_segments(&s) || is_in_relocs(&s));
}
