// SPDX-License-Identifier: GPL-2.0
#include "symbol/skeleton_image.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "arch/machine.h"
#include "base/array.h"
#include "elf/string_section.h"

/* Those of the largest programs have some 100 MB. */
#define MAX_IMAGE_BYTES		((size_t)512 << 20)

enum { ABBREV_NONE, ABBREV_DWARF5, ABBREV_GNU };

/*
 * A skeleton of DWARF 5, and one of the GNU extension to DWARF 4. An attribute from 0x80 on takes
 * two bytes: the low 7 bits and 0x80, then the others.
 */
static const uint8_t abbrevs[] = {
	ABBREV_DWARF5, DW_TAG_skeleton_unit, DW_CHILDREN_no,
	DW_AT_low_pc, DW_FORM_addr,
	DW_AT_addr_base, DW_FORM_sec_offset,
	DW_AT_dwo_name, DW_FORM_string,
	0, 0,
	ABBREV_GNU, DW_TAG_compile_unit, DW_CHILDREN_no,
	DW_AT_low_pc, DW_FORM_addr,
	0x80 | (DW_AT_GNU_addr_base & 0x7f), DW_AT_GNU_addr_base >> 7, DW_FORM_sec_offset,
	0x80 | (DW_AT_GNU_ranges_base & 0x7f), DW_AT_GNU_ranges_base >> 7, DW_FORM_sec_offset,
	0x80 | (DW_AT_GNU_dwo_id & 0x7f), DW_AT_GNU_dwo_id >> 7, DW_FORM_data8,
	0x80 | (DW_AT_GNU_dwo_name & 0x7f), DW_AT_GNU_dwo_name >> 7, DW_FORM_string,
	0, 0,
	0,
};

enum {
	SECTION_NULL,
	SECTION_NAMES,
	SECTION_ADDR,
	SECTION_RANGES,
	SECTION_ABBREV,
	SECTION_INFO,
	NR_SECTIONS,
};

static const char names[] = "\0.shstrtab\0.debug_addr\0.debug_ranges\0.debug_abbrev\0.debug_info";

/* The image while it is made. */
struct builder {
	struct skeleton_image *image;
	Elf64_Shdr sections[NR_SECTIONS];
	uint32_t name;		/* offset in names of the next section's */
	int err;
};

static void put(struct builder *m, const void *bytes, size_t nr)
{
	struct skeleton_image *image = m->image;
	uint8_t *v = NULL;

	if (nr > MAX_IMAGE_BYTES - image->nr_bytes)
		m->err = -EFBIG;
	if (!m->err) {
		v = array_grow(image->bytes, &image->room, image->nr_bytes + nr, 1);
		m->err = v ? 0 : -ENOMEM;
	}
	if (m->err)
		return;
	image->bytes = v;
	memcpy(v + image->nr_bytes, bytes, nr);
	image->nr_bytes += nr;
}

static void put_number(struct builder *m, uint64_t number, size_t nr_bytes)
{
	put(m, &number, nr_bytes);
}

/* Begins a section. The names are in the order of the sections. */
static void begin_section(struct builder *m, int section)
{
	Elf64_Shdr *shdr = &m->sections[section];

	m->name += strlen(names + m->name) + 1;
	shdr->sh_name = m->name;
	shdr->sh_type = section == SECTION_NAMES ? SHT_STRTAB : SHT_PROGBITS;
	shdr->sh_offset = m->image->nr_bytes;
	shdr->sh_addralign = 1;
}

static void end_section(struct builder *m, int section)
{
	m->sections[section].sh_size = m->image->nr_bytes - m->sections[section].sh_offset;
}

static const Elf_Data *find_section(Elf *elf, const char *wanted)
{
	const Elf_Data *all;
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr shdr;
	size_t index;

	all = elf_getshdrstrndx(elf, &index) ? NULL : string_section_get(elf, index);
	while (all && (scn = elf_nextscn(elf, scn))) {
		name = gelf_getshdr(scn, &shdr) ? string_section_at(all, shdr.sh_name) : NULL;
		if (name && !strcmp(name, wanted))
			return elf_getdata(scn, NULL);
	}
	return NULL;
}

/* libdw has decompressed the section already. */
static void copy_section(struct builder *m, int section, Elf *elf)
{
	const Elf_Data *data;

	begin_section(m, section);
	data = find_section(elf, names + m->name);
	if (data && data->d_buf)
		put(m, data->d_buf, data->d_size);
	end_section(m, section);
}

static uint32_t base_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (dwarf_formudata(dwarf_attr(die, name, &attr), &value) || value > UINT32_MAX)
		return 0;
	return value;
}

/* Remembers where the DIE that comes next is, in both files. */
static void add_skeleton(struct builder *m, Dwarf_Off die)
{
	struct skeleton_image *image = m->image;
	struct skeleton *v = array_grow(image->skeletons, &image->skeletons_room, image->nr + 1,
					sizeof(*v));

	if (!v) {
		m->err = -ENOMEM;
		return;
	}
	image->skeletons = v;
	v[image->nr++] = (struct skeleton){
		die, image->nr_bytes - m->sections[SECTION_INFO].sh_offset,
	};
}

