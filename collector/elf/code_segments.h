/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code of an ELF file: its executable segments, and the sections that describe how to unwind
 * it.
 */
#ifndef COLLECTOR_CODE_SEGMENTS_H
#define COLLECTOR_CODE_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limit of executable segments. Linkers make one or two. */
#define CODE_MAX_SEGMENTS	16

/* An executable segment, as far as the file contains it: without zero-filled memory. */
struct code_segment {
	uint64_t vaddr;
	uint64_t offset;	/* in the file */
	uint64_t bytes;		/* not 0 */
	/*
	 * Offset in the file of its first section of code. With one segment for code and constants,
	 * the ELF headers and constants are in front of it. It is `offset` without section headers.
	 */
	uint64_t code;
};

struct Elf;

struct code_segments {
	/* The ELF file in memory; it belongs to the caller. */
	const uint8_t *image;
	uint64_t bytes;
	struct Elf *elf;
	uint8_t *inflated;	/* .debug_frame after decompression, or NULL */
	/*
	 * File offset of the program's first instruction; UINT64_MAX if the file has no entry
	 * point.
	 */
	uint64_t entry;
	unsigned int nr;
	/* Sorted by offset; they do not overlap. */
	struct code_segment segments[CODE_MAX_SEGMENTS];
};

/* The bytes of a section. They belong to the struct code_segments. */
struct code_section {
	const uint8_t *data;
	size_t bytes;
	uint64_t vaddr;
};

/*
 * Reads the segments of the ELF file at image. image must not change or go away before
 * code_segments_fini(). Call code_segments_fini() after success only.
 * Returns: 0; -ENOMSG for a file that is not ELF; -ENOTSUP for a 32-bit file; -ENODATA if the file
 * has no code; -ENOEXEC for any other file that is no program or library for this CPU, or is
 * damaged.
 */
int code_segments_init(struct code_segments *t, const void *image, size_t bytes);

/* Frees what code_segments_init() and code_segments_debug_frame() allocated. image is untouched. */
void code_segments_fini(struct code_segments *t);

/*
 * Returns the segment that contains vaddr, or NULL. vaddr is an address as the file numbers
 * them.
 */
const struct code_segment *code_segments_find(const struct code_segments *t, uint64_t vaddr);

/*
 * Finds .eh_frame. If the section headers were stripped, finds it through PT_GNU_EH_FRAME: then
 * bytes is an upper limit, the end of its segment. Returns false if there is none.
 */
bool code_segments_eh_frame(const struct code_segments *t, struct code_section *s);

/*
 * Finds .debug_frame and decompresses it if it is compressed with zlib. Call it once only: a
 * second call leaks memory. Returns false if there is none, or it is damaged.
 */
bool code_segments_debug_frame(struct code_segments *t, struct code_section *s);

/*
 * Is the file glibc's dynamic linker? On x86-64 its _dl_runtime_resolve keeps the CFA in the
 * base pointer during a call. In other files the base pointer holds the CFA in few rows or none,
 * and to follow it there would make up to 17 % more rows.
 */
bool code_segments_is_linker(const struct code_segments *t);

/* Does the file contain a Go program? */
bool code_segments_is_go(const struct code_segments *t);

#endif /* COLLECTOR_CODE_SEGMENTS_H */
