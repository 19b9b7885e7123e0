// SPDX-License-Identifier: GPL-2.0
#include "elf/tls_symbol.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "arch/machine.h"
#include "elf/string_section.h"
#include "elf/validate.h"

/* Limit of a table. A hostile file may claim any size. */
#define MAX_TABLE_BYTES	(UINT64_C(256) << 20)
/* No real program has a larger block. */
#define MAX_BLOCK_BYTES	(UINT64_C(1) << 30)

/* The variable in the file. */
struct found {
	size_t table;		/* section of its symbol table */
	size_t index;		/* in that table; 0: not found */
	uint64_t value;		/* offset in the block; STT_OBJECT: address */
	size_t section;		/* that of the variable itself */
};

static const Elf_Data *read_table(Elf_Scn *scn, const GElf_Shdr *shdr)
{
	return shdr->sh_size <= MAX_TABLE_BYTES ? elf_getdata(scn, NULL) : NULL;
}

static bool is_variable(const GElf_Sym *sym, int type)
{
	return GELF_ST_TYPE(sym->st_info) == type && sym->st_shndx != SHN_UNDEF &&
	       GELF_ST_BIND(sym->st_info) != STB_LOCAL;
}

static void search(Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr, const char *name, int type,
		   struct found *f)
{
	const Elf_Data *names = string_section_get(elf, shdr->sh_link);
	const Elf_Data *data = names ? read_table(scn, shdr) : NULL;
	size_t nr = data ? data->d_size / sizeof(Elf64_Sym) : 0;
	const char *text;
	GElf_Sym sym;

	for (size_t i = 1; i < nr && !f->index; i++) {
		if (!gelf_getsym((Elf_Data *)data, i, &sym) || !is_variable(&sym, type))
			continue;
		text = string_section_at(names, sym.st_name);
		if (text && !strcmp(text, name))
			*f = (struct found){ elf_ndxscn(scn), i, sym.st_value,
					     sym.st_shndx };
	}
}

/* Looks for a symbol of this type (STT_*) in the tables of a type (SHT_*). */
static struct found find_in(Elf *elf, GElf_Word table, const char *name, int type)
{
	struct found f = { 0 };
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while (!f.index && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == table)
			search(elf, scn, &shdr, name, type, &f);
	return f;
}

/* Is the file a program? The dynamic linker loads no such file as a library. */
static bool is_program(Elf *elf)
{
	Elf_Scn *scn = NULL;
	const Elf_Data *data;
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;
	GElf_Dyn dyn;

	if (gelf_getehdr(elf, &ehdr) && ehdr.e_type == ET_EXEC)
		return true;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_DYNAMIC)
			continue;
		data = read_table(scn, &shdr);
		for (size_t i = 0; data && i < data->d_size / sizeof(Elf64_Dyn); i++)
			if (gelf_getdyn((Elf_Data *)data, i, &dyn) && dyn.d_tag == DT_FLAGS_1)
				return dyn.d_un.d_val & DF_1_PIE;
	}
	return false;
}

static bool find_segment(Elf *elf, GElf_Word type, GElf_Word flags, GElf_Phdr *phdr)
{
	size_t nr = 0;

	elf_getphdrnum(elf, &nr);
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(elf, i, phdr) && phdr->p_type == type &&
		    (phdr->p_flags & flags) == flags)
			return true;
	return false;
}

/*
 * The block of a program ends at the thread pointer, but for its alignment (variant II). If the
 * segment itself is not aligned, linkers and libcs disagree.
 */
static void set_program(Elf *elf, const struct found *f, struct tls_symbol *s)
{
	GElf_Phdr tls;
	uint64_t align, bytes;

	if (!find_segment(elf, PT_TLS, 0, &tls))
		return;
	align = tls.p_align ? tls.p_align : 1;
	if ((align & (align - 1)) || align > MAX_BLOCK_BYTES || tls.p_vaddr % align ||
	    tls.p_memsz > MAX_BLOCK_BYTES || f->value >= tls.p_memsz)
		return;
	bytes = (tls.p_memsz + align - 1) & ~(align - 1);
	s->access = TLS_ACCESS_PROGRAM;
	s->offset = (int64_t)f->value - (int64_t)bytes;
}

/*
 * A relocation names the variable; or, where no other file can replace it, the file itself (symbol
 * 0) and the value.
 */
