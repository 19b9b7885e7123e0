// SPDX-License-Identifier: GPL-2.0
#include "unwind/fde_index.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elf/go_module.h"
#include "elf/go_table.h"

/* Ten times the numbers of the largest programs. A hostile file could fill the memory otherwise. */
#define MAX_FDES	((size_t)4 << 20)
#define MAX_CIES	((size_t)1 << 20)

/* A section that is being read. */
struct reading {
	struct fdes *f;
	const struct code_segments *t;
	struct code_section section;
	bool is_eh_frame;
	size_t first_cie;	/* index of the section's first CIE */
	size_t last_cie;	/* index of the CIE that the last FDE referred to */
};

/* Offset of the field pcsp in struct _func of Go: a list of frame sizes. */
#define FRAME_SIZES_AT	16

#define ENCODED_SIZE(encoding)	((encoding) & 0x0f)
#define ENCODED_BASE(encoding)	((encoding) & 0xf0)

static bool has_known_size(uint8_t encoding)
{
	switch (ENCODED_SIZE(encoding)) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata2:
	case DW_EH_PE_udata4:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata2:
	case DW_EH_PE_sdata4:
	case DW_EH_PE_sdata8:
		return true;
	}
	return false;
}

static bool is_known(uint8_t encoding)
{
	return has_known_size(encoding) && (ENCODED_BASE(encoding) == DW_EH_PE_absptr ||
					    ENCODED_BASE(encoding) == DW_EH_PE_pcrel);
}

static uint64_t take_encoded(struct bytes *b, uint8_t encoding)
{
	switch (ENCODED_SIZE(encoding)) {
	case DW_EH_PE_udata2:
		return bytes_number(b, 2);
	case DW_EH_PE_udata4:
		return bytes_number(b, 4);
	case DW_EH_PE_sdata2:
		return bytes_signed(b, 2);
	case DW_EH_PE_sdata4:
		return bytes_signed(b, 4);
	}
	return bytes_number(b, 8);
}

/*
 * Reads the augmentation string, such as "zPLR": P, L and R each stand for a pointer with an
 * encoding, S for a signal frame.
 * Returns: false for an unknown letter, which may change the format of the FDEs.
 */
static bool read_augmentation(struct cfa_cie *cie, const Dwarf_CIE *entry)
{
	const char *letter = entry->augmentation;
	struct bytes b = { .at = entry->augmentation_data };
	uint8_t encoding;

	cie->encoding = DW_EH_PE_absptr;
	cie->has_sizes = *letter == 'z';
	if (cie->has_sizes)
		letter++;
	b.end = b.at + (cie->has_sizes ? entry->augmentation_data_size : 0);
	for (; *letter; letter++) {
		if (*letter == 'S') {
			cie->is_signal = true;
			continue;
		}
		encoding = bytes_number(&b, 1);
		if (*letter == 'R')
			cie->encoding = encoding;
		else if (*letter == 'P' && has_known_size(encoding))
			take_encoded(&b, encoding);
		else if (*letter != 'L')
			return false;
	}
	return !b.is_short && is_known(cie->encoding);
}

static int append_cie(struct fdes *f, const struct cfa_cie *cie)
{
	struct cfa_cie *cies;

	if (f->nr_cies == MAX_CIES)
		return -EFBIG;
	cies = array_grow(f->cies, &f->cies_room, f->nr_cies + 1, sizeof(*cies));
	if (!cies)
		return -ENOMEM;
	f->cies = cies;
	f->cies[f->nr_cies++] = *cie;
	return 0;
}

static int add_cie(struct reading *r, uint64_t offset, const Dwarf_CIE *entry)
{
	struct cfa_cie cie = {
		.offset = offset,
		.code_factor = entry->code_alignment_factor,
		.data_factor = entry->data_alignment_factor,
	};

	if (entry->return_address_register != PPROF_REG_RA || !read_augmentation(&cie, entry) ||
	    !cfa_begin(&cie, entry->initial_instructions,
		       entry->initial_instructions_end - entry->initial_instructions))
		return 0;
	return append_cie(r->f, &cie);
}

