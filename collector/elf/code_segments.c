// SPDX-License-Identifier: GPL-2.0
#include "elf/code_segments.h"

#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "arch/machine.h"
#include "base/byte_reader.h"
#include "elf/validate.h"

/* Limit of a decompressed section. A section of 1 MB may decompress to 1 GB. */
#define MAX_INFLATED_BYTES	(256ULL << 20)

/* Limit of .dynamic, which libelf may copy. That of glibc's dynamic linker has 416 bytes. */
#define MAX_DYNAMIC_BYTES	65536

static bool is_program(const Elf64_Ehdr *ehdr)
{
	return ehdr->e_ident[EI_CLASS] == ELFCLASS64 && ehdr->e_ident[EI_DATA] == ELFDATA2LSB &&
	       ehdr->e_machine == ARCH_MACHINE &&
	       (ehdr->e_type == ET_EXEC || ehdr->e_type == ET_DYN);
}

static void insert_segment(struct code_segments *t, const GElf_Phdr *ph)
{
	unsigned int i = t->nr++;

	for (; i && t->segments[i - 1].offset > ph->p_offset; i--)
		t->segments[i] = t->segments[i - 1];
	t->segments[i] = (struct code_segment){
		.vaddr = ph->p_vaddr, .offset = ph->p_offset, .bytes = ph->p_filesz,
		.code = ph->p_offset,
	};
}

static bool are_disjoint(const struct code_segments *t)
{
	for (unsigned int i = 1; i < t->nr; i++)
		if (t->segments[i].offset - t->segments[i - 1].offset < t->segments[i - 1].bytes)
			return false;
	return true;
}

/* A segment that lies beyond the end of the file makes the file damaged: it was truncated. */
static int find_segments(struct code_segments *t)
{
	GElf_Phdr ph;
	size_t nr;

	if (elf_getphdrnum(t->elf, &nr))
		return -ENOEXEC;
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(t->elf, i, &ph))
			return -ENOEXEC;
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X) || !ph.p_filesz)
			continue;
		if (ph.p_offset > t->bytes || ph.p_filesz > t->bytes - ph.p_offset ||
		    t->nr == CODE_MAX_SEGMENTS)
			return -ENOEXEC;
		insert_segment(t, &ph);
	}
	if (!t->nr)
		return -ENODATA;
	return are_disjoint(t) ? 0 : -ENOEXEC;
}

static bool is_code(const GElf_Shdr *shdr)
{
	return shdr->sh_type == SHT_PROGBITS && (shdr->sh_flags & SHF_EXECINSTR);
}

/* Sets segment.code. */
static void find_first_code(struct code_segments *t)
{
	uint64_t first[CODE_MAX_SEGMENTS];
	const struct code_segment *s;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	memset(first, 0xff, sizeof(first));
	while ((scn = elf_nextscn(t->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || !is_code(&shdr))
			continue;
		s = code_segments_find(t, shdr.sh_addr);
		if (s && shdr.sh_offset - s->offset < first[s - t->segments])
			first[s - t->segments] = shdr.sh_offset - s->offset;
	}
	for (unsigned int i = 0; i < t->nr; i++)
		if (first[i] < t->segments[i].bytes)
			t->segments[i].code += first[i];
}

/* Returns the file offset of the entry point. Without one, as in most libraries, e_entry is 0. */
static uint64_t find_entry(const struct code_segments *t, uint64_t vaddr)
{
	const struct code_segment *s = vaddr ? code_segments_find(t, vaddr) : NULL;

	return s ? vaddr - s->vaddr + s->offset : UINT64_MAX;
}

/* The cast drops const: elf_memory() takes a writable image, but does not write. */
int code_segments_init(struct code_segments *t, const void *image, size_t bytes)
{
	Elf64_Ehdr ehdr;
	int err;

	*t = (struct code_segments){ .image = image, .bytes = bytes };
	if (bytes < SELFMAG || memcmp(image, ELFMAG, SELFMAG))
		return -ENOMSG;
	if (bytes < sizeof(ehdr))
		return -ENOEXEC;
	memcpy(&ehdr, image, sizeof(ehdr));
	if (ehdr.e_ident[EI_CLASS] == ELFCLASS32)
		return -ENOTSUP;
	if (!is_program(&ehdr) || elf_validate_image(image, bytes))
		return -ENOEXEC;
	elf_version(EV_CURRENT);
	t->elf = elf_memory((char *)image, bytes);
	if (!t->elf)
		return -ENOEXEC;
	err = find_segments(t);
	if (err) {
		code_segments_fini(t);
		return err;
	}
	find_first_code(t);
	t->entry = find_entry(t, ehdr.e_entry);
	return 0;
}

void code_segments_fini(struct code_segments *t)
{
	elf_end(t->elf);
	free(t->inflated);
}

const struct code_segment *code_segments_find(const struct code_segments *t, uint64_t vaddr)
{
	for (unsigned int i = 0; i < t->nr; i++)
		if (vaddr - t->segments[i].vaddr < t->segments[i].bytes)
			return &t->segments[i];
	return NULL;
}

/* elf_strptr() is not used: for each name it searches for the end of the whole table. */
static bool is_named(const Elf_Data *names, const GElf_Shdr *shdr, const char *wanted)
{
	size_t bytes = strlen(wanted) + 1;

	return shdr->sh_name < names->d_size && names->d_size - shdr->sh_name >= bytes &&
	       !memcmp((const char *)names->d_buf + shdr->sh_name, wanted, bytes);
}

static Elf_Scn *find_section(Elf *elf, const char *wanted, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;
	Elf_Data *names;
	size_t index;

	if (elf_getshdrstrndx(elf, &index))
		return NULL;
	names = elf_rawdata(elf_getscn(elf, index), NULL);
	if (!names || !names->d_buf)
		return NULL;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, shdr) && shdr->sh_type != SHT_NOBITS &&
		    is_named(names, shdr, wanted))
			return scn;
	return NULL;
}