static void take_relocation(const struct found *f, const GElf_Rela *rela, struct tls_symbol *s)
{
	bool is_named = GELF_R_SYM(rela->r_info) == f->index && !rela->r_addend;
	bool is_valued = !GELF_R_SYM(rela->r_info) && (uint64_t)rela->r_addend == f->value;
	bool is_own = !GELF_R_SYM(rela->r_info) && !rela->r_addend;

	switch (GELF_R_TYPE(rela->r_info)) {
	case ARCH_RELOCATION_TLS_OFFSET:
		if (!is_named && !is_valued)
			return;
		s->access = TLS_ACCESS_OFFSET;
		break;
	case ARCH_RELOCATION_TLS_DESCRIPTOR:
		if (!is_named && !is_valued)
			return;
		s->access = TLS_ACCESS_DESCRIPTOR;
		break;
	case ARCH_RELOCATION_TLS_MODULE:
		if (!is_named && !is_own)
			return;
		s->access = TLS_ACCESS_MODULE;
		s->second = is_named ? f->value : 0;
		break;
	default:
		return;
	}
	s->slot = rela->r_offset;
}

/* A relocation of the module alone says less than the others: it is the last choice. */
static bool is_final(const struct tls_symbol *s)
{
	return s->access != TLS_ACCESS_NONE && (s->access != TLS_ACCESS_MODULE || s->second);
}

static void set_library(Elf *elf, const struct found *f, struct tls_symbol *s)
{
	Elf_Scn *scn = NULL;
	const Elf_Data *data;
	GElf_Shdr shdr;
	GElf_Rela rela;

	s->offset = f->value;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_RELA ||
		    shdr.sh_link != f->table)
			continue;
		data = read_table(scn, &shdr);
		for (size_t i = 0; data && i < data->d_size / sizeof(Elf64_Rela); i++) {
			if (is_final(s))
				return;
			if (gelf_getrela((Elf_Data *)data, i, &rela))
				take_relocation(f, &rela, s);
		}
	}
}

static struct found find(Elf *elf, const char *name, int type)
{
	struct found f = find_in(elf, SHT_DYNSYM, name, type);

	return f.index || !is_program(elf) ? f : find_in(elf, SHT_SYMTAB, name, type);
}

static void read_symbol(Elf *elf, const char *name, struct tls_symbol *s)
{
	struct found f = find(elf, name, STT_TLS);
	GElf_Phdr code;

	if (!f.index || !find_segment(elf, PT_LOAD, PF_X, &code))
		return;
	s->code_offset = code.p_offset;
	s->code_address = code.p_vaddr;
	if (is_program(elf))
		set_program(elf, &f, s);
	else
		set_library(elf, &f, s);
}

static bool is_ours(Elf *elf)
{
	GElf_Ehdr ehdr;

	return gelf_getclass(elf) == ELFCLASS64 && gelf_getehdr(elf, &ehdr) &&
	       ehdr.e_machine == ARCH_MACHINE;
}

/* Returns the file, which the caller ends; or NULL if it is none of this CPU, or is damaged. */
static Elf *open_elf(int fd)
{
	Elf *elf;

	if (elf_validate_file(fd))
		return NULL;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && is_ours(elf))
		return elf;
	elf_end(elf);
	return NULL;
}

int tls_symbol_read(int fd, const char *name, struct tls_symbol *s)
{
	Elf *elf = open_elf(fd);

	*s = (struct tls_symbol){ .access = TLS_ACCESS_NONE };
	if (!elf)
		return -ENOEXEC;
	read_symbol(elf, name, s);
	elf_end(elf);
	return 0;
}

static bool has_value(Elf *elf, const struct found *f, uint32_t value)
{
	Elf_Scn *scn = f->index ? elf_getscn(elf, f->section) : NULL;
	const Elf_Data *data;
	GElf_Shdr shdr;
	uint64_t at;

	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS)
		return false;
	data = read_table(scn, &shdr);
	at = f->value - shdr.sh_addr;
	return data && data->d_buf && data->d_size >= sizeof(value) &&
	       at <= data->d_size - sizeof(value) &&
	       !memcmp((const char *)data->d_buf + at, &value, sizeof(value));
}

bool tls_symbol_has_version(int fd, const char *name, uint32_t value)
{
	Elf *elf = open_elf(fd);
	struct found f;
	bool has;

	if (!elf)
		return false;
	f = find(elf, name, STT_OBJECT);
	has = has_value(elf, &f, value);
	elf_end(elf);
	return has;
}