/*
 * Finds a CIE by its offset. It bisects, because a hostile file may have many CIEs.
 * Returns: NULL if there is none, if it is damaged, or if it comes after the FDE.
 */
static const struct cfa_cie *find_cie(struct reading *r, uint64_t offset)
{
	const struct cfa_cie *cies = r->f->cies;
	size_t low = r->first_cie, high = r->f->nr_cies;

	if (r->last_cie < high && cies[r->last_cie].offset == offset)
		return &cies[r->last_cie];
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (cies[mid].offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == r->first_cie || cies[low - 1].offset != offset)
		return NULL;
	r->last_cie = low - 1;
	return &cies[r->last_cie];
}

/* In .debug_frame, functions that the linker dropped have the address 0. */
static bool set_fde(const struct code_segments *t, struct fde *fde, uint64_t vaddr, uint64_t bytes)
{
	const struct code_segment *s = vaddr ? code_segments_find(t, vaddr) : NULL;

	if (!s || !bytes || bytes > UINT32_MAX || bytes > s->bytes - (vaddr - s->vaddr))
		return false;
	fde->offset = vaddr - s->vaddr + s->offset;
	fde->bytes = bytes;
	return true;
}

static bool read_fde(struct reading *r, const Dwarf_FDE *entry, struct fde *fde)
{
	const struct cfa_cie *cie = find_cie(r, entry->CIE_pointer);
	struct bytes b = { .at = entry->start, .end = entry->end };
	uint64_t vaddr, bytes;

	if (!cie)
		return false;
	vaddr = take_encoded(&b, cie->encoding);
	if (ENCODED_BASE(cie->encoding) == DW_EH_PE_pcrel)
		vaddr += r->section.vaddr + (entry->start - r->section.data);
	bytes = take_encoded(&b, cie->encoding);
	if (cie->has_sizes)
		bytes_take(&b, bytes_uleb(&b));
	if (b.is_short || !set_fde(r->t, fde, vaddr, bytes))
		return false;
	fde->cie = cie - r->f->cies;
	fde->code = b.at;
	fde->nr_code = b.end - b.at;
	return true;
}