static bool set_section(struct code_section *s, const Elf_Data *data, uint64_t vaddr)
{
	if (!data || !data->d_buf || !data->d_size)
		return false;
	*s = (struct code_section){
		.data = data->d_buf, .bytes = data->d_size, .vaddr = vaddr,
	};
	return true;
}

static bool find_phdr(const struct code_segments *t, uint32_t type, GElf_Phdr *ph)
{
	size_t nr;

	if (elf_getphdrnum(t->elf, &nr))
		return false;
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(t->elf, i, ph) && ph->p_type == type)
			return true;
	return false;
}

/* Finds the bytes from vaddr to the end of the segment that is loaded there. */
static bool find_loaded(const struct code_segments *t, uint64_t vaddr, struct code_section *s)
{
	GElf_Phdr ph;
	size_t nr;

	if (elf_getphdrnum(t->elf, &nr))
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(t->elf, i, &ph) || ph.p_type != PT_LOAD ||
		    vaddr - ph.p_vaddr >= ph.p_filesz || ph.p_offset > t->bytes ||
		    ph.p_filesz > t->bytes - ph.p_offset)
			continue;
		*s = (struct code_section){
			.data = t->image + ph.p_offset + (vaddr - ph.p_vaddr),
			.bytes = ph.p_filesz - (vaddr - ph.p_vaddr),
			.vaddr = vaddr,
		};
		return true;
	}
	return false;
}

/*
 * Finds .eh_frame through .eh_frame_hdr: a version, three encodings, then the address. See Linux
 * Standard Base Core, "Exception Frames".
 */
static bool find_by_header(const struct code_segments *t, struct code_section *s)
{
	struct code_section header;
	struct bytes b;
	GElf_Phdr ph;

	if (!find_phdr(t, PT_GNU_EH_FRAME, &ph) || !find_loaded(t, ph.p_vaddr, &header))
		return false;
	b = (struct bytes){ .at = header.data, .end = header.data + header.bytes };
	if (bytes_number(&b, 1) != 1 ||
	    bytes_number(&b, 1) != (DW_EH_PE_pcrel | DW_EH_PE_sdata4))
		return false;
	bytes_take(&b, 2);
	return find_loaded(t, ph.p_vaddr + 4 + bytes_signed(&b, 4), s);
}

bool code_segments_eh_frame(const struct code_segments *t, struct code_section *s)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = find_section(t->elf, ".eh_frame", &shdr);

	if (scn)
		return set_section(s, elf_rawdata(scn, NULL), shdr.sh_addr);
	return find_by_header(t, s);
}

/*
 * Decompresses a section to t->inflated. libelf is not used: it writes the new size to the section
 * header, which is part of the caller's image here.
 */
static bool inflate_section(struct code_segments *t, const Elf_Data *raw, struct code_section *s)
{
	Elf64_Chdr chdr;
	uLongf bytes;

	if (raw->d_size < sizeof(chdr))
		return false;
	memcpy(&chdr, raw->d_buf, sizeof(chdr));	/* it may be unaligned */
	if (chdr.ch_type != ELFCOMPRESS_ZLIB || chdr.ch_size > MAX_INFLATED_BYTES)
		return false;
	bytes = chdr.ch_size;
	t->inflated = malloc(bytes + 1);
	if (!t->inflated ||
	    uncompress(t->inflated, &bytes, (const Bytef *)raw->d_buf + sizeof(chdr),
		       raw->d_size - sizeof(chdr)) != Z_OK)
		return false;
	*s = (struct code_section){ .data = t->inflated, .bytes = bytes };
	return true;
}

bool code_segments_debug_frame(struct code_segments *t, struct code_section *s)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = find_section(t->elf, ".debug_frame", &shdr);
	Elf_Data *raw = scn ? elf_rawdata(scn, NULL) : NULL;

	if (raw && raw->d_buf && shdr.sh_flags & SHF_COMPRESSED)
		return inflate_section(t, raw, s);
	return set_section(s, raw, 0);
}

/* The name of the dynamic linker is part of the ABI: PT_INTERP of programs contains it. */
static bool is_name_of_linker(Elf *elf, size_t strings, const GElf_Dyn *dyn)
{
	const char *name = elf_strptr(elf, strings, dyn->d_un.d_val);

	return name && !strcmp(name, ARCH_LINKER);
}

bool code_segments_is_linker(const struct code_segments *t)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = find_section(t->elf, ".dynamic", &shdr);
	Elf_Data *data;
	GElf_Dyn dyn;

	if (!scn || shdr.sh_type != SHT_DYNAMIC || shdr.sh_size > MAX_DYNAMIC_BYTES)
		return false;
	data = elf_getdata(scn, NULL);
	for (int i = 0; data && gelf_getdyn(data, i, &dyn); i++)
		if (dyn.d_tag == DT_SONAME)
			return is_name_of_linker(t->elf, shdr.sh_link, &dyn);
	return false;
}

bool code_segments_is_go(const struct code_segments *t)
{
	GElf_Shdr shdr;

	return find_section(t->elf, ".go.buildinfo", &shdr);
}
