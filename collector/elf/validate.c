// SPDX-License-Identifier: GPL-2.0
#include "elf/validate.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Limit of sections. libelf allocates some 300 bytes for each of them at once. e_shnum can hold no
 * larger number.
 */
#define MAX_SECTIONS		UINT16_MAX

/*
 * Limit of the section names. Linkers make 300 bytes. For each section libelf searches for the end
 * of the whole table.
 */
#define MAX_NAMES_BYTES		(64U << 10)

/* Limit of all decompressed sections together. A section of 1 MB may decompress to 1 GB. */
#define MAX_INFLATED_BYTES	(4ULL << 30)

/*
 * Limit of all .gnu_debugdata sections together. Each is another ELF file, compressed by xz.
 * libdwfl decompresses it as a whole, without a check like that of this file. Zeroes decompress to
 * 7,000 times their size. Real ones contain symbols without debug info, and have some MB.
 */
#define MAX_INNER_BYTES		(64U << 20)
/* Each section counts as this size at least, since each takes time. */
#define MIN_INNER_BYTES		(1U << 20)
/* Limit of the memory of the decoder. A file of `xz -9` needs 65 MB. */
#define MAX_LZMA_BYTES		(128U << 20)

/* The old GNU form of a compressed section starts with "ZLIB" and the size, big-endian. */
#define GNU_MAGIC_BYTES		4

struct source {
	int fd;			/* used if image is NULL */
	const uint8_t *image;
	uint64_t bytes;
	bool is_32;
};

/* Returns false if not all of the bytes are there, or they cannot be read. */
static bool read_at(const struct source *s, uint64_t offset, void *to, size_t bytes)
{
	if (offset > s->bytes || s->bytes - offset < bytes)
		return false;
	if (!s->image)
		return pread(s->fd, to, bytes, offset) == (ssize_t)bytes;
	memcpy(to, s->image + offset, bytes);
	return true;
}

static bool read_header_32(const struct source *s, Elf64_Ehdr *h)
{
	Elf32_Ehdr h32;

	if (!read_at(s, 0, &h32, sizeof(h32)))
		return false;
	h->e_shoff = h32.e_shoff;
	h->e_phnum = h32.e_phnum;
	h->e_shnum = h32.e_shnum;
	h->e_shstrndx = h32.e_shstrndx;
	return true;
}

/* Reads the header. Of a 32-bit file it reads only the fields that are used here. */
static bool read_header(struct source *s, Elf64_Ehdr *h)
{
	if (!read_at(s, 0, h->e_ident, EI_NIDENT) || memcmp(h->e_ident, ELFMAG, SELFMAG) ||
	    h->e_ident[EI_DATA] != ELFDATA2LSB)
		return false;
	s->is_32 = h->e_ident[EI_CLASS] == ELFCLASS32;
	if (s->is_32)
		return read_header_32(s, h);
	return h->e_ident[EI_CLASS] == ELFCLASS64 && read_at(s, 0, h, sizeof(*h));
}

static bool read_section(const struct source *s, const Elf64_Ehdr *h, uint64_t i, Elf64_Shdr *sh)
{
	Elf32_Shdr sh32;

	if (!s->is_32)
		return read_at(s, h->e_shoff + i * sizeof(*sh), sh, sizeof(*sh));
	if (!read_at(s, h->e_shoff + i * sizeof(sh32), &sh32, sizeof(sh32)))
		return false;
	sh->sh_type = sh32.sh_type;
	sh->sh_flags = sh32.sh_flags;
	sh->sh_offset = sh32.sh_offset;
	sh->sh_size = sh32.sh_size;
	sh->sh_link = sh32.sh_link;
	return true;
}

/*
 * Is this another ELF file, compressed by xz or lzma? The magic decides, with its NUL. The name of
 * the section cannot: a hostile file has ways to hide it from this check.
 */
static bool is_inner(const struct source *s, const Elf64_Shdr *sh)
{
	uint8_t magic[6];

	return sh->sh_type != SHT_NOBITS && read_at(s, sh->sh_offset, magic, sizeof(magic)) &&
	       (!memcmp(magic, "\xfd" "7zXZ", 6) || !memcmp(magic, "\x5d", 2));
}

/*
 * Decompresses a section and counts the bytes, those that are read included, up to the limit.
 * Returns: the number of bytes, or UINT64_MAX if the decoder needs too much memory.
 */