static int append_fde(struct fdes *f, const struct fde *fde)
{
	struct fde *v;

	if (f->nr == MAX_FDES)
		return -EFBIG;
	v = array_grow(f->v, &f->room, f->nr + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	f->v = v;
	f->v[f->nr++] = *fde;
	return 0;
}

static int add_fde(struct reading *r, const Dwarf_FDE *entry)
{
	struct fde fde;

	return read_fde(r, entry, &fde) ? append_fde(r->f, &fde) : 0;
}

/*
 * Reads all entries of a section. A damaged entry is skipped if its length is right. Otherwise the
 * reading ends there.
 */
static int read_section(struct reading *r)
{
	Elf_Data data = { .d_buf = (void *)r->section.data, .d_size = r->section.bytes };
	Dwarf_Off offset = 0, next = 0;
	Dwarf_CFI_Entry entry;
	int ret, err = 0;

	r->first_cie = r->f->nr_cies;
	r->last_cie = r->f->nr_cies;
	for (; !err; offset = next) {
		ret = dwarf_next_cfi(r->t->image, &data, r->is_eh_frame, offset, &next, &entry);
		if (ret > 0 || next <= offset)
			return 0;
		if (ret < 0)
			continue;
		err = dwarf_cfi_cie_p(&entry) ? add_cie(r, offset, &entry.cie) :
						add_fde(r, &entry.fde);
	}
	return err;
}

/*
 * Sets the instructions and the length of a function of Go from its list of frame sizes. bytes is
 * the distance to the next function. Functions do not overlap, so all lists together have no more
 * entries than the text has bytes.
 */
static bool set_frame_sizes(struct fde *fde, struct go_part list, uint64_t bytes)
{
	struct go_values v;
	uint64_t end = 0;

	go_values_init(&v, list);
	while (end < bytes && go_values_next(&v)) {
		if (v.end == end)
			return false;
		end = v.end;
	}
	if (!end || v.is_bad)
		return false;
	fde->bytes = end < bytes ? end : bytes;
	fde->code = list.at;
	fde->nr_code = v.bytes.at - list.at;
	return true;
}

/*
 * *end is the offset in the text behind the function before. A function that begins before it is
 * refused: the linker sorts them.
 */
static bool read_go_function(struct go_table *t, const struct code_segments *segments,
			     uint64_t text, uint64_t index, uint32_t *end, struct fde *fde)
{
	uint32_t start = go_table_start(t, index), next = go_table_start(t, index + 1);
	uint64_t func = go_table_func(t, index);
	uint32_t list = go_table_u32(t, &t->functions, func + FRAME_SIZES_AT);

	if (start < *end || next <= start)
		return false;
	*end = next;
	return set_fde(segments, fde, text + start, next - start) &&
	       set_frame_sizes(fde, go_table_values(t, list), next - start);
}

/*
 * Reads the table of Go's runtime. .debug_frame of Go was made from it, so both have the same rows.
 * A later Go may move the address of the text in its module data. Then the address of the first
 * function is none.
 */
static int read_go_functions(struct fdes *f, const struct code_segments *t)
{
	struct fde fde = { .cie = f->nr_cies };
	struct go_module m;
	struct go_table table;
	uint32_t end = 0;
	int err;

	if (!go_module_find(t->elf, &m))
		return 0;
	go_table_init(&table, &m);
	if (table.is_bad || m.text + go_table_start(&table, 0) != m.first)
		return 0;
	err = append_cie(f, &(struct cfa_cie){ .is_go = true });
	for (uint64_t i = 0; !err && i < table.nr_functions; i++)
		if (read_go_function(&table, t, m.text, i, &end, &fde))
			err = append_fde(f, &fde);
	return err;
}

static bool is_sorted(const struct fde_key *keys, size_t nr)
{
	for (size_t i = 1; i < nr; i++)
		if (keys[i].offset < keys[i - 1].offset)
			return false;
	return true;
}

#define DIGIT_BITS	11
#define NR_DIGITS	(1U << DIGIT_BITS)

static void sort_by_digit(const struct fde_key *from, struct fde_key *to, size_t nr,
			  unsigned int shift)
{
	size_t position[NR_DIGITS + 1] = { 0 };

	for (size_t i = 0; i < nr; i++)
		position[(from[i].offset >> shift) % NR_DIGITS + 1]++;
	for (size_t i = 0; i < NR_DIGITS; i++)
		position[i + 1] += position[i];
	for (size_t i = 0; i < nr; i++)
		to[position[(from[i].offset >> shift) % NR_DIGITS]++] = from[i];
}

/* A radix sort: ten times as fast as qsort(), and no input makes it slower. */
static int sort(struct fdes *f, uint64_t start)
{
	struct fde_key *keys = reallocarray(NULL, f->nr + 1, sizeof(*keys)), *spare;

	f->order = keys;
	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < f->nr; i++)
		keys[i] = (struct fde_key){ .offset = f->v[i].offset - start, .index = i };
	if (is_sorted(keys, f->nr))
		return 0;
	spare = reallocarray(NULL, f->nr, sizeof(*spare));
	if (!spare)
		return -ENOMEM;
	for (unsigned int shift = 0; shift < 32; shift += DIGIT_BITS) {
		sort_by_digit(keys, spare, f->nr, shift);
		keys = spare;
		spare = f->order;
		f->order = keys;
	}
	free(spare);
	return 0;
}

int fdes_init(struct fdes *f, struct code_segments *t)
{
	struct reading r = { .f = f, .t = t };
	int err = 0;

	*f = (struct fdes){ 0 };
	r.is_eh_frame = true;
	if (code_segments_eh_frame(t, &r.section))
		err = read_section(&r);
	f->nr_eh_frame = f->nr;
	r.is_eh_frame = false;
	if (!err && code_segments_debug_frame(t, &r.section))
		err = read_section(&r);
	if (!err && f->nr == f->nr_eh_frame)
		err = read_go_functions(f, t);
	return err ? err : sort(f, t->segments[0].offset);
}

void fdes_fini(struct fdes *f)
{
	free(f->v);
	free(f->cies);
	free(f->order);
}
