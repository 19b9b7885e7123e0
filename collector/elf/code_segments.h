/* SPDX-License-Identifier: GPL-2.0 */
/* The code of an ELF file, where it stands in it, and what describes it. */
#ifndef COLLECTOR_ELFTEXT_H
#define COLLECTOR_ELFTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Linkers make one or two. */
#define ELFTEXT_MAX_SEGMENTS	16

/* Code: an executable segment, without what the file does not hold. */
struct elftext_segment {
	uint64_t vaddr;
	uint64_t offset;
	uint64_t bytes;		/* not 0 */
};

struct Elf;

struct elftext {
	const uint8_t *image;
	uint64_t bytes;
	struct Elf *elf;
	uint8_t *inflated;	/* .debug_frame, or NULL */
	uint64_t entry;		/* offset; UINT64_MAX: no program starts there */
	unsigned int nr;
	struct elftext_segment segments[ELFTEXT_MAX_SEGMENTS];	/* by offset, apart */
};

/* Contents of a section. */
struct elftext_section {
	const uint8_t *data;
	size_t bytes;
	uint64_t vaddr;
};

/*
 * image, of that many bytes, is an ELF file; it has to live as long. Returns: 0;
 * -ENOTSUP for a file of 32 bits (i386, x32); -ENOEXEC for other files that are no
 * x86-64 program or library, or damaged; -ENODATA without code.
 */
int elftext_init(struct elftext *t, const void *image, size_t bytes);
void elftext_fini(struct elftext *t);

/* The segment that holds an address of the file's own, or NULL. */
const struct elftext_segment *elftext_find(const struct elftext *t, uint64_t vaddr);

/*
 * .eh_frame, found through PT_GNU_EH_FRAME where section headers were stripped:
 * then bytes is an upper limit. False: there is none.
 */
bool elftext_eh_frame(const struct elftext *t, struct elftext_section *s);

/*
 * .debug_frame, inflated if need be; to be called once. False: there is none,
 * or it is damaged.
 */
bool elftext_debug_frame(struct elftext *t, struct elftext_section *s);

/*
 * It is glibc's dynamic linker. Its _dl_runtime_resolve keeps the CFA in rbx
 * while it calls. In other files rbx is a CFA in a few rows if at all, and
 * following it makes up to 17 % more rows.
 */
bool elftext_is_linker(const struct elftext *t);

#endif /* COLLECTOR_ELFTEXT_H */