static uint64_t count_inflated(const struct source *s, const Elf64_Shdr *sh, lzma_stream *z)
{
	uint64_t at = sh->sh_offset, left = sh->sh_size;
	uint8_t in[4096], out[65536];
	lzma_ret ret = LZMA_OK;

	while (ret == LZMA_OK && z->total_in + z->total_out <= MAX_INNER_BYTES) {
		if (!z->avail_in && left) {
			z->next_in = in;
			z->avail_in = left < sizeof(in) ? left : sizeof(in);
			if (!read_at(s, at, in, z->avail_in))
				break;
			at += z->avail_in;
			left -= z->avail_in;
		}
		z->next_out = out;
		z->avail_out = sizeof(out);
		ret = lzma_code(z, left ? LZMA_RUN : LZMA_FINISH);
	}
	return ret == LZMA_MEMLIMIT_ERROR ? UINT64_MAX : z->total_in + z->total_out;
}

/*
 * Returns the bytes that a section counts against MAX_INNER_BYTES: 0 if it is no .gnu_debugdata.
 * The decoder is the one of libdwfl, which also reads the older .lzma format.
 */
static uint64_t inner_bytes(const struct source *s, const Elf64_Shdr *sh)
{
	lzma_stream z = LZMA_STREAM_INIT;
	uint64_t bytes = UINT64_MAX;

	if (!is_inner(s, sh))
		return 0;
	if (lzma_auto_decoder(&z, MAX_LZMA_BYTES, 0) == LZMA_OK)
		bytes = count_inflated(s, sh, &z);
	lzma_end(&z);
	return bytes < MIN_INNER_BYTES ? MIN_INNER_BYTES : bytes;
}

/*
 * Returns the size that a compressed section declares, or 0. The old GNU form counts only in
 * sections without SHF_ALLOC: libdw decompresses debug info only, and no program loads that.
 */
static uint64_t inflated_bytes(const struct source *s, const Elf64_Shdr *sh)
{
	uint8_t old[GNU_MAGIC_BYTES + sizeof(uint64_t)];
	Elf64_Chdr chdr;
	Elf32_Chdr chdr32;
	uint64_t bytes;

	if (sh->sh_type == SHT_NOBITS)
		return 0;
	if (sh->sh_flags & SHF_COMPRESSED && s->is_32)
		return read_at(s, sh->sh_offset, &chdr32, sizeof(chdr32)) ? chdr32.ch_size : 0;
	if (sh->sh_flags & SHF_COMPRESSED)
		return read_at(s, sh->sh_offset, &chdr, sizeof(chdr)) ? chdr.ch_size : 0;
	if (sh->sh_flags & SHF_ALLOC || !read_at(s, sh->sh_offset, old, sizeof(old)) ||
	    memcmp(old, "ZLIB", GNU_MAGIC_BYTES))
		return 0;
	memcpy(&bytes, old + GNU_MAGIC_BYTES, sizeof(bytes));
	return be64toh(bytes);
}

static bool spend(uint64_t *left, uint64_t bytes)
{
	if (bytes > *left)
		return false;
	*left -= bytes;
	return true;
}

/*
 * The header of section 0 holds the numbers that do not fit into the file header: see elf(5),
 * e_shnum and e_shstrndx.
 */
static int check_sections(const struct source *s, const Elf64_Ehdr *h)
{
	uint64_t left_inflated = MAX_INFLATED_BYTES, left_inner = MAX_INNER_BYTES, nr, names;
	Elf64_Shdr sh;

	if (!h->e_shoff || !read_section(s, h, 0, &sh))
		return 0;
	nr = h->e_shnum ? h->e_shnum : sh.sh_size;
	names = h->e_shstrndx == SHN_XINDEX ? sh.sh_link : h->e_shstrndx;
	if (nr > MAX_SECTIONS)
		return -ENOEXEC;
	for (uint64_t i = 1; i < nr && read_section(s, h, i, &sh); i++)
		if ((i == names && sh.sh_size > MAX_NAMES_BYTES) ||
		    !spend(&left_inflated, inflated_bytes(s, &sh)) ||
		    !spend(&left_inner, inner_bytes(s, &sh)))
			return -ENOEXEC;
	return 0;
}

static int check(struct source *s)
{
	Elf64_Ehdr h;

	if (!read_header(s, &h) || h.e_phnum == PN_XNUM)
		return -ENOEXEC;
	return check_sections(s, &h);
}

/*
 * libdwfl maps a file in this way. If that fails it reads all of it, also holes of some GB. So a
 * file that is larger than the memory is refused.
 */
static bool can_be_mapped(int fd, size_t bytes)
{
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);

	return map != MAP_FAILED && !munmap(map, bytes);
}

int elf_validate_file(int fd)
{
	struct source s = { .fd = fd };
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return -ENOEXEC;
	s.bytes = st.st_size;
	return check(&s) || !can_be_mapped(fd, s.bytes) ? -ENOEXEC : 0;
}

int elf_validate_image(const void *image, size_t bytes)
{
	struct source s = { .image = image, .bytes = bytes };

	return check(&s);
}