static void put_skeleton(struct builder *m, Dwarf_CU *cu, Dwarf_Die *die, const char *dwo_path)
{
	size_t start = m->image->nr_bytes;
	uint8_t type, address_bytes;
	Dwarf_Half version;
	Dwarf_Addr low = 0;
	uint32_t length;
	uint64_t id;

	if (dwarf_cu_info(cu, &version, &type, NULL, NULL, &id, &address_bytes, NULL))
		return;
	dwarf_lowpc(die, &low);
	put_number(m, 0, sizeof(length));
	put_number(m, version, 2);
	if (version >= 5) {
		put_number(m, DW_UT_skeleton, 1);
		put_number(m, address_bytes, 1);
	}
	put_number(m, 0, 4);
	put_number(m, version >= 5 ? id : address_bytes, version >= 5 ? sizeof(id) : 1);
	add_skeleton(m, dwarf_dieoffset(die));
	put_number(m, version >= 5 ? ABBREV_DWARF5 : ABBREV_GNU, 1);
	put_number(m, low, address_bytes);
	put_number(m, base_of(die, version >= 5 ? DW_AT_addr_base : DW_AT_GNU_addr_base), 4);
	if (version < 5) {
		put_number(m, base_of(die, DW_AT_GNU_ranges_base), 4);
		put_number(m, id, sizeof(id));
	}
	put(m, dwo_path, strlen(dwo_path) + 1);
	length = m->image->nr_bytes - start - sizeof(length);
	if (!m->err)
		memcpy(m->image->bytes + start, &length, sizeof(length));
}

static void put_skeletons(struct builder *m, Dwarf *dw, const char *dwo_path)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	begin_section(m, SECTION_INFO);
	while (!m->err && !dwarf_get_units(dw, cu, &cu, NULL, &type, &die, NULL))
		if (type == DW_UT_skeleton)
			put_skeleton(m, cu, &die, dwo_path);
	end_section(m, SECTION_INFO);
}

static void put_headers(struct builder *m)
{
	Elf64_Ehdr ehdr = {
		.e_ident = ELFMAG,
		.e_type = ET_DYN, .e_machine = ARCH_MACHINE, .e_version = EV_CURRENT,
		.e_ehsize = sizeof(ehdr), .e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = NR_SECTIONS, .e_shstrndx = SECTION_NAMES,
	};
	static const uint8_t zeroes[sizeof(uint64_t)];

	ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
	ehdr.e_ident[EI_VERSION] = EV_CURRENT;
	put(m, zeroes, -m->image->nr_bytes % sizeof(zeroes));
	ehdr.e_shoff = m->image->nr_bytes;
	put(m, m->sections, sizeof(m->sections));
	if (!m->err)
		memcpy(m->image->bytes, &ehdr, sizeof(ehdr));
}

/* In an error libdw sees no image, and no split unit is found. */
static int open_image(struct skeleton_image *image)
{
	image->elf = elf_memory((char *)image->bytes, image->nr_bytes);
	image->dw = image->elf ? dwarf_begin_elf(image->elf, DWARF_C_READ, NULL) : NULL;
	return 0;
}

int skeleton_image_init(struct skeleton_image *image, Dwarf *dw, const char *dwo_path)
{
	static const Elf64_Ehdr later;
	struct builder m = { .image = image };

	*image = (struct skeleton_image){ 0 };
	put(&m, &later, sizeof(later));
	begin_section(&m, SECTION_NAMES);
	put(&m, names, sizeof(names));
	end_section(&m, SECTION_NAMES);
	copy_section(&m, SECTION_ADDR, dwarf_getelf(dw));
	copy_section(&m, SECTION_RANGES, dwarf_getelf(dw));
	begin_section(&m, SECTION_ABBREV);
	put(&m, abbrevs, sizeof(abbrevs));
	end_section(&m, SECTION_ABBREV);
	put_skeletons(&m, dw, dwo_path);
	put_headers(&m);
	return m.err ? m.err : open_image(image);
}

void skeleton_image_fini(struct skeleton_image *image)
{
	dwarf_end(image->dw);
	elf_end(image->elf);
	free(image->bytes);
	free(image->skeletons);
	*image = (struct skeleton_image){ 0 };
}

static int compare(const void *key, const void *element)
{
	Dwarf_Off die = *(const Dwarf_Off *)key;
	const struct skeleton *s = element;

	return (die > s->die) - (die < s->die);
}

bool skeleton_image_find(const struct skeleton_image *image, Dwarf_Off die, Dwarf_Die *copy)
{
	const struct skeleton *s = image->dw && image->nr ?
		bsearch(&die, image->skeletons, image->nr, sizeof(*s), compare) : NULL;

	return s && dwarf_offdie(image->dw, s->copy, copy);
}
